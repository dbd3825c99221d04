import {
  AIMessage,
  HumanMessage,
  SystemMessage,
  ToolMessage,
  type BaseMessage,
} from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { getConfig, InMemoryStore } from "@skein/graph";
import { MemorySaver } from "@skein/checkpointer";
import { describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { add } from "./adding-tool.ts";
import { createAgent, createMiddleware } from "../src/index.ts";
import { calls, ScriptedModel } from "./scripted-model.ts";

const thread = { configurable: { thread_id: "t" } };
const texts = (messages: readonly BaseMessage[]): string[] => messages.map((message) => message.text);

/** A reply with a call that ended for a reason. */
const cut = (reason: string): AIMessage => {
  const reply = calls(["add", { a: 1, b: 1 }, "c"]);
  reply.response_metadata = { finish_reason: reason };
  return reply;
};

describe("createAgent", () => {
  it("calls tools until the model has a final answer (E1)", async () => {
    const model = new ScriptedModel(
      calls(["add", { a: 1, b: 2 }, "x"]),
      calls(["add", { a: 3, b: 4 }, "y"]),
      "10",
    );
    const agent = createAgent({ model, tools: [add] });
    const { messages } = await agent.invoke({ messages: "What is 1+2+3+4?" });
    expect(texts(messages)).toEqual(["What is 1+2+3+4?", "", "3", "", "7", "10"]);
    expect(model.sent).toHaveLength(3);
    expect(texts(model.sent[2] ?? [])).toEqual(["What is 1+2+3+4?", "", "3", "", "7"]);
  });

  it("gives a chat model no members of the engine as options of its provider; what it calls finds them all the same", async () => {
    const seen: unknown[] = [];
    class Watching extends ScriptedModel {
      override async _generate(...given: Parameters<ScriptedModel["_generate"]>) {
        const [, options] = given as unknown as [unknown, object];
        const { writer, store, configurable } = getConfig();
        seen.push(Object.keys(options).toSorted(), typeof writer, store, configurable?.["thread_id"]);
        return super._generate(...given);
      }
    }
    const store = new InMemoryStore();
    const agent = createAgent({ model: new Watching("done"), tools: [add], store });
    await agent.invoke({ messages: "Hello" }, thread);
    expect(seen).toEqual([["promptIndex", "signal"], "function", store, "t"]);
  });

  it("the system prompt is sent first, is in neither track, and an empty one is none (B5)", async () => {
    const model = new ScriptedModel("a", "b", "c");
    const saver = new MemorySaver();
    const agent = createAgent({ model, systemPrompt: "Be brief.", checkpointer: saver });
    await agent.invoke({ messages: "one" }, thread);
    const { values } = await agent.getState(thread);
    expect(texts(model.sent[0] ?? [])).toEqual(["Be brief.", "one"]);
    expect(texts(values.messages)).toEqual(["one", "a"]);
    expect(texts(values.full_messages)).toEqual(["one", "a"]);
    await createAgent({ model, systemPrompt: "" }).invoke({ messages: "two" });
    expect(texts(model.sent[1] ?? [])).toEqual(["two"]);
    await createAgent({ model, systemPrompt: new SystemMessage("As a message.") }).invoke({
      messages: "three",
    });
    expect(texts(model.sent[2] ?? [])).toEqual(["As a message.", "three"]);
  });

  it("returnDirect ends the run with the result; together with others, or failing, it does not", async () => {
    const direct = tool(
      ({ fail }: { fail?: boolean | undefined }) => {
        if (fail === true) throw new Error("no");
        return "direct";
      },
      {
        name: "direct",
        description: "Answers",
        schema: z.object({ fail: z.boolean().optional() }),
        returnDirect: true,
      },
    );
    const run = async (...script: ConstructorParameters<typeof ScriptedModel>) => {
      const model = new ScriptedModel(...script);
      const { messages } = await createAgent({ model, tools: [direct, add] }).invoke({ messages: "go" });
      return { last: messages.at(-1)?.text, calls: model.sent.length };
    };
    expect(await run(calls(["direct"]))).toEqual({ last: "direct", calls: 1 });
    expect(await run(calls(["direct"], ["direct"]))).toEqual({ last: "direct", calls: 1 });
    expect(await run(calls(["direct"], ["add", { a: 1, b: 1 }]), "answer")).toEqual({
      last: "answer",
      calls: 2,
    });
    expect(await run(calls(["direct", { fail: true }]), "answer")).toEqual({ last: "answer", calls: 2 });
    expect(await run(calls(["direct"], ["direct", { fail: true }]), "answer")).toEqual({
      last: "answer",
      calls: 2,
    });
  });

  it("after a direct answer the next turn calls the model again", async () => {
    const direct = tool(() => "direct", {
      name: "direct",
      description: "Answers",
      schema: z.object({}),
      returnDirect: true,
    });
    const model = new ScriptedModel(calls(["direct"]), "second");
    const agent = createAgent({ model, tools: [direct], checkpointer: new MemorySaver() });
    await agent.invoke({ messages: "one" }, thread);
    const { messages } = await agent.invoke({ messages: "two" }, thread);
    expect(messages.at(-1)?.text).toBe("second");
  });

  it("ends on its own words when it was cut off, even with calls; on stop it runs them (E6)", async () => {
    for (const [reason, sent] of [
      ["length", 1],
      ["content_filter", 1],
      ["stop", 2],
      ["tool_calls", 2],
      ["unknown", 2],
    ] as const) {
      const model = new ScriptedModel(cut(reason), "done");
      await createAgent({ model, tools: [add] }).invoke({ messages: "go" });
      expect([reason, model.sent.length]).toEqual([reason, sent]);
    }
  });

  it("maxIterations ends a run with a message, counts anew for every user message, and leaves no call open (E6)", async () => {
    const loop = calls(["add", { a: 1, b: 1 }]);
    const model = new ScriptedModel(loop, calls(["add", { a: 2, b: 2 }]), "fine");
    const agent = createAgent({ model, tools: [add], maxIterations: 2, checkpointer: new MemorySaver() });
    const first = await agent.invoke({ messages: "go" }, thread);
    expect(first.messages.at(-1)?.text).toMatch(/limit of 2 model calls/u);
    expect(Object.keys(first)).toEqual(["messages"]);
    const second = await agent.invoke({ messages: "again" }, thread);
    expect(second.messages.at(-1)?.text).toBe("fine");
    expect(model.sent).toHaveLength(3);
  });

  it("sends only what a provider accepts, whatever a crash left in the thread (C4)", async () => {
    const model = new ScriptedModel("ok");
    const agent = createAgent({ model, tools: [add] });
    const dangling = calls(["add", { a: 1, b: 1 }, "d"], ["add", { a: 2, b: 2 }, "e"]);
    const orphan = new ToolMessage({ content: "lost", tool_call_id: "nobody" });
    const answered = new ToolMessage({ content: "4", tool_call_id: "e" });
    const { messages } = await agent.invoke({
      messages: [orphan, dangling, answered, new HumanMessage("and?")],
    });
    expect(model.sent[0]?.map((message) => message.getType())).toEqual(["ai", "tool", "tool", "human"]);
    // a view only: the thread keeps what happened
    expect(messages.map((message) => message.getType())).toEqual(["tool", "ai", "tool", "human", "ai"]);
  });

  it("an error of the model is the caller's, as the same object", async () => {
    const error = new Error("overloaded");
    await expect(createAgent({ model: new ScriptedModel(error) }).invoke({ messages: "go" })).rejects.toBe(
      error,
    );
  });

  it("streams tokens of the model and of every step", async () => {
    const model = new ScriptedModel(calls(["add", { a: 1, b: 2 }]), "the sum is three");
    const agent = createAgent({ model, tools: [add] });
    const tokens: string[] = [];
    for await (const chunk of await agent.stream({ messages: "go" }, { streamMode: "messages" })) {
      const [message, metadata] = chunk as unknown as [BaseMessage, { langgraph_node: string }];
      if (metadata.langgraph_node === "model_request" && message.text !== "") tokens.push(message.text);
    }
    expect(tokens.map((token) => token.trim())).toEqual(["the", "sum", "is", "three"]);
  });

  it("stores what was streamed as one message, no chunk", async () => {
    const model = new ScriptedModel(calls(["add", { a: 1, b: 2 }]), "the sum is three");
    const agent = createAgent({ model, tools: [add], checkpointer: new MemorySaver() });
    for await (const _ of await agent.stream({ messages: "go" }, { ...thread, streamMode: "messages" }))
      void _;
    const { values } = await agent.getState(thread);
    const messages = values.full_messages;
    expect(texts(messages)).toEqual(["go", "", "3", "the sum is three"]);
    expect(messages.some((message) => message.constructor.name.endsWith("Chunk"))).toBe(false);
  });

  it("shows updates under LangChain's node names", async () => {
    const model = new ScriptedModel(calls(["add", { a: 1, b: 2 }]), "3");
    const nodes: string[] = [];
    const agent = createAgent({
      model,
      tools: [add],
      middleware: [createMiddleware({ name: "m", beforeModel: () => undefined })],
    });
    for await (const chunk of await agent.stream({ messages: "go" }))
      nodes.push(...Object.keys(chunk as object));
    expect(nodes).toEqual(["m.before_model", "model_request", "tools", "m.before_model", "model_request"]);
  });

  it("is drawn as a PNG by the service that LangChain's asks", async () => {
    const asked = vi.fn<(url: string) => Promise<Response>>(
      async () => new Response(new Uint8Array([137, 80, 78, 71])),
    );
    vi.stubGlobal("fetch", asked);
    try {
      const png = await createAgent({ model: new ScriptedModel() }).drawMermaidPng();
      expect([...png]).toEqual([137, 80, 78, 71]);
      expect(asked.mock.calls[0]?.[0]).toMatch(/^https:\/\/mermaid\.ink\/img\//);
    } finally {
      vi.unstubAllGlobals();
    }
  });

  it("pages through the complete history", async () => {
    const agent = createAgent({ model: new ScriptedModel("a", "b"), checkpointer: new MemorySaver() });
    await agent.invoke({ messages: "1" }, thread);
    await agent.invoke({ messages: "2" }, thread);
    const last = await agent.history(thread, { limit: 3 });
    expect(texts(last.messages)).toEqual(["a", "2", "b"]);
    const first = await agent.history(thread, { limit: 3, before: last.before });
    expect([texts(first.messages), first.before]).toEqual([["1"], undefined]);
  });
});
