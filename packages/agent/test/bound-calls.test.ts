import { AIMessageChunk, ToolMessage } from "@langchain/core/messages";
import { ChatGenerationChunk } from "@langchain/core/outputs";
import { tool } from "@langchain/core/tools";
import { MemorySaver } from "@skein/checkpointer";
import { interrupt } from "@skein/graph";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { createAgent, createMiddleware, isPartial, type ReactAgent } from "../src/index.ts";
import { calls, ScriptedModel } from "./scripted-model.ts";

const thread = { configurable: { thread_id: "t" } };
const none = { name: "hang", description: "", schema: z.object({}) };

/** A tool that never answers, and when it is called. */
function hanging() {
  let begin: (() => void) | undefined;
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const hang = tool(() => (begin?.(), new Promise<string>(() => undefined)), none);
  return { begun, hang };
}

const types = async (agent: ReactAgent) =>
  (await agent.getState(thread)).values.messages.map(({ type }) => type);

/** Says two words, and then no more. */
class Stuck extends ScriptedModel {
  readonly stop: AbortController;

  constructor(stop: AbortController) {
    super();
    this.stop = stop;
  }
  override async *_streamResponseChunks(...args: Parameters<ScriptedModel["_streamResponseChunks"]>) {
    for (const token of ["one ", "two "]) {
      yield new ChatGenerationChunk({ text: token, message: new AIMessageChunk(token) });
      await args[2]?.handleLLMNewToken(token);
    }
    setTimeout(() => this.stop.abort(), 5);
    await new Promise(() => undefined);
  }
}

describe("a thread that withConfig binds", () => {
  it("is healed when a call is stopped", async () => {
    const stop = new AbortController();
    const { begun, hang } = hanging();
    const model = new ScriptedModel(calls(["hang"]));
    const agent = createAgent({ model, tools: [hang], checkpointer: new MemorySaver() });
    const run = agent.withConfig(thread).invoke({ messages: "go" }, { signal: stop.signal });
    await begun;
    stop.abort();
    await expect(run).rejects.toThrow(/abort/iu);
    expect(await types(agent)).toEqual(["human", "ai", "tool"]);
  });

  it("is healed where it stands, also when calls begin at an earlier state", async () => {
    const stop = new AbortController();
    const { begun, hang } = hanging();
    const model = new ScriptedModel("one", "two", calls(["hang"]));
    const agent = createAgent({ model, tools: [hang], checkpointer: new MemorySaver() });
    await agent.invoke({ messages: "1" }, thread);
    const { config } = await agent.getState(thread);
    await agent.invoke({ messages: "2" }, thread);
    const run = agent.withConfig(config).invoke({ messages: "3" }, { signal: stop.signal });
    await begun;
    stop.abort();
    await expect(run).rejects.toThrow(/abort/iu);
    expect(await types(agent)).toEqual(["human", "ai", "human", "ai", "tool"]);
  });

  it.each(["queue", "interrupt", "cancel-and-heal", "rollback"] as const)(
    "can be busy: %s",
    async (onBusy) => {
      const { begun, hang } = hanging();
      const free = tool(() => "free", { ...none, name: "free" });
      const model = new ScriptedModel(calls([onBusy === "queue" ? "free" : "hang"]), "done", "done");
      const agent = createAgent({ model, tools: [hang, free], checkpointer: new MemorySaver() });
      const bound = agent.withConfig(thread);
      const first = bound.invoke({ messages: "first" }, { onBusy });
      first.catch(() => undefined);
      if (onBusy !== "queue") await begun;
      const { messages } = await bound.invoke({ messages: "second" }, { onBusy });
      const texts = messages.map(({ text }) => text);
      expect(texts.slice(-2)).toEqual(["second", "done"]);
      expect(texts.includes("first")).toBe(onBusy !== "rollback");
    },
  );

  it("is closed when its turn was left open for too long", async () => {
    const clock = { now: Date.now() };
    const ask = tool(() => String(interrupt("?")), { ...none, name: "ask" });
    const agent = createAgent({
      model: new ScriptedModel(calls(["ask"]), "late"),
      tools: [ask],
      checkpointer: new MemorySaver(),
      openTurnTimeoutMs: 60_000,
      now: () => clock.now,
    });
    await agent.invoke({ messages: "one" }, thread);
    clock.now += 600_000;
    await agent.withConfig(thread).invoke({ messages: "two" });
    expect(await types(agent)).toEqual(["human", "ai", "tool", "human", "ai"]);
  });

  it("is admitted before anything of the input is stored; what a call names goes before it", async () => {
    const asked: string[] = [];
    const guard = createMiddleware({
      name: "guard",
      admit: (id) => {
        asked.push(id);
        if (id === "t") throw new Error("no");
      },
    });
    const model = new ScriptedModel("ok");
    const agent = createAgent({ model, middleware: [guard], checkpointer: new MemorySaver() });
    const bound = agent.withConfig(thread);
    await expect(bound.invoke({ messages: "secret" })).rejects.toThrow("no");
    expect((await agent.getState(thread)).values.messages ?? []).toEqual([]);
    await bound.invoke({ messages: "hello" }, { configurable: { thread_id: "other" } });
    // a new thread: before it is made and when it is held
    expect(asked).toEqual(["t", "other", "other"]);
  });
});

describe.each(["createAgent", "withConfig", "createAgent, with a call's own"] as const)(
  "a signal of %s",
  (where) => {
    const isOwn = where.startsWith("createAgent");
    const more = where.endsWith("own") ? { signal: new AbortController().signal } : {};
    const options = { ...thread, ...more };

    it.each(["invoke", "stream", "streamEvents"] as const)("leaves no call open (%s)", async (how) => {
      const stop = new AbortController();
      const { signal } = stop;
      const { begun, hang } = hanging();
      const made = createAgent({
        model: new ScriptedModel(calls(["hang"])),
        tools: [hang],
        checkpointer: new MemorySaver(),
        ...(isOwn ? { signal } : {}),
      });
      const agent = isOwn ? made : made.withConfig({ signal });
      const run = async () => {
        if (how === "invoke") return agent.invoke({ messages: "go" }, options);
        const stream =
          how === "stream"
            ? agent.stream({ messages: "go" }, options)
            : agent.streamEvents({ messages: "go" }, options);
        for await (const _ of await stream) void _;
        return undefined;
      };
      const ended = run();
      ended.catch(() => undefined);
      await begun;
      stop.abort();
      await expect(ended).rejects.toThrow(/abort/iu);
      const { messages } = (await made.getState(thread)).values;
      expect(messages.at(-1)).toSatisfy((last) => ToolMessage.isInstance(last) && last.status === "error");
    });

    it("keeps what the model had said", async () => {
      const stop = new AbortController();
      const { signal } = stop;
      const made = createAgent({
        model: new Stuck(stop),
        checkpointer: new MemorySaver(),
        ...(isOwn ? { signal } : {}),
      });
      const agent = isOwn ? made : made.withConfig({ signal });
      const listen = async () => {
        for await (const _ of await agent.stream(
          { messages: "count" },
          { ...options, streamMode: "messages" },
        ))
          void _;
      };
      await expect(listen()).rejects.toThrow(/abort/iu);
      const last = (await made.getState(thread)).values.messages.at(-1);
      expect(last && [last.text, isPartial(last)]).toEqual(["one two ", true]);
    });
  },
);
