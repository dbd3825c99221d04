import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { agreed } from "../src/agreed.ts";
import { agentScenarios } from "../src/agents/index.ts";
import { type AgentScenario, recordAgent, there } from "../src/agents/langchains.ts";
import { AGENT_DIFFERENCES, FAILS_THERE, ofTheAgent, OWN_PAGE, own } from "../src/agents/own.ts";

const agreeing = (list: readonly AgentScenario[]) =>
  list.filter(({ name }) => AGENT_DIFFERENCES[name] === undefined).map((one) => [one.name, one] as const);

describe.each(Object.entries(agentScenarios))("our createAgent and langchain's: %s", (_theme, list) => {
  it.each(agreeing(list))("%s", async (_name, scenario) => {
    const theirs = ofTheAgent(await recordAgent(scenario, there));
    expect(agreed(ofTheAgent(await recordAgent(scenario, own)), theirs)).toEqual(theirs);
  });
});

describe("where our createAgent does something else", () => {
  const scenarios = new Map(
    Object.values(agentScenarios).flatMap((list) => list.map((one) => [one.name, one])),
  );

  // one that is no difference any more must leave the list
  it.each(Object.entries(AGENT_DIFFERENCES))("%s: %s", async (name, difference) => {
    const scenario = scenarios.get(name) as AgentScenario;
    const theirs = ofTheAgent(await recordAgent(scenario, there));
    const ours = await recordAgent(scenario, own).then(
      (recording) => agreed(ofTheAgent(recording), theirs),
      (error: unknown) => String(error),
    );
    expect(ours).not.toEqual(theirs);
    expect(String(ours).includes("expects a failure here")).toBe(difference === FAILS_THERE);
  });

  it("has a page", () => {
    expect(existsSync(fileURLToPath(new URL(`../../../${OWN_PAGE}`, import.meta.url)))).toBe(true);
  });
});
