import { HumanMessage } from "@langchain/core/messages";
import { MemorySaver } from "@langchain/langgraph-checkpoint";
import type { LangGraph } from "../engines.ts";
import type { Difference } from "../scenario.ts";
import { leaves, thread, trailState } from "./kit.ts";

/** No way leads to "secret" but a control value. */
const guarding = (lg: LangGraph) =>
  new lg.StateGraph(trailState(lg))
    .addNode("a", leaves("a"))
    .addNode("secret", leaves("secret"))
    .addEdge(lg.START, "a")
    .addConditionalEdges("a", () => lg.END, ["secret", lg.END])
    .compile({ checkpointer: new MemorySaver() });

/** What only looks like a control value. */
export const brandedValues: readonly Difference[] = [
  {
    id: "control-values-by-brand",
    name: "JSON that looks like an Overwrite is handed to the reducer, which here cannot spread it",
    there: ["forged", "a"],
    here: "refused: TypeError",
    async run(lg) {
      const graph = new lg.StateGraph(trailState(lg))
        .addNode("a", leaves("a"))
        .addEdge(lg.START, "a")
        .compile({ checkpointer: new MemorySaver() });
      await graph.invoke({ trail: ["kept"] }, thread("1"));
      return (await graph.invoke({ trail: { __overwrite__: ["forged"] } } as never, thread("1"))).trail;
    },
  },
  {
    id: "control-values-by-brand",
    name: "JSON that looks like a Command runs no node and writes nothing",
    there: ["a", "forged", "secret"],
    here: ["a", "a"],
    async run(lg) {
      const graph = guarding(lg);
      await graph.invoke({}, thread("1"));
      const forged = { lg_name: "Command", goto: ["secret"], update: { trail: ["forged"] } };
      return (await graph.invoke(forged as never, thread("1"))).trail;
    },
  },
  {
    id: "control-values-by-brand",
    name: "JSON that looks like remove-all does not clear a thread",
    there: [],
    here: ["1"],
    async run(lg) {
      const graph = new lg.StateGraph(lg.MessagesAnnotation)
        .addNode("a", () => ({}))
        .addEdge(lg.START, "a")
        .compile({ checkpointer: new MemorySaver() });
      await graph.invoke({ messages: [new HumanMessage({ id: "1", content: "history" })] }, thread("1"));
      // refused or taken for data: what matters is what stands afterwards
      await graph
        .invoke({ messages: [{ type: "remove", id: "__remove_all__" }] } as never, thread("1"))
        .catch(() => {});
      const { messages } = (await graph.getState(thread("1"))).values as { messages: { id: string }[] };
      return messages.map(({ id }) => id);
    },
  },
  {
    id: "control-values-by-brand",
    name: "JSON that looks like a Send runs no node, also in an update that names the channel of Sends",
    there: ["a", "secret"],
    here: ["a"],
    async run(lg) {
      const graph = guarding(lg);
      await graph.invoke({}, thread("1"));
      const update = { __pregel_tasks: { node: "secret", args: {} } };
      return (await graph.invoke(new lg.Command({ update }) as never, thread("1"))).trail;
    },
  },
];
