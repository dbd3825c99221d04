import { AIMessageChunk, HumanMessage, ToolMessage, type BaseMessage } from "@langchain/core/messages";
import { ChatGenerationChunk } from "@langchain/core/outputs";
import { tool } from "@langchain/core/tools";
import { MemorySaver } from "@skein/checkpointer";
import { Command, interrupt } from "@skein/graph";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { createAgent, createMiddleware, isPartial } from "../src/index.ts";
import { calls, ScriptedModel } from "./scripted-model.ts";

const thread = { configurable: { thread_id: "t" } };

/** A tool whose call waits for an answer. */
const ask = tool(() => `answer: ${String(interrupt("well?"))}`, {
  name: "ask",
  description: "",
  schema: z.object({}),
});

const hang = tool(() => new Promise<string>(() => undefined), {
  name: "hang",
  description: "Hangs",
  schema: z.object({}),
});

/** Says two words of its first reply, and then no more. */
class Stuck extends ScriptedModel {
  override async *_streamResponseChunks(...args: Parameters<ScriptedModel["_streamResponseChunks"]>) {
    if (this.sent.length > 0) return yield* super._streamResponseChunks(...args);
    this.sent.push([]);
    this.script.unshift("");
    for (const token of ["one ", "two "]) {
      yield new ChatGenerationChunk({ text: token, message: new AIMessageChunk(token) });
      await args[2]?.handleLLMNewToken(token);
    }
    await new Promise(() => undefined);
  }
}

/** Results of tools, and how they ended. */
const answered = (messages: readonly BaseMessage[]) =>
  messages
    .filter((message) => ToolMessage.isInstance(message))
    .map(({ text, status }) => [text.split(":")[0], status]);

describe("a run that is stopped", () => {
  it.each(["invoke", "stream", "streamEvents"] as const)(
    "leaves no call without a result; finished ones keep theirs (%s)",
    async (how) => {
      const stop = new AbortController();
      const quick = tool(() => (setTimeout(() => stop.abort(), 20), "quick"), {
        name: "quick",
        description: "",
        schema: z.object({}),
      });
      const model = new ScriptedModel(calls(["quick"], ["hang"]), "back");
      const agent = createAgent({ model, tools: [quick, hang], checkpointer: new MemorySaver() });
      const options = { ...thread, signal: stop.signal };
      const run = async () => {
        if (how === "invoke") return agent.invoke({ messages: "go" }, options);
        const stream =
          how === "stream"
            ? agent.stream({ messages: "go" }, options)
            : agent.streamEvents({ messages: "go" }, options);
        for await (const _ of await stream) void _;
        return undefined;
      };
      await expect(run()).rejects.toThrow(/abort/iu);
      const { values } = await agent.getState(thread);
      expect(answered(values.messages)).toEqual([
        ["quick", "success"],
        ["Cancelled", "error"],
      ]);
      expect(answered(values.full_messages)).toEqual(answered(values.messages));
      expect((await agent.invoke({ messages: "and?" }, thread)).messages.at(-1)?.text).toBe("back");
    },
  );

  it.each(["wrapModelCall", "wrapToolCall"] as const)(
    "begins no call any more behind a slow %s (E1)",
    async (hook) => {
      const stop = new AbortController();
      const begun: string[] = [];
      const note = tool(() => (begun.push("tool"), "noted"), {
        name: "note",
        description: "",
        schema: z.object({}),
      });
      const slow = createMiddleware({
        name: "slow",
        // a store that is asked, a wait before another try
        [hook]: async (request: unknown, handler: (request: unknown) => Promise<never>) => {
          stop.abort(new Error("stopped"));
          await new Promise((resolve) => setTimeout(resolve, 1));
          return handler(request);
        },
      });
      const model = new ScriptedModel(() => (begun.push("model"), calls(["note"])), "done");
      const agent = createAgent({
        model,
        tools: [note],
        middleware: [slow],
        checkpointer: new MemorySaver(),
      });
      const run = agent.invoke({ messages: "go" }, { ...thread, signal: stop.signal });
      await expect(run).rejects.toThrow("stopped");
      await new Promise((resolve) => setTimeout(resolve, 20));
      expect(begun).toEqual(hook === "wrapModelCall" ? [] : ["model"]);
    },
  );

  it("a reader of a stream that goes away leaves no call open either", async () => {
    const model = new ScriptedModel(calls(["hang"]));
    const agent = createAgent({ model, tools: [hang], checkpointer: new MemorySaver() });
    for await (const _ of await agent.stream({ messages: "go" }, thread)) break;
    const { values } = await agent.getState(thread);
    expect(answered(values.messages)).toEqual([["Cancelled", "error"]]);
  });

  it("nor does one that goes away while a tool runs: the stream asks for the next chunk ahead of it", async () => {
    let begin: (() => void) | undefined;
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const runs = tool(() => (begin?.(), new Promise<string>(() => undefined)), {
      name: "runs",
      description: "",
      schema: z.object({}),
    });
    const model = new ScriptedModel(calls(["runs"]));
    const agent = createAgent({ model, tools: [runs], checkpointer: new MemorySaver() });
    for await (const _ of await agent.stream({ messages: "go" }, thread)) {
      await begun;
      break;
    }
    const { values } = await agent.getState(thread);
    expect(answered(values.messages)).toEqual([["Cancelled", "error"]]);
  });

  it("nor does a reader of events that goes away while a tool runs", async () => {
    const model = new ScriptedModel(calls(["hang"]));
    const agent = createAgent({ model, tools: [hang], checkpointer: new MemorySaver() });
    for await (const { event } of agent.streamEvents({ messages: "go" }, thread))
      if (event === "on_tool_start") break;
    const { values } = await agent.getState(thread);
    expect(answered(values.messages)).toEqual([["Cancelled", "error"]]);
  });

  it("is left as it was stored, to go on with, where the agent says so", async () => {
    const stop = new AbortController();
    let runs = 0;
    const once = tool(
      async (_, { signal }: { signal?: AbortSignal }) => {
        runs += 1;
        if (runs > 1) return "done";
        setTimeout(() => stop.abort(), 5);
        return new Promise<string>((_resolve, reject) => {
          signal?.addEventListener("abort", () => reject(new Error("aborted")));
        });
      },
      { name: "once", description: "", schema: z.object({}) },
    );
    const agent = createAgent({
      model: new ScriptedModel(calls(["once"]), "back"),
      tools: [once],
      checkpointer: new MemorySaver(),
      onStop: "leave",
    });
    const run = agent.invoke({ messages: "go" }, { ...thread, signal: stop.signal });
    await expect(run).rejects.toThrow(/abort/iu);
    expect((await agent.getState(thread)).next).toEqual(["tools"]);
    const { messages } = await agent.invoke(null, thread);
    expect(answered(messages)).toEqual([["done", "success"]]);
    expect(() => createAgent({ model: new ScriptedModel("ok"), onStop: "stop" as never })).toThrow(
      expect.objectContaining({ code: "INVALID_CONFIGURATION" }),
    );
  });

  it("is closed when the next message comes too late for it, and left alone before (E10)", async () => {
    const clock = { now: Date.now() };
    const agent = createAgent({
      model: new ScriptedModel(calls(["ask"]), "early", calls(["ask"]), "late", "answered"),
      tools: [ask],
      checkpointer: new MemorySaver(),
      openTurnTimeoutMs: 60_000,
      now: () => clock.now,
    });
    await agent.invoke({ messages: "one" }, thread);
    const early = await agent.invoke({ messages: "two" }, thread);
    expect(early.messages.map(({ type }) => type)).toEqual(["human", "ai", "human", "ai"]);

    const other = { configurable: { thread_id: "other" } };
    await agent.invoke({ messages: "one" }, other);
    clock.now += 600_000;
    const chunks = await agent.stream({ messages: "two" }, { ...other, streamMode: "values" });
    let types: string[] = [];
    for await (const { messages } of chunks) types = (messages as BaseMessage[]).map(({ type }) => type);
    expect(types).toEqual(["human", "ai", "tool", "human", "ai"]);
    expect((await agent.getState(other)).values.messages[2]?.text).toMatch(/^Cancelled/);
  });

  it("is not closed by an answer, however late", async () => {
    const clock = { now: Date.now() };
    const agent = createAgent({
      model: new ScriptedModel(calls(["ask"]), "done"),
      tools: [ask],
      checkpointer: new MemorySaver(),
      openTurnTimeoutMs: 60_000,
      now: () => clock.now,
    });
    await agent.invoke({ messages: "one" }, thread);
    clock.now += 600_000;
    const { messages } = await agent.invoke(new Command({ resume: "yes" }), thread);
    expect(answered(messages)).toEqual([["answer", "success"]]);
  });

  it("heal closes what a crash left open, and leaves a whole thread as it is", async () => {
    const agent = createAgent({
      model: new ScriptedModel("ok"),
      tools: [hang],
      checkpointer: new MemorySaver(),
    });
    const open = [new HumanMessage("go"), calls(["hang", {}, "h1"], ["hang", {}, "h2"])];
    await agent.updateState(thread, { messages: open }, "model_request");
    expect(await agent.heal(thread)).toEqual({ cancelled: ["h1", "h2"], partial: false });
    expect(await agent.heal(thread)).toEqual({ cancelled: [], partial: false });
    expect((await agent.invoke(null, thread)).messages.at(-1)?.text).toBe("ok");
  });

  it("what the model had said is kept as a part, and shown as one (E10)", async () => {
    const stop = new AbortController();
    const model = new Stuck((messages) => `saw: ${messages.at(-2)?.text}`);
    const agent = createAgent({ model, checkpointer: new MemorySaver() });
    let heard = 0;
    const listen = async () => {
      const options = { ...thread, streamMode: "messages" as const, signal: stop.signal };
      for await (const _ of await agent.stream({ messages: "count" }, options))
        if (++heard === 2) stop.abort();
    };
    await expect(listen()).rejects.toThrow(/abort/iu);
    const { messages } = (await agent.getState(thread)).values;
    expect(messages.map((message) => [message.type, isPartial(message)])).toEqual([
      ["human", false],
      ["ai", true],
    ]);
    expect(messages[1]?.text).toBe("one two ");
    const next = await agent.invoke({ messages: "go on" }, thread);
    expect(next.messages.at(-1)?.text).toMatch(/^saw: one two .*\n\[This reply was interrupted here\.\]$/su);
    // it stays half a reply, and what follows it is a whole one
    expect(next.messages.map(isPartial)).toEqual([false, true, false, false]);
    // the thread itself holds what was said, and no note
    expect(next.messages[1]?.text).not.toMatch(/interrupted/u);
  });
});
