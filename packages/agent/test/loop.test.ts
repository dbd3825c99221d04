import { AIMessage, HumanMessage, ToolMessage, type BaseMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { MemorySaver } from "@skein/checkpointer";
import { Command, interrupt, isInterrupted } from "@skein/graph";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { createAgent, createMiddleware, isAgentToken } from "../src/index.ts";
import { SAVERS } from "./savers.ts";
import { calls, ScriptedModel } from "./scripted-model.ts";
import { watched } from "./watched-tools.ts";

const thread = { configurable: { thread_id: "t" } };
const texts = (messages: readonly BaseMessage[]): string[] => messages.map((message) => message.text);

const hang = tool(() => new Promise<string>(() => undefined), {
  name: "hang",
  description: "Hangs",
  schema: z.object({}),
});

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

  it.each(["v1", "v2"] as const)("16 at a time where nobody says how many (E1, %s)", async (version) => {
    const counting = watched();
    const many = Array.from({ length: 40 }, (_, n): [string, { n: number }] => ["p", { n }]);
    const model = new ScriptedModel(calls(...many), "done");
    await createAgent({ model, tools: [counting.make("p")], version }).invoke({ messages: "go" });
    expect(counting.most()).toBe(16);
  });

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
