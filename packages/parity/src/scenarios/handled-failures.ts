import type { LangGraph } from "../engines.ts";
import type { Recorder } from "../recorder.ts";
import { type Scenario, scenario } from "../scenario.ts";
import { leaves, thread, trailState, type Trail } from "./kit.ts";

type Handler = (lg: LangGraph) => Partial<Trail>;

/** first -> fetch (fails, and is handled) -> use; beside it ask, which waits, and good -> use, beside them or after ask. */
function failing(lg: LangGraph, t: Recorder, handler: Handler, isBeside: boolean) {
  const graph = new lg.StateGraph(trailState(lg))
    .addNode("first", leaves("first"))
    .addNode(
      "fetch",
      () => {
        throw new Error("user: fetch");
      },
      { errorHandler: () => handler(lg) },
    )
    .addNode("ask", () => ({ trail: [String(lg.interrupt("?"))] }))
    .addNode("good", leaves("good"))
    .addNode("use", leaves("use"))
    .addEdge(lg.START, "first")
    .addEdge("first", "fetch")
    .addEdge("first", "ask")
    .addEdge("fetch", "use")
    .addEdge("good", "use");
  graph.addEdge(isBeside ? "first" : "ask", "good");
  return graph.compile({ checkpointer: t.saver() });
}

const takesOver: Readonly<Record<string, Handler>> = {
  "has finished": () => ({}),
  asks: (lg) => ({ trail: [String(lg.interrupt("what now?"))] }),
};

/** Of which node an update is when a node of the step has failed, and an error handler took over. */
export const handledFailures: readonly Scenario[] = Object.entries(takesOver).flatMap(([does, handler]) => [
  ...[undefined, "ask", "fetch", "first"].map((asNode) =>
    scenario(
      `an update ${asNode ? `as ${asNode}` : "without a node"} while an error handler ${does}`,
      async (lg, t) => {
        const graph = failing(lg, t, handler, false);
        await graph.invoke({}, thread("1"));
        await graph.updateState(thread("1"), { trail: ["by hand"] }, asNode as "ask");
        await t.state(graph, thread("1"));
        await t.invoke(graph, null, thread("1"));
      },
    ),
  ),
  scenario(
    `an update without a node while an error handler ${does} beside a node that did not fail`,
    async (lg, t) => {
      const graph = failing(lg, t, handler, true);
      await graph.invoke({}, thread("1"));
      await t.fails(() => graph.updateState(thread("1"), { trail: ["by hand"] }));
      await graph.updateState(thread("1"), { trail: ["by hand"] }, "good");
      await t.invoke(graph, null, thread("1"));
    },
  ),
]);
