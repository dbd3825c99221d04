import {
  AIMessage,
  HumanMessage,
  SystemMessage,
  ToolMessage,
  type BaseMessage,
} from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { createAgent, createMiddleware, type AnyAgentMiddleware } from "@skein/agent";
import { MemorySaver } from "@skein/checkpointer";
import {
  budgetOf,
  compactionPolicy,
  createTokenCounter,
  frameSummary,
  nextSummary,
  planCompaction,
  type CompactionOptions,
  type Plan,
} from "@skein/context";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  DEVELOPMENT,
  MINIMAL,
  PRESET_NAMES,
  presetContext,
  presetMiddleware,
  PRESETS,
  PRODUCTION,
  PRODUCTION_LIMITS,
  RUN_LOOPS,
  SLIDING_WINDOW,
  THRESHOLDS,
  WATERMARKS,
  WATERMARKS_OUTPUTS,
  type PresetName,
} from "../src/presets/index.ts";
import type { CompactionEvent } from "../src/summarization/index.ts";
import { ScriptedModel } from "./scripted-model.ts";

let serial = 0;
const user = (): HumanMessage => new HumanMessage({ id: `u${serial++}`, content: "q" });
const reply = (): AIMessage => new AIMessage({ id: `a${serial++}`, content: "a" });
const talk = (messages: number): BaseMessage[] =>
  Array.from({ length: messages }, (_, index) => (index % 2 === 0 ? user() : reply()));

/** Every message has so many tokens; the conversation adds 3. */
const each = (tokens: number) => createTokenCounter({ countMessage: () => tokens });
const plan = (numbers: CompactionOptions, messages: BaseMessage[], tokens: number, state = {}): Plan =>
  planCompaction(messages, state, compactionPolicy({ ...numbers, counter: each(tokens), now: () => 0 }));
const fired = (given: Plan): string | undefined =>
  given.action === "none" ? given.reason : given.report.fired;
const kept = (given: Plan): number => (given.action === "compact" ? given.keep.length : Number.NaN);

describe("the numbers of each preset (C, E5)", () => {
  it("thresholds: 30 messages or 3,000 tokens, 20 stay, 4,000 at most, the system message stays", () => {
    expect(THRESHOLDS).toEqual({
      trigger: [{ messages: 30 }, { tokens: 3_000 }],
      keep: { messages: 20 },
      max: { tokens: 4_000 },
      preserveSystem: true,
    });
    expect(fired(plan(THRESHOLDS, talk(29), 10))).toBe("not-due");
    const due = plan(THRESHOLDS, [new SystemMessage({ id: "s", content: "x" }), ...talk(30)], 10);
    expect([fired(due), kept(due)]).toEqual(["messages 30 >= 30", 20]);
    expect(due.action === "compact" && due.head).toHaveLength(1);
    expect(fired(plan(THRESHOLDS, talk(29), 103))).toBe("not-due");
    const heavy = plan(THRESHOLDS, talk(29), 104);
    expect(fired(heavy)).toBe("tokens 3019 >= 3000");
    expect(heavy.report.expectedTokens).toBeLessThanOrEqual(1_500);
    expect(heavy.report.belowMinimum).toBe(true);
    expect(plan(THRESHOLDS, talk(1), 4_001)).toMatchObject({ reason: "nothing-older", overBudget: 4 });
  });

  it("thresholds do not fire again at once, and summaries do not pile up (defects of the design it comes from)", async () => {
    const events: CompactionEvent[] = [];
    const model = new ScriptedModel(() => new AIMessage(`Well, ${"the yarn is blue and soft. ".repeat(20)}`));
    const agent = createAgent({
      model,
      checkpointer: new MemorySaver(),
      middleware: presetMiddleware("thresholds", { onEvent: (event) => events.push(event) }),
    });
    const thread = { configurable: { thread_id: "t" } };
    const compactedAt: number[] = [];
    for (let turn = 0; turn < 40; turn++) {
      const before = events.length;
      await agent.invoke({ messages: [new HumanMessage(`Question ${turn} about yarn`)] }, thread);
      if (events.slice(before).some(({ type }) => type === "compaction-end")) compactedAt.push(turn);
    }
    expect(compactedAt.length).toBeGreaterThan(2);
    expect(compactedAt.some((at, index) => at - (compactedAt[index - 1] ?? -9) < 3)).toBe(false);
    const last = model.prompts.at(-1) ?? [];
    expect(last.filter(({ type }) => type === "system")).toHaveLength(1);
    expect(createTokenCounter().messages(last)).toBeLessThanOrEqual(4_000);
    expect(String(last.at(-1)?.content)).toContain("Question 39");
  });

  it("thresholds hold 4,000 tokens with system prompt and tools, large outputs too, or it is said", async () => {
    const counter = createTokenCounter();
    const events: CompactionEvent[] = [];
    const sizes: number[] = [];
    const said: boolean[] = [];
    const policy = "Parcels leave the depot in the morning. ".repeat(160);
    const read = tool(({ rows }) => "row after row of the list\n".repeat(rows), {
      name: "read",
      description: "Reads a list of parcels",
      schema: z.object({ rows: z.number() }),
    });
    let call = 0;
    const model = new ScriptedModel((messages) => {
      if (messages.at(-1)?.type === "tool") return new AIMessage("That is the list.");
      const tool_calls = [0, 1].map((at) => ({
        id: `c${call++}`,
        name: "read",
        args: { rows: 40 * (at + 1) * (call % 7) },
      }));
      return new AIMessage({ content: "", tool_calls });
    });
    const watch = createMiddleware({
      name: "Watch",
      wrapModelCall: ({ messages, systemMessage, tools, ...rest }, handler) => {
        sizes.push(counter.messages(messages) + counter.message(systemMessage) + counter.tools(tools));
        said.push(events.some((event) => event.type === "prompt-over-budget"));
        events.length = 0;
        return handler({ messages, systemMessage, tools, ...rest });
      },
    });
    const onEvent = (event: CompactionEvent) => events.push(event);
    const agentOf = (...more: AnyAgentMiddleware[]) =>
      createAgent({
        model,
        tools: [read],
        systemPrompt: policy,
        checkpointer: new MemorySaver(),
        middleware: [...more, ...presetMiddleware("thresholds", { onEvent }), watch],
      });
    const talkTo = async (agent: ReturnType<typeof agentOf>) => {
      for (let turn = 0; turn < 12; turn++)
        await agent.invoke(
          { messages: [new HumanMessage(`List ${turn}`)] },
          { configurable: { thread_id: "t" } },
        );
    };
    expect(counter.text(policy)).toBeGreaterThan(1_100);
    await talkTo(agentOf());
    expect(Math.max(...sizes)).toBeGreaterThan(2_500);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(4_000);
    expect(said).not.toContain(true);
    // what a wrap adds no plan can know of; it is said
    sizes.length = said.length = 0;
    const adding = createMiddleware({
      name: "Adding",
      wrapModelCall: (request, handler) =>
        handler({ ...request, systemMessage: new SystemMessage(`${policy}${"More of it. ".repeat(600)}`) }),
    });
    await talkTo(agentOf(adding));
    expect(Math.max(...sizes)).toBeGreaterThan(4_000);
    expect(said).toEqual(sizes.map((tokens) => tokens > 4_000));
  });

  it("watermarks: from 50,000 to below 30,000, first at 20 messages, then at 10 new ones and half the summary", () => {
    expect(WATERMARKS).toMatchObject({
      target: { tokens: 30_000 },
      budgets: { use: 0.6, summary: 0.26, recent: 0.65 },
      window: 128_000,
      startAbove: 10,
    });
    const policy = compactionPolicy(WATERMARKS);
    expect([policy.ceiling, policy.max, policy.summaryTokens]).toEqual([30_000, 76_800, 7_500]);
    expect(budgetOf(WATERMARKS.budgets, WATERMARKS.window, 2_000)).toEqual({
      total: 76_800,
      available: 74_800,
      summary: 19_448,
      recent: 48_620,
      buffer: 6_732,
    });
    const light = { ...WATERMARKS, budgets: { ...WATERMARKS.budgets, recent: 0.74 } };
    expect(fired(plan(light, talk(19), 2_800))).toBe("not-due");
    expect(fired(plan(light, talk(20), 2_499))).toBe("not-due");
    const due = plan(light, talk(20), 2_500);
    expect(fired(due)).toBe("tokens 50003 >= 50000 and messages 20 >= 20");
    expect(due.report.expectedTokens).toBeLessThan(30_000);
    // above the budget of messages nothing else is asked
    expect(fired(plan(WATERMARKS, talk(12), 4_161))).toBe("messages' tokens 49932 > budget 49918");
  });

  it("watermarks, later on: 9 new messages or half of the summary's tokens are not enough", () => {
    const light = { ...WATERMARKS, budgets: { ...WATERMARKS.budgets, recent: 0.74 } };
    const list = talk(40);
    const made = (tokens: number, after: number) =>
      nextSummary(undefined, {
        text: "so far",
        tokens,
        covered: [],
        originalTokens: 90_000,
        coveredUntil: null,
        madeAfter: list[after]?.id ?? null,
        now: 0,
        by: "test",
      });
    const later = (tokens: number, after: number): string | undefined => {
      const summary = made(tokens, after);
      return fired(plan(light, [frameSummary(summary), ...list], 1_300, { summary }));
    };
    expect(later(7_500, 30)).toBe("not-due");
    expect(later(7_500, 29)).toBe("tokens 53303 >= 50000 and newMessages 10 >= 10 and ratio 1.733 > 0.5");
    expect(later(26_000, 29)).toBe("not-due");
  });

  it("watermarks: tool outputs above 200 tokens are compressed, but for the last 5 turns", async () => {
    expect(WATERMARKS_OUTPUTS).toEqual({ limit: 200, keepTurns: 5 });
    const rows = Array.from({ length: 400 }, (_, id) => ({ id, title: `Meeting ${id}` }));
    const saver = new MemorySaver();
    const agentWith = () =>
      createAgent({
        model: new ScriptedModel(() => new AIMessage("Fine.")),
        checkpointer: saver,
        middleware: presetMiddleware("watermarks"),
      });
    const history = Array.from({ length: 6 }, (_, turn) => [
      new HumanMessage({ id: `q${turn}`, content: "Which meetings?" }),
      new AIMessage({
        id: `c${turn}`,
        content: "",
        tool_calls: [{ id: `t${turn}`, name: "list", args: {} }],
      }),
      new ToolMessage({
        id: `r${turn}`,
        tool_call_id: `t${turn}`,
        content: JSON.stringify({ rows, total: 400 }),
      }),
    ]).flat();
    const run = async (thread: string, context?: Record<string, unknown>) => {
      const config = { configurable: { thread_id: thread }, ...(context && { context }) };
      const { messages } = await agentWith().invoke({ messages: history }, config);
      return messages.filter((message) => String(message.content).length < 2_000 && message.type === "tool")
        .length;
    };
    expect(await run("usual")).toBe(1);
    expect(await run("off", { contextOptimization: { enabled: false } })).toBe(0);
    expect(await run("whole", { contextOptimization: { compressToolOutput: false } })).toBe(0);
    expect(await run("wide", { contextOptimization: { toolOutputTokens: 50_000 } })).toBe(0);
  });

  it("sliding-window: full at 0.8 of the window, down to 0.5, begun in the background, first system message stays", () => {
    expect(SLIDING_WINDOW).toMatchObject({
      trigger: { fraction: 0.8 },
      target: { fraction: 0.5 },
      background: true,
    });
    const policy = compactionPolicy(SLIDING_WINDOW);
    expect([policy.ceiling, policy.preserveSystem]).toEqual([64_000, true]);
    expect(policy.start).toEqual([{ condition: { tokens: 64_000 }, predicates: [] }]);
    expect(fired(plan(SLIDING_WINDOW, talk(102), 1_003))).toBe("not-due");
    expect(fired(plan(SLIDING_WINDOW, talk(102), 1_004))).toBe("fraction 0.8 >= 0.8");
  });

  it("run-loops: the last 10 loops by 500 characters each, none older than 7 days; the history has them all", async () => {
    expect(RUN_LOOPS).toEqual({ loops: 10, characters: 500, maxAge: 7 * 24 * 3_600_000 });
    let now = 0;
    const model = new ScriptedModel(() => new AIMessage(`Long answer ${"x".repeat(600)}`));
    const options = { now: () => now };
    const agent = createAgent({
      model,
      checkpointer: new MemorySaver(),
      now: () => now,
      middleware: presetMiddleware("run-loops", options),
    });
    const thread = { configurable: { thread_id: "t" } };
    const ask = (turn: number) =>
      agent.invoke({ messages: [new HumanMessage(`Question ${turn} ${"y".repeat(600)}`)] }, thread);
    for (let turn = 0; turn < 14; turn++) await ask(turn);
    const prompt = (model.prompts.at(-1) ?? []).filter(({ type }) => type !== "system");
    expect(prompt).toHaveLength(10 * 2 + 1);
    expect(String(prompt[0]?.content)).toMatch(/^Question 3 y+\.\.\.\[truncated\]$/u);
    expect(String(prompt[0]?.content)).toHaveLength(500 + "...[truncated]".length);
    now = RUN_LOOPS.maxAge + 1;
    await ask(14);
    expect((model.prompts.at(-1) ?? []).filter(({ type }) => type !== "system")).toHaveLength(1);
    const { full_messages: history } = (await agent.getState(thread)).values as { full_messages?: unknown[] };
    expect(history).toHaveLength(30);
  });

  it("minimal, development, production", () => {
    expect(MINIMAL).toEqual({ trigger: { messages: 8 }, keep: { messages: 6 } });
    expect(kept(plan(MINIMAL, talk(8), 10))).toBe(6);
    expect(DEVELOPMENT).toEqual({
      trigger: [{ messages: 40 }, { tokens: 32_000 }],
      keep: { messages: 20 },
      summaryTokens: 1_000,
    });
    expect(kept(plan(DEVELOPMENT, talk(40), 10))).toBe(20);
    expect(fired(plan(DEVELOPMENT, talk(32), 1_000))).toBe("tokens 32003 >= 32000");
    expect(PRODUCTION).toMatchObject({
      trigger: [{ fraction: 0.6 }, { messages: 400 }],
      keep: { messages: 40 },
    });
    expect(fired(plan(PRODUCTION, talk(77), 1_000))).toBe("fraction 0.602 >= 0.6");
    expect(kept(plan(PRODUCTION, talk(400), 10))).toBe(40);
    expect(PRODUCTION_LIMITS).toEqual({ modelCalls: 50, toolCalls: 200, retries: 2 });
  });

  it("human-in-the-loop has those of production; none has none, and its model sees everything", async () => {
    expect(PRESETS["human-in-the-loop"].numbers).toBe(PRODUCTION);
    expect(
      Object.entries(PRESETS).flatMap(([name, { numbers }]) => (numbers === undefined ? [name] : [])),
    ).toEqual(["run-loops", "none"]);
    const model = new ScriptedModel(() => new AIMessage("An answer."));
    const agent = createAgent({ model, middleware: presetMiddleware("none") });
    const history = Array.from({ length: 300 }, (_, at) => new HumanMessage(`Question ${at} about yarn`));
    const { messages } = await agent.invoke({ messages: history });
    expect([messages.length, model.prompts.at(-1)?.length]).toEqual([301, 300]);
  });

  it("the limits of production are those of a run: 50 calls of the model, 2 more tries of one that fails", async () => {
    let tries = 0;
    const model = new ScriptedModel(() => {
      tries++;
      return new AIMessage({
        content: "",
        tool_calls: [{ id: `c${tries}`, name: "look", args: { at: tries } }],
      });
    });
    const look = tool(({ at }: { at: number }) => `found ${at}`, {
      name: "look",
      description: "Looks",
      schema: z.object({ at: z.number() }),
    });
    const middleware = presetMiddleware("production");
    const { messages } = await createAgent({ model, tools: [look], middleware }).invoke({ messages: "Go" });
    expect(tries).toBe(50);
    expect(String(messages.at(-1)?.content)).toMatch(/50 in this run/u);
  });
});

const names = (middleware: readonly AnyAgentMiddleware[]): string[] => middleware.map(({ name }) => name);

describe("a preset as middleware", () => {
  it("brings what it says, in this order", () => {
    const limits = [
      "modelRetryMiddleware",
      "toolRetryMiddleware",
      "ModelCallLimitMiddleware",
      "ToolCallLimitMiddleware",
      "LoopGuardMiddleware",
    ];
    const summaries = ["SummarizationMiddleware"];
    const all = Object.fromEntries(PRESET_NAMES.map((name) => [name, names(presetMiddleware(name))]));
    expect(all).toEqual({
      thresholds: summaries,
      watermarks: ["ToolOutputCompressionMiddleware", ...summaries],
      "run-loops": ["RunLoopsMiddleware", "RecallMiddleware"],
      "sliding-window": summaries,
      minimal: summaries,
      development: [...summaries, "LoopGuardMiddleware"],
      production: [...summaries, ...limits],
      "human-in-the-loop": [...summaries, ...limits, "HumanInTheLoopMiddleware"],
      none: [],
    });
    expect(names(presetContext("human-in-the-loop"))).toEqual(summaries);
  });

  it.each(PRESET_NAMES)("%s runs as it is, and with `summarize: false`", async (name) => {
    const compacts = ["thresholds", "minimal", "development"].includes(name);
    for (const summarize of [true, false]) {
      const events: CompactionEvent[] = [];
      const agent = createAgent({
        model: new ScriptedModel(() => new AIMessage("An answer.")),
        checkpointer: new MemorySaver(),
        middleware: presetMiddleware(name, { summarize, onEvent: (event) => events.push(event) }),
      });
      const thread = { configurable: { thread_id: "t" } };
      for (let turn = 0; turn < (compacts ? 21 : 3); turn++)
        await agent.invoke({ messages: [new HumanMessage(`Question ${turn} about yarn, please.`)] }, thread);
      const types = new Set(events.map(({ type }) => type));
      expect(types.has(summarize ? "compaction-end" : "compaction-omit")).toBe(compacts);
      expect(types.has(summarize ? "compaction-omit" : "compaction-end")).toBe(false);
      expect(types.has("compaction-failure")).toBe(false);
    }
  });

  it("asks a person where it says so", async () => {
    const model = new ScriptedModel(
      () => new AIMessage({ content: "", tool_calls: [{ id: "x", name: "pay", args: {} }] }),
    );
    const agent = createAgent({
      model,
      checkpointer: new MemorySaver(),
      middleware: presetMiddleware("human-in-the-loop"),
    });
    const result = await agent.invoke({ messages: "Pay" }, { configurable: { thread_id: "t" } });
    expect(JSON.stringify(result)).toContain("pay");
    expect(result).toHaveProperty("__interrupt__");
  });

  it("a name that there is not, and a window in which the numbers can't work, are refused", () => {
    expect(() => presetMiddleware("huge" as PresetName)).toThrow(/no preset "huge"; there are thresholds/u);
    expect(() => presetMiddleware("watermarks", { window: 32_000 })).toThrow(/above the maximum of 19200/u);
    expect(() => presetMiddleware("thresholds", { window: 0 })).toThrow(/window/u);
    for (const name of PRESET_NAMES) expect(PRESETS[name].about.length).toBeGreaterThan(10);
  });
});
