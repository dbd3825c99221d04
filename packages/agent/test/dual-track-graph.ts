import { AIMessage, HumanMessage, SystemMessage, type BaseMessage } from "@langchain/core/messages";
import { Command, END, START, StateGraph, StateSchema, type BaseCheckpointSaver } from "@skein/graph";
import { z } from "zod";
import { dualTrackMessages } from "../src/index.ts";

export const State = new StateSchema({ ...dualTrackMessages(), topic: z.string().optional() });
export type Update = typeof State.Update;
export type Values = { messages: BaseMessage[]; full_messages: BaseMessage[] };

export const thread = { configurable: { thread_id: "t" } };
export const human = (id: string, text = id): HumanMessage => new HumanMessage({ id, content: text });
export const ai = (id: string, text = id): AIMessage => new AIMessage({ id, content: text });
export const summary = (id = "s"): SystemMessage => new SystemMessage({ id, content: "summary" });
export const markedSummary = (id = "s"): HumanMessage =>
  new HumanMessage({ id, content: "summary", additional_kwargs: { lc_source: "summarization" } });

/** A graph whose only node returns what the test says. */
export function oneNode(checkpointer: BaseCheckpointSaver) {
  let next: Update | Command | (Update | Command)[] = {};
  const graph = new StateGraph(State)
    .addNode("node", () => next)
    .addEdge(START, "node")
    .addEdge("node", END)
    .compile({ checkpointer });
  return {
    graph,
    run: async (input: Update, returns: Update | Command | (Update | Command)[] = {}) => {
      next = returns;
      await graph.invoke(input, thread);
    },
    tracks: async (): Promise<Values> => (await graph.getState(thread)).values as unknown as Values,
  };
}
