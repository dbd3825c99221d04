import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { agreed } from "../src/agreed.ts";
import { DIFFERENCES, type DifferenceId, NOT_COMPARED } from "../src/differences.ts";
import { oracle, ours } from "../src/engines.ts";
import { answerOf, record } from "../src/scenario.ts";
import { differing } from "../src/scenarios/differing.ts";
import { scenarios as local } from "../src/scenarios/index.ts";
import { remoteScenarios } from "../src/scenarios/remote-index.ts";

const scenarios = { ...local, ...remoteScenarios };
const root = fileURLToPath(new URL("../../../", import.meta.url));
const named = <T extends { readonly name: string }>(list: readonly T[]) =>
  list.map((one) => [one.name, one] as const);

describe.each(Object.entries(scenarios))("the same program on both engines: %s", (_theme, list) => {
  it.each(named(list))("%s", async (_name, scenario) => {
    const theirs = await record(scenario, oracle);
    expect(agreed(await record(scenario, ours), theirs)).toEqual(theirs);
  });
});

describe("intended differences", () => {
  it.each(named(differing))("%s", async (_name, difference) => {
    expect(await answerOf(difference, oracle)).toEqual(difference.there);
    expect(await answerOf(difference, ours)).toEqual(difference.here);
  });

  it.each(Object.keys(DIFFERENCES) as DifferenceId[])("%s has a page and a program that shows it", (id) => {
    expect(existsSync(`${root}${DIFFERENCES[id]}`)).toBe(true);
    expect(differing.some((difference) => difference.id === id)).toBe(true);
  });

  it.each(NOT_COMPARED)("what is not compared has a page: %s", (page) => {
    expect(existsSync(`${root}${page}`)).toBe(true);
  });
});

it("no two scenarios have one name", () => {
  const names = [...Object.values(scenarios).flat(), ...differing].map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
});
