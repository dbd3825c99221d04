import type { LangGraph } from "../engines.ts";
import type { Recorder } from "../recorder.ts";
import { type Scenario, scenario } from "../scenario.ts";
import { leaves, thread, trailState } from "./kit.ts";

/** research -> summarise -> publish, and beside it approve, which asks -> publish: that waits for both. */
function paper(lg: LangGraph, t: Recorder) {
  return new lg.StateGraph(trailState(lg))
    .addNode("research", leaves("research"))
    .addNode("approve", () => ({ trail: [String(lg.interrupt("well?"))] }))
    .addNode("summarise", leaves("summarise"))
    .addNode("publish", leaves("publish"), { defer: true })
    .addEdge(lg.START, "research")
    .addEdge(lg.START, "approve")
    .addEdge("research", "summarise")
    .addEdge("summarise", "publish")
    .addEdge("approve", "publish")
    .compile({ checkpointer: t.saver() });
}

const updatedAs = (asNode: string): Scenario =>
  scenario(`a deferred node after an update of a half-finished step, as ${asNode}`, async (lg, t) => {
    const graph = paper(lg, t);
    await t.invoke(graph, {}, thread("1"));
    await graph.updateState(thread("1"), { trail: ["by hand"] }, asNode as "approve");
    const { values, next } = await graph.getState(thread("1"));
    t.note("after the update", { values, next });
    await t.invoke(graph, null, thread("1"));
  });

/** What is next when somebody has edited the state while one task of a step waits and another is done. */
export const halfFinishedSteps = ["approve", "research", "summarise", "publish"].map(updatedAs);
