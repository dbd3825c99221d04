import { FakeListChatModel } from "@langchain/core/utils/testing";
import { tool } from "@langchain/core/tools";
import type { RunnableConfig } from "@langchain/core/runnables";
import { MemorySaver } from "@skein/checkpointer";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { createAgent, createMiddleware } from "../src/index.ts";
import { calls, ScriptedModel } from "./scripted-model.ts";

const thread = { configurable: { thread_id: "t" } };
const schema = z.object({});

describe("a run that is stopped while another agent works for it", () => {
  it.each(["beforeModel", "wrapModelCall"] as const)(
    "takes no part of what that one said for its own reply: asked by %s",
    async (hook) => {
      const thinking = new FakeListChatModel({ responses: ["secret thoughts"], sleep: 5 });
      const guard = createAgent({ name: "guard", model: thinking });
      const middleware = createMiddleware({
        name: "guarded",
        beforeModel: async () => {
          if (hook === "beforeModel") await guard.invoke({ messages: "May it?" });
        },
        wrapModelCall: async (request, handler) => {
          if (hook === "wrapModelCall") await guard.invoke({ messages: "May it?" });
          return handler(request);
        },
      });
      const model = new ScriptedModel("hello");
      const agent = createAgent({ model, middleware: [middleware], checkpointer: new MemorySaver() });
      const stop = new AbortController();
      const options = { ...thread, streamMode: "messages" as const, signal: stop.signal };
      const heard: string[] = [];
      const run = async () => {
        for await (const [{ text }] of await agent.stream({ messages: "go" }, options))
          if (heard.push(text) === 5) stop.abort();
      };
      await expect(run()).rejects.toThrow(/abort/iu);
      expect(heard.join("")).toBe("secre");
      const { messages } = (await agent.getState(thread)).values;
      expect(messages.map(({ text }) => text)).toEqual(["go"]);
    },
  );

  it.each(["v1", "v2"] as const)("keeps the results of its own calls: version %s", async (version) => {
    const stop = new AbortController();
    const hang = tool(() => new Promise<string>(() => setTimeout(() => stop.abort(), 5)), {
      name: "hang",
      description: "",
      schema,
    });
    const helper = createAgent({ model: new ScriptedModel(calls(["hang"])), tools: [hang], version });
    const ask = tool(
      async (_args, config: RunnableConfig) => {
        await helper.invoke({ messages: "Help" }, config as never);
        return "helped";
      },
      { name: "ask", description: "", schema },
    );
    const charge = tool(() => "charged", { name: "charge", description: "", schema });
    const model = new ScriptedModel(calls(["charge", {}, "1"], ["ask", {}, "2"]));
    const checkpointer = new MemorySaver();
    const agent = createAgent({ model, tools: [ask, charge], version, checkpointer });
    const run = agent.invoke({ messages: "go" }, { ...thread, signal: stop.signal });
    await expect(run).rejects.toThrow(/abort/iu);
    const { messages } = (await agent.getState(thread)).values;
    const told = messages.slice(2).map(({ text }) => text.split(":")[0]);
    expect(told.toSorted()).toEqual(["Cancelled", "charged"]);
  });
});
