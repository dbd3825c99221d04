import { AIMessage, HumanMessage, type BaseMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { createAgent } from "@skein/agent";
import { MemorySaver } from "@skein/checkpointer";
import { createTokenCounter } from "@skein/context";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { summarizationMiddleware } from "../src/summarization/index.ts";
import { ScriptedModel } from "./scripted-model.ts";

const thread = { configurable: { thread_id: "t" } };
const MAX = 2_000;

/** An agent that says when it compacts, among its calls of the model. */
function setup() {
  const order: string[] = [];
  const largest: number[] = [];
  const counter = createTokenCounter();
  const model = new ScriptedModel((messages) => {
    order.push("model");
    largest.push(counter.messages(messages));
    const last = messages.at(-1) as BaseMessage;
    if (last.text !== "look") return new AIMessage("Noted.");
    return new AIMessage({ content: "", tool_calls: [{ id: "c", name: "look", args: {} }] });
  });
  const look = tool(() => "what was found. ".repeat(360), {
    name: "look",
    description: "",
    schema: z.object({}),
  });
  const agent = createAgent({
    model,
    tools: [look],
    checkpointer: new MemorySaver(),
    middleware: [
      summarizationMiddleware({
        summarizer: "extractive",
        trigger: { tokens: 1_500 },
        max: { tokens: MAX },
        keep: { messages: 4 },
        onEvent: ({ type }) => {
          if (type === "compaction-end") order.push("compaction");
        },
      }),
    ],
  });
  const talk = async (turns: number) => {
    for (let turn = 0; turn < turns; turn += 1)
      await agent.invoke(
        { messages: [new HumanMessage(`Question ${turn}. ${"Some words. ".repeat(20)}`)] },
        thread,
      );
  };
  return { agent, talk, order, largest };
}

describe("tokens of a message that is added count before the model is called again (E9)", () => {
  it("a tool's result, within the turn", async () => {
    const { agent, talk, order, largest } = setup();
    await talk(4);
    order.length = 0;
    await agent.invoke({ messages: "look" }, thread);
    expect(order).toEqual(["model", "compaction", "model"]);
    expect(Math.max(...largest)).toBeLessThanOrEqual(MAX);
  });

  it("what somebody adds between two turns, with the next one", async () => {
    const { agent, talk, order, largest } = setup();
    await talk(4);
    order.length = 0;
    await agent.updateState(thread, { messages: [new AIMessage("By the way. ".repeat(400))] });
    await agent.invoke({ messages: "and now?" }, thread);
    expect(order).toEqual(["compaction", "model"]);
    expect(Math.max(...largest)).toBeLessThanOrEqual(MAX);
  });
});
