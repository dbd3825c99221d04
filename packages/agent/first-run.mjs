// What `scripts/compile-early.mjs` runs: an agent calls a tool, and its history is read.
import { AIMessage } from "@langchain/core/messages";
import { fakeModel } from "@langchain/core/testing";
import { MemorySaver } from "@skein/checkpointer";
import { z } from "zod";

export const entries = ["index.js"];
export const files = /^index\.js$/;

export async function firstRun([{ createAgent, tool }]) {
  const find = tool(({ order }) => `Order ${order} left the warehouse.`, {
    name: "find",
    description: "Tells where an order is",
    schema: z.object({ order: z.string() }),
  });
  const model = fakeModel()
    .respondWithTools([{ name: "find", args: { order: "O1" }, id: "1" }])
    .respond(new AIMessage("It is on its way."));
  const agent = createAgent({ model, tools: [find], checkpointer: new MemorySaver() });
  const thread = { configurable: { thread_id: "thread" } };
  await agent.invoke({ messages: "Where is order O1?" }, thread);
  const { messages } = await agent.history(thread);
  if (messages.length !== 4) throw new Error(`the first run left ${messages.length} messages instead of 4`);
}
