import type { LangGraph } from "../engines.ts";
import type { Recorder } from "../recorder.ts";
import { scenario } from "../scenario.ts";
import { lastIn, leaves, thread, trailState } from "./kit.ts";

/** a -> sub, which is a graph of one node. */
function nested(lg: LangGraph, t: Recorder) {
  return new lg.StateGraph(trailState(lg))
    .addNode("a", leaves("a"))
    .addNode("sub", lastIn(lg))
    .addEdge(lg.START, "a")
    .addEdge("a", "sub")
    .compile({ checkpointer: t.saver() });
}

const DEFAULTS: readonly [string, object][] = [
  ["a stream mode", { streamMode: "values" }],
  ["a list of one stream mode", { streamMode: ["values"] }],
  ["several stream modes", { streamMode: ["values", "updates"] }],
  ["the key to show, by its bare name", { outputKeys: "last" }],
  ["a list of keys to show", { outputKeys: ["last"] }],
  ["a stop before a node", { interruptBefore: ["sub"] }],
  ["a stop after a node", { interruptAfter: ["a"] }],
  ["durability and how many tasks at a time", { durability: "exit", maxConcurrency: 1 }],
  ["nothing that one call asks for", { subgraphs: true, encoding: "text/event-stream", inputKeys: "last" }],
];

export const withConfig = DEFAULTS.map(([what, defaults]) =>
  scenario(`withConfig binds ${what}`, async (lg, t) => {
    const graph = nested(lg, t).withConfig(defaults as never);
    await t.stream(graph, {}, thread("1"));
    await t.stream(graph, {}, { ...thread("2"), streamMode: "updates", outputKeys: ["trail"] });
    await t.invoke(graph, {}, thread("3"));
    await t.invoke(graph, {}, { ...thread("4"), streamMode: "updates" });
    const events = graph.streamEvents({}, { ...thread("5"), version: "v2" });
    for await (const { event, name, data } of events) {
      if (event === "on_chain_stream" && name === "LangGraph") t.note("v2", data.chunk);
    }
    const run = await graph.streamEvents({}, { ...thread("6"), version: "v3" });
    for await (const { method, params } of run) if (method === "values") t.note("v3", params.data);
  }),
);
