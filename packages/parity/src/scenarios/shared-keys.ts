import type { LangGraph } from "../engines.ts";
import type { Recorder, Stateful } from "../recorder.ts";
import { scenario } from "../scenario.ts";
import { leaves, thread, trailState } from "./kit.ts";

/** A subgraph of two nodes that write to keys of the caller's, beside a node that asks. */
function beside(lg: LangGraph, t: Recorder) {
  const inner = new lg.StateGraph(trailState(lg))
    .addNode("x", leaves("x"))
    .addNode("y", leaves("y"))
    .addEdge(lg.START, "x")
    .addEdge("x", "y")
    .compile();
  return new lg.StateGraph(trailState(lg))
    .addNode("sub", inner)
    .addNode("asks", (_state, config) => ({ last: config.interrupt?.("?") as string }))
    .addNode("commands", () => [new lg.Command({ update: { trail: ["c"] } }), { trail: ["d"] }] as never, {
      subgraphs: [inner],
    })
    .addEdge(lg.START, "sub")
    .addEdge(lg.START, "asks")
    .addEdge(lg.START, "commands")
    .compile({ checkpointer: t.saver() });
}

const results = async (t: Recorder, what: string, graph: Stateful) => {
  const all: unknown[] = [];
  for await (const { tasks } of graph.getStateHistory(thread("1")) as AsyncIterable<{
    readonly tasks: readonly { readonly name: string; readonly result?: unknown }[];
  }>) {
    all.push(tasks.map(({ name, result }) => [name, result]));
  }
  t.note(what, all);
};

/** What states and streams show of a subgraph's writes to keys that its caller merges. */
export const sharedKeys = [
  scenario("what a subgraph wrote to shared keys, in states and when its step goes on", async (lg, t) => {
    const graph = beside(lg, t);
    await t.invoke(graph, {}, thread("1"));
    await t.state(graph, thread("1"));
    await results(t, "results while one waits", graph);
    const config = { ...thread("1"), streamMode: ["updates"] };
    await t.stream(graph, new lg.Command({ resume: "yes" }), config);
    await results(t, "results at the end", graph);
    t.note("values", (await graph.getState(thread("1"))).values);
  }),
];
