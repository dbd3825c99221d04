// What `scripts/compile-early.mjs` runs: a graph and an agent whose contexts are summarised.
import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { fakeModel } from "@langchain/core/testing";
import { createAgent, dualTrackMessages } from "@skein/agent";
import { MemorySaver } from "@skein/checkpointer";
import { END, START, StateGraph, StateSchema } from "@skein/graph";

export const entries = ["summarization/index.js"];
/** Those that the entry shares with the others. */
export const files = /^[\w-]+\.js$/;

const options = { trigger: { messages: 6 }, keep: { messages: 2 }, summarizer: "extractive" };
const QUESTIONS = ["one?", "two?", "three?", "four?", "five?"];

async function ask(runs) {
  for (const question of QUESTIONS) {
    const thread = { configurable: { thread_id: "thread" } };
    const { messages } = await runs.invoke({ messages: [new HumanMessage(question)] }, thread);
    if (messages.length > 8) throw new Error("the first run summarised nothing");
  }
}

export async function firstRun([{ summarizationMiddleware, summarizationNode, summaryFields }]) {
  const schema = new StateSchema({ ...dualTrackMessages(), ...summaryFields });
  const graph = new StateGraph(schema)
    .addNode("compact", summarizationNode(options))
    .addNode("model", () => ({ messages: [new AIMessage("It is so.")] }))
    .addEdge(START, "compact")
    .addEdge("compact", "model")
    .addEdge("model", END)
    .compile({ checkpointer: new MemorySaver() });
  await ask(graph);
  const model = fakeModel();
  for (const _ of QUESTIONS) model.respond(new AIMessage("It is so."));
  const middleware = [summarizationMiddleware(options)];
  await ask(createAgent({ model, middleware, checkpointer: new MemorySaver() }));
}
