import type { RunnableConfig } from "@langchain/core/runnables";
import { MemorySaver } from "@langchain/langgraph-checkpoint";
import type { LangGraph } from "../engines.ts";
import type { Difference } from "../scenario.ts";
import { deltaState, thread } from "./kit.ts";

function logging(lg: LangGraph) {
  return new lg.StateGraph(deltaState(lg))
    .addNode("a", () => ({ log: "a" }))
    .addNode("b", () => ({ log: "b" }))
    .addEdge(lg.START, "a")
    .addEdge("a", "b")
    .compile({ checkpointer: new MemorySaver() });
}

type Logging = ReturnType<typeof logging>;

/** Sorted: LangGraph mixes the branches in the order of their tasks' ids. */
const logOf = async (graph: Logging, config: RunnableConfig = thread("1")): Promise<unknown> =>
  [...(await graph.getState(config)).values.log].sort();

/** The state before node "a". */
async function beforeA(graph: Logging) {
  for await (const state of graph.getStateHistory(thread("1"))) if (state.next[0] === "a") return state;
  throw new Error("no such state");
}

export const deltaDifferences: readonly Difference[] = [
  {
    id: "branches-of-deltas",
    name: "a branch of a delta value, begun by an update",
    there: ["a", "in", "other"],
    here: ["in", "other"],
    async run(lg) {
      const graph = logging(lg);
      await graph.invoke({ log: "in" }, thread("1"));
      await graph.updateState((await beforeA(graph)).config, { log: "other" }, "a");
      return logOf(graph);
    },
  },
  {
    id: "branches-of-deltas",
    name: "a branch of a delta value leaves the branch that it left as it was",
    there: ["a", "b", "in", "other"],
    here: ["a", "b", "in"],
    async run(lg) {
      const graph = logging(lg);
      await graph.invoke({ log: "in" }, thread("1"));
      const { config } = await graph.getState(thread("1"));
      await graph.updateState((await beforeA(graph)).config, { log: "other" }, "a");
      return logOf(graph, config);
    },
  },
  {
    id: "branches-of-deltas",
    name: "a branch of a delta value, begun by running an old state again",
    there: ["a", "a", "in"],
    here: ["a", "in"],
    async run(lg) {
      const graph = logging(lg);
      await graph.invoke({ log: "in" }, thread("1"));
      await graph.invoke(null, { ...(await beforeA(graph)).config, interruptBefore: ["b"] });
      return logOf(graph);
    },
  },
  {
    id: "branches-of-deltas",
    name: "a first update of a delta value is kept",
    there: [],
    here: ["first"],
    async run(lg) {
      const graph = logging(lg);
      await graph.updateState(thread("1"), { log: "first" }, "a");
      return logOf(graph);
    },
  },
];
