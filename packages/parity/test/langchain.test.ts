import { describe, expect, it } from "vitest";
import { CompiledStateGraph } from "@skein/graph";
import { agreed } from "../src/agreed.ts";
import { agentScenarios } from "../src/agents/index.ts";
import { here, recordAgent, there } from "../src/agents/langchains.ts";
import { ScriptedModel } from "../src/agents/model.ts";

describe.each(Object.entries(agentScenarios))(
  "langchain, unmodified, on both engines: %s",
  (_theme, list) => {
    it.each(list.map((scenario) => [scenario.name, scenario] as const))("%s", async (_name, scenario) => {
      const theirs = await recordAgent(scenario, there);
      expect(agreed(await recordAgent(scenario, here), theirs)).toEqual(theirs);
    });
  },
);

it("the two langchains stand on two engines", () => {
  const graphs = [here, there].map(
    ({ lc }) => lc.createAgent({ model: ScriptedModel.saying(), tools: [] }).graph,
  );
  expect(graphs.map((graph) => graph instanceof CompiledStateGraph)).toEqual([true, false]);
});
