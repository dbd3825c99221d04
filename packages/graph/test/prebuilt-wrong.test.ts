import { AIMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { createReactAgent, ToolNode } from "../src/prebuilt.ts";

describe("createReactAgent says what is wrong when it is called", () => {
  it.each([
    ["no model", { llm: undefined, tools: [] }, "llm of createReactAgent"],
    ["a model's name", { llm: "gpt", tools: [] }, "llm of createReactAgent"],
    ["a version that there is not", { llm: {}, tools: [], version: "v3" }, '"v1" or "v2"'],
    ["tools that are none", { llm: {}, tools: "add" }, "tools as a list"],
  ])("%s", (_what, params, message) => {
    expect(() => createReactAgent(params as never)).toThrow(
      expect.objectContaining({
        code: "INVALID_CONFIGURATION",
        message: expect.stringMatching(message) as string,
      }) as Error,
    );
  });

  it("a function that chooses no model is told from a model that fails", async () => {
    const agent = createReactAgent({ llm: (() => undefined) as never, tools: [] });
    await expect(agent.invoke({ messages: [] })).rejects.toMatchObject({ code: "INVALID_CONFIGURATION" });
  });
});

it("a ToolNode with a signal that is aborted already ends: LangChain's tools wait for the event", async () => {
  const answer = tool(async () => "answer", { name: "answer", description: "x", schema: z.object({}) });
  const asking = new AIMessage({ content: "", tool_calls: [{ name: "answer", args: {}, id: "1" }] });
  const node = new ToolNode([answer]);
  const signal = AbortSignal.abort();
  await expect(node.invoke({ messages: [asking] }, { signal })).rejects.toMatchObject({ name: "AbortError" });
});
