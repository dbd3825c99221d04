import {
  AIMessage,
  AIMessageChunk,
  HumanMessage,
  ToolMessage,
  type BaseMessage,
} from "@langchain/core/messages";
import { ChatGenerationChunk } from "@langchain/core/outputs";
import { tool } from "@langchain/core/tools";
import { MemorySaver } from "@skein/checkpointer";
import { Command, interrupt, isInterrupted } from "@skein/graph";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  createAgent,
  createMiddleware,
  isAgentToken,
  isPartial,
  MiddlewareError,
  type MiddlewareFailure,
} from "../src/index.ts";
import { SAVERS } from "./savers.ts";
import { calls, ScriptedModel } from "./scripted-model.ts";

const thread = { configurable: { thread_id: "t" } };
const texts = (messages: readonly BaseMessage[]): string[] => messages.map((message) => message.text);
const tick = () => new Promise((resolve) => setTimeout(resolve, 5));

/** A tool whose call waits for an answer. */
const ask = tool(() => `answer: ${String(interrupt("well?"))}`, {
  name: "ask",
  description: "",
  schema: z.object({}),
});

/** Tools that note who runs at the same time as they do. */
function watched() {
  const events: string[] = [];
  const running = new Set<string>();
  let most = 0;
  const make = (name: string, metadata: Record<string, unknown> = {}) =>
    tool(
      async ({ n }: { n: number }) => {
        const me = `${name}${n}`;
        events.push(`+${me}`);
        running.add(me);
        most = Math.max(most, running.size);
        await tick();
        running.delete(me);
        events.push(`-${me}`);
        return me;
      },
      { name, description: name, schema: z.object({ n: z.number() }), metadata },
    );
  return { events, make, most: () => most };
}

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

describe("tool calls of one reply", () => {
  it.each(["v1", "v2"] as const)(
    "a serial tool runs alone, results stand in call order (E1, %s)",
    async (version) => {
      const { events, make } = watched();
      const model = new ScriptedModel(
        calls(["p", { n: 1 }], ["p", { n: 2 }], ["s", { n: 3 }], ["s", { n: 4 }], ["p", { n: 5 }]),
        "done",
      );
      const tools = [make("p"), make("s", { serial: true })];
      const { messages } = await createAgent({ model, tools, version }).invoke({ messages: "go" });
      expect(texts(messages.slice(2))).toEqual(["p1", "p2", "s3", "s4", "p5", "done"]);
      expect(events.slice(0, 2)).toEqual(["+p1", "+p2"]);
      expect(events.slice(4)).toEqual(["+s3", "-s3", "+s4", "-s4", "+p5", "-p5"]);
      expect(model.sent).toHaveLength(2);
    },
  );

  it("a serial tool sees what the calls before it wrote, and beforeModel runs once a round", async () => {
    const seen: string[][] = [];
    const rounds: number[] = [];
    const look = tool(
      (_, config) => (
        seen.push(texts((config as never as { state: { messages: BaseMessage[] } }).state.messages)),
        "looked"
      ),
      {
        name: "look",
        description: "Looks",
        schema: z.object({}),
        metadata: { serial: true },
      },
    );
    const { make } = watched();
    const model = new ScriptedModel(calls(["p", { n: 1 }], ["look"], ["look"]), "done");
    const watch = createMiddleware({
      name: "w",
      beforeModel: ({ messages }) => void rounds.push(messages.length),
    });
    await createAgent({ model, tools: [make("p"), look], middleware: [watch] }).invoke({ messages: "go" });
    expect(seen).toEqual([
      ["go", "", "p1"],
      ["go", "", "p1", "looked"],
    ]);
    expect(rounds).toEqual([1, 5]);
  });

  it("a serial tool that asks is resumed alone: what ran before it is not run again (I6)", async () => {
    const { events, make } = watched();
    const ask = tool(() => `said ${String(interrupt("ok?"))}`, {
      name: "ask",
      description: "Asks",
      schema: z.object({}),
      metadata: { serial: true },
    });
    const model = new ScriptedModel(calls(["p", { n: 1 }], ["ask"], ["p", { n: 2 }]), "done");
    const agent = createAgent({ model, tools: [make("p"), ask], checkpointer: new MemorySaver() });
    expect(isInterrupted(await agent.invoke({ messages: "go" }, thread))).toBe(true);
    const { messages } = await agent.invoke(new Command({ resume: "yes" }), thread);
    expect(texts(messages.slice(2))).toEqual(["p1", "said yes", "p2", "done"]);
    expect(events).toEqual(["+p1", "-p1", "+p2", "-p2"]);
  });

  it.each([
    ["v1", undefined, 3],
    ["v2", undefined, 3],
    ["v2", 2, 2],
  ] as const)(
    "not more run at a time than allowed (E1, %s, call says %s)",
    async (version, maxConcurrency, most) => {
      const counting = watched();
      const many = Array.from({ length: 9 }, (_, n): [string, { n: number }] => ["p", { n }]);
      const model = new ScriptedModel(calls(...many), "done");
      const agent = createAgent({ model, tools: [counting.make("p")], version, maxConcurrency: 3 });
      await agent.invoke({ messages: "go" }, maxConcurrency === undefined ? {} : { maxConcurrency });
      expect(counting.most()).toBe(most);
    },
  );

  it("a call that takes too long is an error that the model sees, and its signal is aborted", async () => {
    const reasons: unknown[] = [];
    const slow = tool(
      (_, { signal }) =>
        new Promise<string>(() =>
          signal?.addEventListener("abort", () => reasons.push((signal.reason as Error).message)),
        ),
      { name: "slow", description: "Slow", schema: z.object({}), metadata: { timeoutMs: 10 } },
    );
    const model = new ScriptedModel(calls(["slow"], ["hang"]), "sorry");
    const agent = createAgent({ model, tools: [slow, hang], toolTimeoutMs: 15 });
    const { messages } = await agent.invoke({ messages: "go" });
    const results = messages.filter((message) => ToolMessage.isInstance(message));
    expect(results.map(({ status, text }) => [status, text.split("\n")[0]])).toEqual([
      ["error", 'Tool "slow" failed: It did not finish within 10 ms.'],
      ["error", 'Tool "hang" failed: It did not finish within 15 ms.'],
    ]);
    expect(reasons).toEqual(["It did not finish within 10 ms."]);
  });

  it.each([0, -1, Number.NaN, "5"])("refuses a timeout of %s", (timeoutMs) => {
    const bad = tool(() => "", {
      name: "bad",
      description: "",
      schema: z.object({}),
      metadata: { timeoutMs },
    });
    const refused = expect.objectContaining({ code: "INVALID_CONFIGURATION" });
    expect(() => createAgent({ model: new ScriptedModel(), tools: [bad] })).toThrow(refused);
    expect(() => createAgent({ model: new ScriptedModel(), toolTimeoutMs: timeoutMs as number })).toThrow(
      refused,
    );
  });

  it("what tools write by commands is folded at the end of the step, in the order of the calls", async () => {
    const write = tool(
      async ({ text, ms }: { text: string; ms: number }, config) => {
        await new Promise((resolve) => setTimeout(resolve, ms));
        const messages = [new ToolMessage({ content: text, tool_call_id: config.toolCall.id })];
        return new Command({ update: { notes: text, messages } });
      },
      { name: "write", description: "Writes", schema: z.object({ text: z.string(), ms: z.number() }) },
    );
    const { ReducedValue, StateSchema } = await import("@skein/graph");
    const notes = new ReducedValue(z.string().default(""), { reducer: (a: string, b: string) => a + b });
    const model = new ScriptedModel(
      calls(["write", { text: "a", ms: 15 }], ["write", { text: "b", ms: 1 }]),
      "done",
    );
    const agent = createAgent({ model, tools: [write], stateSchema: new StateSchema({ notes }) });
    const result = await agent.invoke({ messages: "go" });
    expect(result.notes).toBe("ab");
    expect(texts(result.messages)).toEqual(["go", "", "a", "b", "done"]);
  });
});

/** Replies that call a tool, each. */
const rounds = (count: number) => Array.from({ length: count }, (_, n) => calls(["p", { n }]));

describe("the length of a run", () => {
  it("thirty rounds with hooks are no error; maxIterations ends a run, recursionLimit throws (E6)", async () => {
    const { make } = watched();
    const hooks = createMiddleware({ name: "h", beforeModel: () => undefined, afterModel: () => undefined });
    const parts = { tools: [make("p")], middleware: [hooks] };
    const long = await createAgent({ ...parts, model: new ScriptedModel(...rounds(30), "done") }).invoke({
      messages: "go",
    });
    expect(long.messages.at(-1)?.text).toBe("done");
    const limited = createAgent({ ...parts, model: new ScriptedModel(...rounds(30)), maxIterations: 20 });
    expect((await limited.invoke({ messages: "go" })).messages.at(-1)?.text).toMatch(
      /limit of 20 model calls/u,
    );
    const short = createAgent({ ...parts, model: new ScriptedModel(...rounds(30)) });
    await expect(short.invoke({ messages: "go" }, { recursionLimit: 9 })).rejects.toMatchObject({
      code: "GRAPH_RECURSION_LIMIT",
    });
  });
});

/** Results of tools, and how they ended. */
const answered = (messages: readonly BaseMessage[]) =>
  messages
    .filter((message) => ToolMessage.isInstance(message))
    .map(({ text, status }) => [text.split(":")[0], status]);

describe("a run that is stopped", () => {
  it.each(["invoke", "stream"] as const)(
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
        for await (const _ of await agent.stream({ messages: "go" }, options)) void _;
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

  it("a reader of a stream that goes away leaves no call open either", async () => {
    const model = new ScriptedModel(calls(["hang"]));
    const agent = createAgent({ model, tools: [hang], checkpointer: new MemorySaver() });
    for await (const _ of await agent.stream({ messages: "go" }, thread)) break;
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
    clock.now += 61_000;
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
    clock.now += 61_000;
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

describe("streaming", () => {
  it("tells the agent's own tokens from those of tools and of middleware (E7)", async () => {
    const inner = new ScriptedModel("inner words", "inner words");
    const asks = tool(async (_, config) => (await inner.invoke("?", config)).text, {
      name: "asks",
      description: "Asks a model",
      schema: z.object({}),
    });
    const thinking = createMiddleware({
      name: "thinking",
      wrapModelCall: async (request, handler) => {
        if (request.messages.length === 1) await inner.invoke("?");
        return handler(request);
      },
    });
    const model = new ScriptedModel(calls(["asks"]), "own words");
    const agent = createAgent({ model, tools: [asks], middleware: [thinking], name: "ada" });
    const own: string[] = [];
    const others: string[] = [];
    for await (const chunk of await agent.stream({ messages: "go" }, { streamMode: "messages" })) {
      const [message, metadata] = chunk as unknown as [BaseMessage, Record<string, unknown>];
      if (!AIMessage.isInstance(message) || message.text === "") continue;
      (isAgentToken(metadata) ? own : others).push(message.text.trim());
      expect(metadata["lc_agent_name"]).toBe("ada");
    }
    expect([...new Set(own)]).toEqual(["own", "words"]);
    expect([...new Set(others)]).toEqual(["inner", "words"]);
  });

  it("streamEvents and drawings are the graph's", async () => {
    const agent = createAgent({ model: new ScriptedModel("hi"), name: "ada" });
    const names = new Set<string>();
    for await (const { event } of agent.streamEvents({ messages: "go" }, { version: "v2" })) names.add(event);
    expect(names).toContain("on_chat_model_stream");
    expect(await agent.drawMermaid()).toContain("model_request");
  });
});

const boom = () => {
  throw new Error("broken");
};

/** A middleware of which every hook throws. */
const broken = (failure: "open" | "closed" | undefined, heard: unknown[] = []) => {
  return createMiddleware({
    name: "broken",
    ...(failure === undefined ? {} : { failure }),
    onFailure: (error, hook) => heard.push([MiddlewareError.isInstance(error), error.message, hook]),
    beforeAgent: boom,
    beforeModel: boom,
    wrapModelCall: boom,
    wrapToolCall: boom,
    afterModel: boom,
    afterAgent: boom,
  });
};

describe("a middleware that fails (E3)", () => {
  const { make } = watched();
  const program = (middleware: ReturnType<typeof broken>) =>
    createAgent({
      model: new ScriptedModel(calls(["p", { n: 1 }]), "done"),
      tools: [make("p")],
      middleware: [middleware],
    });

  it("ends the run unless it says otherwise, with its own error", async () => {
    await expect(program(broken(undefined)).invoke({ messages: "go" })).rejects.toThrow("broken");
    await expect(program(broken("closed")).invoke({ messages: "go" })).rejects.toThrow("broken");
  });

  it("fails open: the run goes on as if its hooks were not there, and says so", async () => {
    const heard: unknown[] = [];
    const events: MiddlewareFailure[] = [];
    const stream = await program(broken("open", heard)).stream({ messages: "go" }, { streamMode: "custom" });
    for await (const event of stream) events.push(event as never as MiddlewareFailure);
    const hooks = ["beforeAgent", "beforeModel", "wrapModelCall", "afterModel", "wrapToolCall"];
    const all = [...hooks, "beforeModel", "wrapModelCall", "afterModel", "afterAgent"];
    expect(heard).toEqual(all.map((hook) => [true, "broken", hook]));
    expect(events.map(({ type, hook }) => [type, hook])).toEqual(
      all.map((hook) => ["middleware_failed", hook]),
    );
  });

  it("fails open after the call it wraps: neither model nor tool runs twice", async () => {
    const late = createMiddleware({
      name: "late",
      failure: "open",
      wrapModelCall: async (request, handler) => {
        await handler(request);
        throw new Error("late");
      },
      wrapToolCall: async (request, handler) => {
        await handler(request);
        throw new Error("late");
      },
    });
    const { events, make: counted } = watched();
    const model = new ScriptedModel(calls(["p", { n: 1 }]), "done");
    const agent = createAgent({ model, tools: [counted("p")], middleware: [late] });
    expect(texts((await agent.invoke({ messages: "go" })).messages)).toEqual(["go", "", "p1", "done"]);
    expect([events, model.sent.length]).toEqual([["+p1", "-p1"], 2]);
  });

  it("fails open for its own errors only: the model's and interrupts are not its own", async () => {
    const open = createMiddleware({
      name: "open",
      failure: "open",
      beforeModel: () => void interrupt("sure?"),
      wrapModelCall: (request, handler) => handler(request),
    });
    const error = new Error("overloaded");
    const agent = createAgent({
      model: new ScriptedModel(error),
      middleware: [open],
      checkpointer: new MemorySaver(),
    });
    expect(isInterrupted(await agent.invoke({ messages: "go" }, thread))).toBe(true);
    await expect(agent.invoke(new Command({ resume: true }), thread)).rejects.toBe(error);
  });
});

const timesOf = (messages: readonly BaseMessage[]) =>
  messages.map((message) => message.additional_kwargs["timestamp"]);

describe("the time of a message (E9)", () => {
  it.each(SAVERS)("is when it was made, and stays: %s", async (_name, make) => {
    let time = 1_000;
    const now = () => (time += 1);
    const model = new ScriptedModel(calls(["p", { n: 1 }]), "done", "again");
    const agent = createAgent({ model, tools: [watched().make("p")], checkpointer: make(), now });
    const imported = new HumanMessage({ id: "i", content: "old", additional_kwargs: { timestamp: 5 } });
    const first = await agent.invoke({ messages: [imported, new HumanMessage("new")] }, thread);
    const times = timesOf(first.messages);
    expect(times[0]).toBe(5);
    expect(times.slice(1)).toEqual(times.slice(1).toSorted());
    expect(new Set(times).size).toBe(5);
    // a client that posts the conversation back without times does not make it anew
    const back = first.messages.map(({ id, type, text }) => ({ id, role: type, content: text }));
    await agent.invoke(
      {
        messages: [...back.filter(({ role }) => role === "human"), { role: "user", content: "more" }],
      } as never,
      thread,
    );
    const { values } = await agent.getState(thread);
    expect(timesOf(values.full_messages).slice(0, 5)).toEqual(times);
    expect(timesOf(values.messages)).toEqual(timesOf(values.full_messages));
  });
});
