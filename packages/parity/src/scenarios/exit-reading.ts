import type { LangGraph } from "../engines.ts";
import type { Recorder } from "../recorder.ts";
import { scenario } from "../scenario.ts";
import { lastIn, late, thread, trailState } from "./kit.ts";

/** One node after another. */
function pair(lg: LangGraph, t: Recorder, second: () => object, more: object = {}) {
  return new lg.StateGraph(trailState(lg))
    .addNode("a", async () => {
      await late(1);
      return { trail: ["a"] };
    })
    .addNode("b", second)
    .addEdge(lg.START, "a")
    .addEdge("a", "b")
    .compile({ checkpointer: t.saver(), ...more });
}

const writes = (): object => ({ trail: ["b"] });

function nested(lg: LangGraph, t: Recorder) {
  return new lg.StateGraph(trailState(lg))
    .addNode("sub", lastIn(lg))
    .addEdge(lg.START, "sub")
    .compile({ checkpointer: t.saver() });
}

/** What a reader of a stream finds stored, in durability "exit", when it sees the last chunk. */
export const exitReading = (["values", "updates", "checkpoints", "tasks"] as const).map((streamMode) =>
  scenario(`durability exit: who reads the last of ${streamMode} finds the state stored`, async (lg, t) => {
    const graphs = {
      ends: pair(lg, t, writes),
      "stops before": pair(lg, t, writes, { interruptBefore: ["b"] }),
      "stops before the first": pair(lg, t, writes, { interruptBefore: ["a"] }),
      "stops after": pair(lg, t, writes, { interruptAfter: ["a"] }),
      asks: pair(lg, t, () => ({ last: lg.interrupt("?") as string })),
      "has a subgraph": nested(lg, t),
    };
    for (const [what, graph] of Object.entries(graphs)) {
      let last: unknown;
      const config = { ...thread("1"), durability: "exit" as const, streamMode };
      for await (const _ of await graph.stream({ trail: ["in"] }, config)) {
        // that of LangGraph's saver fails while its first checkpoint is being put
        last = await graph.getState(thread("1")).then(
          ({ values, next }) => ({ values, next }),
          () => "half stored",
        );
      }
      t.note(what, last);
    }
  }),
);
