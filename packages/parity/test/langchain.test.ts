import { describe, expect, it } from "vitest";
import { CompiledStateGraph } from "@skein/graph";
import { agreed } from "../src/agreed.ts";
import { add, call, says } from "../src/agents/kit.ts";
import { agentScenarios } from "../src/agents/index.ts";
import { type AgentEngine, here, recordAgent, there } from "../src/agents/langchains.ts";
import { ScriptedModel } from "../src/agents/model.ts";
import type { Plain } from "../src/normalise.ts";
import { Recorder } from "../src/recorder.ts";
import { thread } from "../src/scenarios/kit.ts";

describe.each(Object.entries(agentScenarios))(
  "langchain, unmodified, on both engines: %s",
  (_theme, list) => {
    it.each(list.map((scenario) => [scenario.name, scenario] as const))("%s", async (_name, scenario) => {
      const theirs = await recordAgent(scenario, there);
      expect(agreed(await recordAgent(scenario, here), theirs)).toEqual(theirs);
    });
  },
);

/** Asks on one engine, is answered on the other. */
async function approved(first: AgentEngine, second: AgentEngine): Promise<Plain> {
  const recorder = new Recorder();
  const saver = recorder.saver();
  const model = ScriptedModel.saying([call("add", { a: 1, b: 2 })], "3");
  const agentOn = ({ lc }: AgentEngine) =>
    lc.createAgent({
      model,
      tools: [add],
      checkpointer: saver,
      middleware: [lc.humanInTheLoopMiddleware({ interruptOn: { add: true } }), lc.todoListMiddleware()],
    });
  await agentOn(first).invoke(says("1 + 2?"), thread("1"));
  const resume = new second.lg.Command({ resume: { decisions: [{ type: "approve" }] } });
  await recorder.invoke(agentOn(second), resume, thread("1"));
  await recorder.saved(saver, "1");
  return recorder.recording();
}

describe("an agent's thread crosses over in the middle of a question", () => {
  it.each([
    ["from LangGraph to Skein", there, here],
    ["from Skein to LangGraph", here, there],
  ] as const)("%s", async (_name, first, second) => {
    expect(await approved(first, second)).toEqual(await approved(there, there));
  });
});

it("the two langchains stand on two engines", () => {
  const graphs = [here, there].map(
    ({ lc }) => lc.createAgent({ model: ScriptedModel.saying(), tools: [] }).graph,
  );
  expect(graphs.map((graph) => graph instanceof CompiledStateGraph)).toEqual([true, false]);
});
