import type { RunnableConfig } from "@langchain/core/runnables";
import { InMemoryCache, MemorySaver } from "@langchain/langgraph-checkpoint";
import { z } from "zod";
import type { LangGraph } from "../engines.ts";
import type { Difference } from "../scenario.ts";
import { deltaState, thread } from "./kit.ts";

function logging(lg: LangGraph, checkpointer = new MemorySaver()) {
  return new lg.StateGraph(deltaState(lg))
    .addNode("a", () => ({ log: "a" }))
    .addNode("b", () => ({ log: "b" }))
    .addEdge(lg.START, "a")
    .addEdge("a", "b")
    .compile({ checkpointer });
}

/** Fails once to store what "b" wrote. */
class Failing extends MemorySaver {
  #fails = true;
  override async putWrites(...args: Parameters<MemorySaver["putWrites"]>): Promise<void> {
    if (!this.#fails || !args[1].some(([, value]) => value === "b")) return super.putWrites(...args);
    this.#fails = false;
    throw new Error("user: not stored");
  }
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
  ...[null, { update: { log: "told" } }].map((again): Difference => {
    const how = again === null ? "it is run again" : "a command goes on from it";
    return {
      id: "branches-of-deltas",
      name: `what follows an edited state is as it was when ${how}`,
      there:
        again === null
          ? ["a", "a", "b", "b", "b", "edit", "in", "more"]
          : ["a", "a", "b", "b", "edit", "in", "more", "told"],
      here: ["a", "a", "b", "b", "edit", "in", "more"],
      async run(lg) {
        const graph = logging(lg);
        await graph.invoke({ log: "in" }, thread("1"));
        const edited = await graph.updateState(thread("1"), { log: "edit" }, "a");
        await graph.invoke({ log: "more" }, thread("1"));
        const { config } = await graph.getState(thread("1"));
        await graph.invoke(again === null ? null : new lg.Command(again), edited);
        return logOf(graph, config);
      },
    };
  }),
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
  {
    id: "branches-of-deltas",
    name: "a branch of a delta value, begun by an input in durability exit",
    there: ["a", "a", "a", "a", "b", "b", "b", "b", "one", "three", "two"],
    here: ["a", "a", "b", "b", "one", "three"],
    async run(lg) {
      const graph = logging(lg);
      const exit = { durability: "exit" as const };
      await graph.invoke({ log: "one" }, { ...thread("1"), ...exit });
      const { config } = await graph.getState(thread("1"));
      await graph.invoke({ log: "two" }, { ...thread("1"), ...exit });
      await graph.invoke({ log: "three" }, { ...config, ...exit });
      return logOf(graph);
    },
  },
  {
    id: "branches-of-deltas",
    name: "what a task wrote to a delta value, whose step was given up in durability exit",
    there: ["done", "done", "done", "in", "new"],
    // what the new step's task wrote is shown, too
    here: ["done", "in", "new"],
    async run(lg) {
      const graph = new lg.StateGraph(deltaState(lg))
        .addNode("done", () => ({ log: "done" }))
        .addNode("ask", () => ({ log: lg.interrupt("?") as string }))
        .addEdge(lg.START, "done")
        .addEdge(lg.START, "ask")
        .compile({ checkpointer: new MemorySaver() });
      const config = { ...thread("1"), durability: "exit" as const };
      await graph.invoke({ log: "in" }, config);
      await graph.invoke({ log: "new" }, config);
      return [...(await graph.getState(thread("1"))).values.log].sort();
    },
  },
  {
    id: "branches-of-deltas",
    name: "a question that is answered at an older checkpoint, after an update has answered for its node",
    there: ["a!", "b", "in", "upd"],
    here: ["a!", "b", "in"],
    async run(lg) {
      const graph = new lg.StateGraph(deltaState(lg))
        .addNode("a", () => ({ log: `a${String(lg.interrupt("?"))}` }))
        .addNode("b", () => ({ log: "b" }))
        .addEdge(lg.START, "a")
        .addEdge("a", "b")
        .compile({ checkpointer: new MemorySaver() });
      await graph.invoke({ log: "in" }, thread("1"));
      const { config } = await graph.getState(thread("1"));
      await graph.updateState(thread("1"), { log: "upd" }, "a");
      await graph.invoke(new lg.Command({ resume: "!" }), config);
      return logOf(graph);
    },
  },
  {
    id: "branches-of-deltas",
    name: "what a finished task wrote to a delta value that is cleared later, in durability exit",
    there: ["a", "end"],
    here: ["end"],
    async run(lg) {
      const clearing = new lg.StateSchema({
        log: new lg.DeltaValue(
          z.array(z.string()).default(() => []),
          {
            inputSchema: z.string(),
            reducer: (log: string[], some: string[]) =>
              some.reduce<string[]>((all, one) => (one === "end" ? [one] : [...all, one]), log),
          },
        ),
      });
      const graph = new lg.StateGraph(clearing)
        .addNode("a", () => ({ log: "a" }))
        .addNode("ask", () => ({ log: lg.interrupt("?") as string }))
        .addNode("clear", () => ({ log: "end" }))
        .addEdge(lg.START, "a")
        .addEdge(lg.START, "ask")
        .addEdge(["a", "ask"], "clear")
        .compile({ checkpointer: new MemorySaver() });
      await graph.invoke({ log: "in" }, thread("1"));
      await graph.invoke(new lg.Command({ resume: "!" }), { ...thread("1"), durability: "exit" as const });
      return logOf(graph as never);
    },
  },
  {
    id: "branches-of-deltas",
    name: "a cached result of a node that writes a delta value",
    there: ["in"],
    here: ["cached", "in"],
    async run(lg) {
      const graph = new lg.StateGraph(deltaState(lg))
        .addNode("a", () => ({ log: "cached" }), { cachePolicy: { keyFunc: () => "same" } })
        .addEdge(lg.START, "a")
        .compile({ checkpointer: new MemorySaver(), cache: new InMemoryCache() });
      for (const id of ["0", "1"]) await graph.invoke({ log: "in" }, thread(id));
      return [...(await graph.getState(thread("1"))).values.log].sort();
    },
  },
  {
    id: "branches-of-deltas",
    name: "what a saver failed to store of a delta value, when the thread goes on",
    there: ["a", "in"],
    here: ["a", "b", "in"],
    async run(lg) {
      const graph = logging(lg, new Failing());
      const config = { ...thread("1"), durability: "sync" as const };
      await graph.invoke({ log: "in" }, config).catch(() => {});
      await graph.invoke(null, config);
      return logOf(graph);
    },
  },
];
