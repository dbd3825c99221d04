import { MemorySaver } from "@langchain/langgraph-checkpoint";
import type { LangGraph } from "../engines.ts";
import type { Difference } from "../scenario.ts";
import { leaves, thread, trailState } from "./kit.ts";

/** A graph within one, which hands over to a node above it. */
function handingOver(lg: LangGraph, update: () => { trail: string[] }, store?: { checkpointer: true }) {
  const inner = new lg.StateGraph(trailState(lg))
    .addNode("hand", () => new lg.Command({ graph: lg.Command.PARENT, goto: "next", update: update() }))
    .addEdge(lg.START, "hand")
    .compile(store);
  return new lg.StateGraph(trailState(lg))
    .addNode("sub", inner, { ends: ["next"] })
    .addNode("next", leaves("next"))
    .addEdge(lg.START, "sub")
    .compile({ checkpointer: new MemorySaver() });
}

/** What the original makes of commands for the parent that differs. */
export const commandsForTheParent: readonly Difference[] = [
  {
    id: "parent-command-is-no-error",
    name: "a Command to the parent of a graph with a state of its own",
    there: [],
    here: ["handed", "next"],
    async run(lg) {
      const graph = handingOver(lg, () => ({ trail: ["handed"] }), { checkpointer: true });
      await graph.invoke({}, thread("1"));
      return (await graph.getState(thread("1"))).values.trail;
    },
  },
  {
    id: "parent-command-is-no-error",
    name: "a Command to the parent of a graph with a state of its own, which asked first",
    there: [],
    here: ["yes", "next"],
    async run(lg) {
      const graph = handingOver(lg, () => ({ trail: [String(lg.interrupt("?"))] }), { checkpointer: true });
      await graph.invoke({}, thread("1"));
      await graph.invoke(new lg.Command({ resume: "yes" }), thread("1"));
      return (await graph.getState(thread("1"))).values.trail;
    },
  },
  {
    id: "parent-command-is-no-error",
    name: "the updates of a task that was answered and leaves for the parent",
    there: ["hand", "sub", "next"],
    here: ["sub", "next"],
    async run(lg) {
      const graph = handingOver(lg, () => ({ trail: [String(lg.interrupt("?"))] }));
      await graph.invoke({}, thread("1"));
      const modes = { ...thread("1"), streamMode: "updates" as const, subgraphs: true as const };
      const nodes: string[] = [];
      for await (const [, update] of await graph.stream(new lg.Command({ resume: "yes" }), modes))
        nodes.push(...Object.keys(update));
      return nodes;
    },
  },
  {
    id: "parent-command-is-no-error",
    name: "a Command to the parent by the error handler of a node",
    there: [],
    here: ["handed", "next"],
    async run(lg) {
      const inner = new lg.StateGraph(trailState(lg))
        .addNode(
          "bad",
          (): object => {
            throw new Error("user: bad");
          },
          {
            errorHandler: () =>
              new lg.Command({ graph: lg.Command.PARENT, goto: "next", update: { trail: ["handed"] } }),
          },
        )
        .addEdge(lg.START, "bad")
        .compile();
      const graph = new lg.StateGraph(trailState(lg))
        .addNode("sub", inner, { ends: ["next"] })
        .addNode("next", leaves("next"))
        .addEdge(lg.START, "sub")
        .compile({ checkpointer: new MemorySaver() });
      await graph.invoke({}, thread("1"));
      return (await graph.getState(thread("1"))).values.trail;
    },
  },
];
