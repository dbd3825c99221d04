import { AIMessage, AIMessageChunk, ToolMessage, type BaseMessage } from "@langchain/core/messages";
import { ChatGenerationChunk } from "@langchain/core/outputs";
import { tool } from "@langchain/core/tools";
import { MemorySaver } from "@skein/checkpointer";
import { Command } from "@skein/graph";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { compactMessages, createAgent, createMiddleware, isPartial } from "../src/index.ts";
import { SAVERS } from "./savers.ts";
import { calls, ScriptedModel } from "./scripted-model.ts";

const newThread = () => ({ configurable: { thread_id: crypto.randomUUID() } });
const texts = (messages: readonly BaseMessage[]): string[] => messages.map(({ text }) => text.trim());

/** Says its lines in tokens that have the ids of the lines, as providers do. */
class Provider extends ScriptedModel {
  override async *_streamResponseChunks(
    ...[messages, , run]: Parameters<ScriptedModel["_streamResponseChunks"]>
  ) {
    const line = this.script[this.sent.length] as AIMessage;
    this.sent.push([...messages]);
    for (const token of line.text.match(/\S+\s*/g) ?? []) {
      const message = new AIMessageChunk({
        content: token,
        ...(line.id === undefined ? {} : { id: line.id }),
      });
      const chunk = new ChatGenerationChunk({ text: token, message });
      yield chunk;
      await run?.handleLLMNewToken(token, undefined, undefined, undefined, undefined, { chunk });
    }
  }
}

/** Takes all but the last message out of the context before every call of the model. */
const forgetful = createMiddleware({
  name: "forgetful",
  beforeModel: ({ messages }) => {
    const remove = messages.slice(0, -1).map(({ id }) => id as string);
    return remove.length === 0 ? undefined : { messages: compactMessages({ remove }) };
  },
});

describe.each(SAVERS)("a reply with the id of one that the context does not show (%s)", (_, make) => {
  it.each(["invoke", "messages", "v3"] as const)("is one of its own (%s)", async (how) => {
    const replies = Array.from(
      { length: 6 },
      (_line, n) => new AIMessage({ id: `chatcmpl-${n % 2}`, content: `Reply ${n}` }),
    );
    const agent = createAgent({
      model: new Provider(...replies),
      tools: [],
      middleware: [forgetful],
      checkpointer: make(),
    });
    const thread = newThread();
    for (let turn = 0; turn < replies.length; turn += 1) {
      const input = { messages: `Question ${turn}` };
      if (how === "invoke") await agent.invoke(input, thread);
      else if (how === "v3") await (await agent.streamEvents(input, { ...thread, version: "v3" })).output;
      else for await (const _chunk of await agent.stream(input, { ...thread, streamMode: "messages" }));
    }
    const { messages } = await agent.history(thread);
    expect(texts(messages)).toEqual(replies.flatMap((_reply, n) => [`Question ${n}`, `Reply ${n}`]));
    expect(new Set(messages.map(({ id }) => id)).size).toBe(12);
    expect(messages[1]?.id).toBe("chatcmpl-0");
  });
});

const twice = () => [
  new AIMessage({ id: "chatcmpl-7", content: "The first reply" }),
  new AIMessage({ id: "chatcmpl-7", content: "Half of the second" }),
];

/** An agent that has given the first reply, and its thread. */
async function afterOne(model: ScriptedModel, middleware: readonly (typeof forgetful)[]) {
  const agent = createAgent({ model, tools: [], middleware, checkpointer: new MemorySaver() });
  const thread = newThread();
  await agent.invoke({ messages: "one" }, thread);
  return { agent, thread };
}

describe("a reply with an id that its thread has", () => {
  const CONTEXTS = [
    ["shown", []],
    ["compacted away", [forgetful]],
  ] as const;

  it.each(CONTEXTS)("is streamed once, by the id that it is kept under (%s)", async (_, middleware) => {
    const { agent, thread } = await afterOne(new Provider(...twice()), middleware);
    const seen: BaseMessage[] = [];
    for await (const chunk of await agent.stream({ messages: "two" }, { ...thread, streamMode: "messages" }))
      seen.push((chunk as unknown as [BaseMessage])[0]);
    const { messages } = await agent.history(thread);
    expect(texts(seen)).toEqual(["Half", "of", "the", "second"]);
    expect(new Set(seen.map(({ id }) => id))).toEqual(new Set([messages[3]?.id]));
    expect(messages.map(({ id }) => id).filter((id) => id === "chatcmpl-7")).toHaveLength(1);
  });
  it.each(CONTEXTS)("is one message of an event stream (%s)", async (_, middleware) => {
    const { agent, thread } = await afterOne(new Provider(...twice()), middleware);
    const run = await agent.streamEvents({ messages: "two" }, { ...thread, version: "v3" });
    const seen: string[] = [];
    for await (const message of run.messages) seen.push(await message.text);
    await run.output;
    expect(seen).toEqual(["Half of the second"]);
  });
  it.each(CONTEXTS)("is shown once by a model that does not stream (%s)", async (_, middleware) => {
    const model = new ScriptedModel(...twice());
    model.disableStreaming = true;
    const { agent, thread } = await afterOne(model, middleware);
    const seen: BaseMessage[] = [];
    for await (const chunk of await agent.stream({ messages: "two" }, { ...thread, streamMode: "messages" }))
      seen.push((chunk as unknown as [BaseMessage])[0]);
    expect(texts(seen)).toEqual(["Half of the second"]);
  });
  it.each(CONTEXTS)("leaves the other one whole when its run is stopped (%s)", async (_, middleware) => {
    const stop = new AbortController();
    class Stopped extends Provider {
      override async *_streamResponseChunks(...args: Parameters<ScriptedModel["_streamResponseChunks"]>) {
        let tokens = 0;
        for await (const chunk of super._streamResponseChunks(...args)) {
          yield chunk;
          tokens += 1;
          if (this.sent.length === 2 && tokens === 3) {
            stop.abort();
            await new Promise((done) => void setTimeout(done, 20));
          }
        }
      }
    }
    const { agent, thread } = await afterOne(new Stopped(...twice()), middleware);
    const stopped = async () => {
      const options = { ...thread, streamMode: "messages" as const, signal: stop.signal };
      for await (const _chunk of await agent.stream({ messages: "two" }, options));
    };
    await expect(stopped()).rejects.toThrow(/abort/i);
    const { messages } = await agent.history(thread);
    expect(texts(messages)).toEqual(["one", "The first reply", "two", "Half of"]);
    expect(messages.map(isPartial)).toEqual([false, false, false, true]);
  });
});

describe("a wrap that returns one reply again and again", () => {
  const canned = new AIMessage("I can not help.");
  const cache = new Map<string, AIMessage>();
  const WRAPS = [
    ["canned", () => canned],
    ["canned, with an id", () => new AIMessage({ id: "canned", content: "I can not help." })],
    [
      "cached",
      async (question: string, ask: () => Promise<AIMessage>) => {
        const known = cache.get(question) ?? (await ask());
        cache.set(question, known);
        return known;
      },
    ],
  ] as const;
  it.each(WRAPS)("has it told in every turn (%s)", async (_, reply) => {
    let time = 0;
    const wrap = createMiddleware({
      name: "wrap",
      wrapModelCall: (request, handler) =>
        reply((request.messages.at(-1) as BaseMessage).text, () => handler(request)),
    });
    const agent = createAgent({
      model: new ScriptedModel("I can not help."),
      tools: [],
      middleware: [wrap],
      checkpointer: new MemorySaver(),
      now: () => (time += 1),
    });
    const thread = newThread();
    for (let turn = 0; turn < 3; turn += 1) await agent.invoke({ messages: "Help?" }, thread);
    const { messages } = await agent.history(thread);
    expect(texts(messages)).toEqual([1, 2, 3].flatMap(() => ["Help?", "I can not help."]));
    const times = messages.map(({ additional_kwargs: { timestamp } }) => timestamp as number);
    expect(times.slice(2)).toEqual(times.slice(2).toSorted((a, b) => a - b));
    expect(times[3]).toBeGreaterThan(times[2] as number);
  });
});

describe("one result that is returned for several calls", () => {
  it.each(["tool", "command", "wrap"] as const)("is a result of each (%s)", async (who) => {
    const result = new ToolMessage({ content: "cached", tool_call_id: "1", name: "t" });
    const t = tool(
      () =>
        (who === "command"
          ? new Command({ update: { messages: [result] } })
          : who === "tool"
            ? result
            : "run") as never,
      { name: "t", description: "", schema: z.object({}) },
    );
    const wrap = createMiddleware({ name: "wrap", wrapToolCall: () => result });
    const model = new ScriptedModel(
      calls(["t", {}, "1"]),
      calls(["t", {}, "2"]),
      calls(["t", {}, "3"], ["t", {}, "4"]),
      "done",
    );
    const agent = createAgent({
      model,
      tools: [t],
      middleware: who === "wrap" ? [wrap] : [],
      checkpointer: new MemorySaver(),
    });
    const { messages } = await agent.invoke({ messages: "go" }, newThread());
    const order = messages.map((one) => (ToolMessage.isInstance(one) ? one.tool_call_id : one.type));
    expect(order).toEqual(["human", "ai", "1", "ai", "2", "ai", "3", "4", "ai"]);
    expect(new Set(messages.map(({ id }) => id)).size).toBe(9);
  });
});
