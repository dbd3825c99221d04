import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { MemorySaver } from "@skein/checkpointer";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { createAgent } from "../src/index.ts";
import { ScriptedModel } from "./scripted-model.ts";

const thread = { configurable: { thread_id: "1" } };
const look = tool(() => "seen", { name: "look", description: "Looks", schema: z.object({}) });

const texts = (messages: readonly BaseMessage[]): string[] =>
  messages.map(({ type, text }) => `${type} ${text}`);

function setup(...replies: AIMessage[]) {
  const model = new ScriptedModel(...replies);
  return { model, agent: createAgent({ model, tools: [look], checkpointer: new MemorySaver() }) };
}

describe("replies with ids that the thread has", () => {
  it("are replies of their own", async () => {
    const { agent, model } = setup(
      new AIMessage({ id: "chatcmpl-1", content: "One" }),
      new AIMessage({ id: "chatcmpl-2", content: "", tool_calls: [{ name: "look", args: {}, id: "a" }] }),
      new AIMessage({ id: "chatcmpl-1", content: "Two" }),
    );
    await agent.invoke({ messages: "Hello" }, thread);
    const { messages } = await agent.invoke({ messages: "Look" }, thread);
    expect(texts(messages)).toEqual(["human Hello", "ai One", "human Look", "ai ", "tool seen", "ai Two"]);
    expect(texts((await agent.history(thread)).messages)).toEqual(texts(messages));
    expect(model.sent).toHaveLength(3);
    expect(new Set(messages.map(({ id }) => id)).size).toBe(6);
    expect([messages[1]?.id, messages[3]?.id]).toEqual(["chatcmpl-1", "chatcmpl-2"]);
  });

  it("so are those of a model that returns one object again and again", async () => {
    const same = new AIMessage("As I said.");
    const { agent } = setup(same, same);
    await agent.invoke({ messages: "Hello" }, thread);
    const { messages } = await agent.invoke({ messages: "And?" }, thread);
    expect(texts(messages)).toEqual(["human Hello", "ai As I said.", "human And?", "ai As I said."]);
  });
});
