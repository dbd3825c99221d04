import { AIMessage, HumanMessage, ToolMessage, type BaseMessage } from "@langchain/core/messages";
import { createAgent, createMiddleware, type AnyAgentMiddleware } from "@skein/agent";
import { MemorySaver } from "@skein/checkpointer";
import { isMarkedSummary, type Omitted } from "@skein/context";
import { describe, expect, it } from "vitest";
import { ClearToolUsesEdit, contextEditingMiddleware } from "../src/context-editing/index.ts";
import { recallMiddleware } from "../src/recall/index.ts";
import { runLoopsMiddleware } from "../src/run-loops/index.ts";
import {
  contextSettings,
  summarizationMiddleware,
  summarizationNode,
  type CompactionEvent,
  type SummarizationOptions,
} from "../src/summarization/index.ts";
import { toolOutputCompressionMiddleware } from "../src/tool-output-compression/index.ts";
import { toolOutputOffloadingMiddleware } from "../src/tool-output-offloading/index.ts";
import { append, apply, assistant, newThread, talk, user } from "./harness.ts";
import { ScriptedModel } from "./scripted-model.ts";

const model = () => new ScriptedModel(() => new AIMessage("An answer of a few plain words."));
const ask = (turn: number) => ({ messages: [new HumanMessage(`Where is order O${turn}, please?`)] });

function agentWith(options: Partial<SummarizationOptions> = {}) {
  const events: CompactionEvent[] = [];
  const middleware = summarizationMiddleware({
    summarizer: "extractive",
    trigger: { messages: 8 },
    keep: { messages: 4 },
    onEvent: (event) => events.push(event),
    ...options,
  });
  const agent = createAgent({ model: model(), checkpointer: new MemorySaver(), middleware: [middleware] });
  const run = async (thread: string, turns: number, context?: Record<string, unknown>) => {
    const config = { configurable: { thread_id: thread }, ...(context === undefined ? {} : { context }) };
    for (let turn = 0; turn < turns; turn++) await agent.invoke(ask(turn), config);
    return (await agent.getState({ configurable: { thread_id: thread } })).values as unknown as {
      messages: BaseMessage[];
    };
  };
  return { run, events, middleware };
}

describe("what a user sets for themselves, through the context of a call", () => {
  it("the switch turns compaction off for one user and not for the next", async () => {
    const { run } = agentWith();
    const off = await run("off", 10, { contextOptimization: { enabled: false } });
    expect(off.messages).toHaveLength(20);
    const on = await run("on", 10, { contextOptimization: { enabled: true } });
    expect(on.messages.length).toBeLessThanOrEqual(8);
    expect((await run("nothing said", 10)).messages.length).toBeLessThanOrEqual(8);
    expect((await run("off", 1)).messages.some(isMarkedSummary)).toBe(true);
  });

  it("shares of the window", async () => {
    const { run, events } = agentWith({ trigger: { messages: 500 }, keep: { messages: 400 }, window: 1_000 });
    await run("usual", 12);
    expect(events).toEqual([]);
    await run("careful", 12, { contextOptimization: { targetUse: 0.2, recentShare: 0.4 } });
    const start = events.find((event) => event.type === "compaction-start");
    expect(start?.fired).toMatch(/^messages' tokens \d+ > budget (?:78|79)$/u);
  });

  it("how tokens are counted", async () => {
    const { run, events } = agentWith({ trigger: { tokens: 300 }, keep: { messages: 2 }, summaryTokens: 40 });
    for (const tokenCounting of ["estimate", "actual"] as const) {
      events.length = 0;
      await run(tokenCounting, 14, { contextOptimization: { tokenCounting } });
      expect(events.filter((event) => event.type === "compaction-end").length).toBeGreaterThan(0);
    }
  });

  it.each([
    [{ contextOptimization: { targetUse: 3 } }, "INVALID_INPUT"],
    [{ contextOptimization: { enabled: "yes" } }, "INVALID_INPUT"],
    [{ contextOptimization: { enabeld: false } }, "INVALID_INPUT"],
    [{ contextOptimization: { summaryShare: 0.9, recentShare: 0.9 } }, "INVALID_CONFIGURATION"],
    [{ contextOptimization: { targetUse: 0.00001 } }, "INVALID_CONFIGURATION"],
  ])("%j is refused with its reason: %s", async (context, code) => {
    const { run } = agentWith({ trigger: { tokens: 50_000 } });
    await expect(run("bad", 1, context)).rejects.toMatchObject({ code });
  });

  it("a node of one's own reads them too", async () => {
    const node = summarizationNode({
      summarizer: "extractive",
      trigger: { messages: 8 },
      keep: { messages: 4 },
    });
    const thread = newThread();
    append(thread, ...Array.from({ length: 9 }, (_, index) => user(`message ${index} about the yarn`)));
    expect(await node(thread, { context: { contextOptimization: { enabled: false } } })).toEqual({});
    expect(await node(thread, { context: { contextOptimization: null } })).toHaveProperty("messages");
  });

  it("whatever shapes the context heeds the switch, recall included", async () => {
    const seen: { messages: number; tools: number; prompt: string }[] = [];
    const watch = createMiddleware({
      name: "Watch",
      wrapModelCall: (request, handler) => {
        const { messages, tools, systemMessage } = request;
        seen.push({ messages: messages.length, tools: tools.length, prompt: systemMessage.text });
        return handler(request);
      },
    });
    const shapers: readonly AnyAgentMiddleware[] = [
      toolOutputOffloadingMiddleware({ limit: 50 }),
      toolOutputCompressionMiddleware({ limit: 20, keepTurns: 0, saveAtLeast: 1 }),
      contextEditingMiddleware({
        edits: [new ClearToolUsesEdit({ trigger: { tokens: 1 }, keep: { messages: 0 }, saveAtLeast: 1 })],
      }),
      runLoopsMiddleware({ loops: 0 }),
      recallMiddleware(),
    ];
    const output = "row after row of data\n".repeat(40);
    const history = [
      new HumanMessage({ id: "u1", content: "Read it" }),
      new AIMessage({ id: "c1", content: "", tool_calls: [{ id: "call_1", name: "read", args: {} }] }),
      new ToolMessage({ id: "t1", tool_call_id: "call_1", content: output }),
      new AIMessage({ id: "a1", content: "Done" }),
      new HumanMessage({ id: "u2", content: "Thanks" }),
    ];
    const run = async (shaper: AnyAgentMiddleware, enabled: boolean) => {
      const agent = createAgent({ model: model(), tools: [], middleware: [shaper, watch] });
      const context = { contextOptimization: { enabled } };
      let events = 0;
      const stream = await agent.stream({ messages: history }, { context, streamMode: "custom" });
      for await (const _chunk of stream) events++;
      const { messages, tools, prompt } = seen.at(-1) as (typeof seen)[number];
      return { does: events + tools + prompt.length > 0, messages };
    };
    for (const shaper of shapers) {
      expect(await run(shaper, false)).toEqual({ does: false, messages: 5 });
      expect((await run(shaper, true)).does).toBe(true);
    }
  });

  it("the schema is exported, so that an application can check what it stores", () => {
    expect(contextSettings.parse({})).toEqual({});
    expect(contextSettings.safeParse({ contextOptimization: { toolOutputTokens: 0 } }).success).toBe(false);
  });
});

describe("a view without a summary (C6)", () => {
  const options = { summarize: false, trigger: { messages: 8 }, keep: { messages: 5 } } as const;

  it("says which messages it leaves out, in events and in the state; the history has them all", async () => {
    const events: CompactionEvent[] = [];
    const node = summarizationNode({ ...options, onEvent: (event) => events.push(event) });
    const thread: ReturnType<typeof newThread> & { _omitted: Omitted | null } = {
      ...newThread(),
      _omitted: null,
    };
    for (let turn = 0; turn < 12; turn++) {
      append(thread, user(`Question ${turn} about the yarn`));
      const update = await node(thread, {});
      apply(thread, update);
      if (update._omitted !== undefined) thread._omitted = update._omitted;
      append(thread, assistant(`Answer ${turn}`));
      expect(thread.messages.length).toBeLessThanOrEqual(9);
    }
    const omitted = events.flatMap((event) =>
      event.type === "compaction-omit" ? [...event.omittedIds] : [],
    );
    const window = new Set(thread.messages);
    expect(omitted).toEqual(thread.history.filter((message) => !window.has(message)).map(({ id }) => id));
    expect(thread._omitted).toMatchObject({ count: omitted.length, until: thread.messages[0]?.id });
    expect(thread.messages.some(isMarkedSummary)).toBe(false);
    expect(events.at(-1)).toMatchObject({ omittedCount: omitted.length, messagesAfter: 5 });
  });

  it("in a state without its key a provider's stale count does not cut on every turn", async () => {
    const node = summarizationNode({ summarize: false, trigger: { tokens: 5_000 }, keep: { messages: 4 } });
    const thread = { messages: [] as BaseMessage[], history: [] as BaseMessage[] };
    await talk(thread, node, 3);
    const usage_metadata = { input_tokens: 9_000, output_tokens: 0, total_tokens: 9_000 };
    append(thread, Object.assign(assistant("counted"), { usage_metadata }), user("next"));
    expect(await node(thread, {})).toEqual({});
  });

  it("needs no summarizer, and with neither that nor `summarize: false` the options are refused", () => {
    expect(() => summarizationNode({ trigger: { messages: 8 } })).toThrow(/summarize: false/u);
    expect(() => summarizationNode({ ...options, background: true })).toThrow(/summarize is false/u);
  });
});
