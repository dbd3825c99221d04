import { CompiledStateGraph } from "@skein/graph";
import { describe, expect, it } from "vitest";
import { agreed } from "../src/agreed.ts";
import { oracle, ours } from "../src/engines.ts";
import { record } from "../src/scenario.ts";
import { pair, supervisors, swarms } from "../src/teams/scenarios.ts";
import { here, recordTeam, there } from "../src/teams/teams.ts";
import { within } from "../src/teams/within.ts";

describe.each([
  ["supervisor", supervisors],
  ["swarm", swarms],
])("@langchain/langgraph-%s, unmodified, on both engines", (_package, list) => {
  it.each(list.map((scenario) => [scenario.name, scenario] as const))("%s", async (_name, scenario) => {
    const theirs = await recordTeam(scenario, there);
    expect(agreed(await recordTeam(scenario, here), theirs)).toEqual(theirs);
  });
});

describe("what packages do in a running node by LangGraph's own names, on both engines", () => {
  it.each(within.map((scenario) => [scenario.name, scenario] as const))("%s", async (_name, scenario) => {
    expect(await record(scenario, ours)).toEqual(await record(scenario, oracle));
  });
});

it("the two sets of packages stand on two engines", () => {
  const graphs = [here, there].map(({ teams, lg }) =>
    teams.createSwarm({ agents: pair(teams, lg), defaultActiveAgent: "Alice" }).compile(),
  );
  expect(graphs.map((graph) => graph instanceof CompiledStateGraph)).toEqual([true, false]);
});
