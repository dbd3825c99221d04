import { AIMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { tool, type ToolRuntime } from "@langchain/core/tools";
import { MemorySaver } from "@skein/checkpointer";
import { Command, interrupt } from "@skein/graph";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { createAgent, createMiddleware } from "../src/index.ts";
import { ScriptedModel } from "./scripted-model.ts";

const thread = { configurable: { thread_id: "1" } };
const calling = (name: string, id: string) =>
  new AIMessage({ content: "", tool_calls: [{ type: "tool_call", name, args: {}, id }] });

/** Sends every answer back. */
const never = createMiddleware({
  name: "never",
  afterModel: {
    canJumpTo: ["model"],
    hook: () => ({ messages: [new HumanMessage("Try again.")], jumpTo: "model" as const }),
  },
});

const screenshot = tool(
  (_, { toolCallId }: ToolRuntime) =>
    new Command({
      update: {
        messages: [
          new ToolMessage({ content: "Taken.", tool_call_id: toolCallId }),
          new HumanMessage("The screenshot"),
        ],
      },
    }),
  { name: "screenshot", description: "Takes a screenshot", schema: z.object({}) },
);

describe("maxIterations (E6) counts what the user asked for", () => {
  it.each([[{}], [{ checkpointer: new MemorySaver() }]])("past messages that a hook writes", async (kept) => {
    const model = new ScriptedModel(...Array.from({ length: 9 }, (_, at) => `Answer ${at}`));
    const agent = createAgent({ model, ...kept, middleware: [never], maxIterations: 3 });
    for (const sent of [3, 6]) {
      const { messages } = await agent.invoke({ messages: "Go" }, thread);
      expect(messages.some(({ text }) => text.includes("limit of 3 model calls"))).toBe(true);
      expect(model.sent).toHaveLength(sent);
    }
  });

  it("past messages that a tool writes", async () => {
    const looks = Array.from({ length: 9 }, (_, at) => calling("screenshot", `call-${at}`));
    const model = new ScriptedModel(...looks);
    const agent = createAgent({ model, tools: [screenshot], maxIterations: 3 });
    const { messages } = await agent.invoke({ messages: "Go" });
    expect(messages.at(-1)?.text).toMatch(/limit of 3 model calls/u);
    expect(model.sent).toHaveLength(3);
  });

  it("anew in an agent with a memory that a tool asks twice in one run", async () => {
    const helper = createAgent({
      model: new ScriptedModel(calling("screenshot", "a"), "One", calling("screenshot", "b"), "Two"),
      tools: [screenshot],
      checkpointer: true,
      maxIterations: 2,
    });
    const ask = tool(
      async (_, config) => (await helper.invoke({ messages: "Help" }, config)).messages.at(-1)?.text ?? "",
      { name: "ask", description: "Asks", schema: z.object({}) },
    );
    const agent = createAgent({
      model: new ScriptedModel(calling("ask", "1"), calling("ask", "2"), "Done"),
      tools: [ask],
      checkpointer: new MemorySaver(),
    });
    const { messages } = await agent.invoke({ messages: "Go" }, thread);
    expect(messages.filter(({ type }) => type === "tool").map(({ text }) => text)).toEqual(["One", "Two"]);
  });

  it.each([
    ["on in runs that are resumed", [], 3],
    ["anew in those that find a message that a tool wrote", ["The screenshot"], 6],
  ])("%s", async (_name, beside, sent) => {
    const approved = tool(
      (_: unknown, { toolCallId }: ToolRuntime) => {
        const result = new ToolMessage({ content: String(interrupt("ok?")), tool_call_id: toolCallId });
        const said = beside.map((text) => new HumanMessage(text));
        return new Command({ update: { messages: [result, ...said] } });
      },
      { name: "approved", description: "Takes a screenshot", schema: z.object({}) },
    );
    const looks = Array.from({ length: 9 }, (_, at) => calling("approved", `call-${at}`));
    const model = new ScriptedModel(...looks);
    const agent = createAgent({
      model,
      tools: [approved],
      checkpointer: new MemorySaver(),
      maxIterations: 3,
    });
    await agent.invoke({ messages: "Go" }, thread);
    for (let run = 0; run < 5; run += 1) {
      const { next } = await agent.getState(thread);
      if (next.length > 0) await agent.invoke(new Command({ resume: "yes" }), thread);
    }
    expect(model.sent).toHaveLength(sent);
  });
});
