import { type BaseCheckpointSaver, MemorySaver } from "@langchain/langgraph-checkpoint";
import type { LangGraph } from "../engines.ts";
import { type Difference, scenario } from "../scenario.ts";
import { late, leaves, thread, trailState } from "./kit.ts";

/** How a sibling of the task that fails takes its signal. */
const manners = {
  polite: (signal: AbortSignal) =>
    new Promise<never>((_resolve, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
    }),
  rude: (signal: AbortSignal) =>
    new Promise<never>((_resolve, reject) => {
      signal.addEventListener("abort", () => reject(new Error("user: told to stop")), { once: true });
    }),
} as const;

/** bad fails while a sibling runs; once it is mended, both work. */
function failing(lg: LangGraph, saver: BaseCheckpointSaver, running: (signal: AbortSignal) => Promise<void>) {
  const switches = { broken: true, runs: 0 };
  const graph = new lg.StateGraph(trailState(lg))
    .addNode("bad", async () => {
      await late(10);
      if (switches.broken) throw new Error("user: broken");
      return { trail: ["bad"] };
    })
    .addNode("sibling", async (_state, { signal }) => {
      switches.runs += 1;
      if (switches.broken) await running(signal as AbortSignal);
      return { trail: [`sibling ${switches.runs}`] };
    })
    .addNode("after", leaves("after"))
    .addEdge(lg.START, "bad")
    .addEdge(lg.START, "sibling")
    .addEdge(["bad", "sibling"], "after")
    .compile({ checkpointer: saver });
  return { graph, switches };
}

export const siblings = (Object.keys(manners) as (keyof typeof manners)[]).map((manner) =>
  scenario(`a task fails beside a ${manner} one that has its signal`, async (lg, t) => {
    const saver = t.saver();
    const { graph, switches } = failing(lg, saver, manners[manner]);
    await t.streamFails(graph, {}, { ...thread("1"), streamMode: ["tasks", "updates"] });
    await t.state(graph, thread("1"));
    await t.saved(saver, "1");
    switches.broken = false;
    await t.invoke(graph, null, thread("1"));
    t.note("runs of the sibling", switches.runs);
  }),
);

/** What becomes of a sibling that does not listen. */
export const deafSiblings: readonly Difference[] = [
  {
    id: "siblings-of-a-failure",
    name: "a sibling that finishes although another task failed is not run again",
    there: ["sibling 2", 2],
    here: ["sibling 1", 1],
    async run(lg) {
      const { graph, switches } = failing(lg, new MemorySaver(), () => late(40));
      await graph.invoke({}, thread("1")).catch(() => undefined);
      switches.broken = false;
      const { trail } = await graph.invoke(null, thread("1"));
      return [trail.find((entry) => entry.startsWith("sibling")), switches.runs];
    },
  },
];
