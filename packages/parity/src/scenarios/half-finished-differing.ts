import { MemorySaver } from "@langchain/langgraph-checkpoint";
import type { Difference } from "../scenario.ts";
import { leaves, thread, trailState } from "./kit.ts";

/** What becomes of a finished task when the state is edited while a task beside it waits. */
export const halfFinished: readonly Difference[] = [
  {
    id: "update-of-a-half-finished-step",
    name: "a deferred node to which a finished task leads runs after what the update leads to",
    there: [["after"], ["done", "update", "after"]],
    here: [["after"], ["done", "update", "after", "late"]],
    async run(lg) {
      const graph = new lg.StateGraph(trailState(lg))
        .addNode("asks", () => ({ trail: [String(lg.interrupt("well?"))] }))
        .addNode("done", leaves("done"))
        .addNode("after", leaves("after"))
        .addNode("late", leaves("late"), { defer: true })
        .addEdge(lg.START, "asks")
        .addEdge(lg.START, "done")
        .addEdge("asks", "after")
        .addEdge("done", "late")
        .compile({ checkpointer: new MemorySaver() });
      await graph.invoke({}, thread("1"));
      await graph.updateState(thread("1"), { trail: ["update"] }, "asks");
      const { next } = await graph.getState(thread("1"));
      return [next, (await graph.invoke(null, thread("1"))).trail];
    },
  },
  {
    id: "update-of-a-half-finished-step",
    name: "a task that has taken the first of two answers is still to run after an update",
    there: [["after"], null],
    here: [["asks"], ["first?"]],
    async run(lg) {
      const graph = new lg.StateGraph(trailState(lg))
        .addNode("asks", () => ({ trail: [`${lg.interrupt("first?")} ${lg.interrupt("second?")}`] }))
        .addNode("after", leaves("after"))
        .addEdge(lg.START, "asks")
        .addEdge("asks", "after")
        .compile({ checkpointer: new MemorySaver() });
      await graph.invoke({}, thread("1"));
      await graph.invoke(new lg.Command({ resume: "one" }), thread("1"));
      await graph.updateState(thread("1"), { trail: ["update"] });
      const { next } = await graph.getState(thread("1"));
      const output = await graph.invoke(null, thread("1"));
      return [next, lg.isInterrupted(output) ? output.__interrupt__.map(({ value }) => value) : null];
    },
  },
];
