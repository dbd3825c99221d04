import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { MemorySaver } from "@langchain/langgraph-checkpoint";
import type { Difference } from "../scenario.ts";
import { thread } from "./kit.ts";

/** What becomes of a list of messages that a node edits instead of returning what it changed. */
export const editedInPlace: readonly Difference[] = [
  {
    id: "ids-of-edited-lists",
    name: "a message without an id, put into the node's own list, stays without one",
    there: ["put in", "string"],
    here: ["put in", "undefined"],
    async run(lg) {
      const graph = new lg.StateGraph(lg.MessagesAnnotation)
        .addNode("edit", ({ messages }) => {
          messages[0] = new HumanMessage("put in");
          return { messages: [new AIMessage({ id: "a", content: "answer" })] };
        })
        .addEdge(lg.START, "edit")
        .compile({ checkpointer: new MemorySaver() });
      const said = ["one", "two"].map((content) => new HumanMessage({ id: content, content }));
      await graph.invoke({ messages: said }, thread("1"));
      const [first] = (await graph.getState(thread("1"))).values.messages as HumanMessage[];
      return [first?.text, typeof first?.id];
    },
  },
];
