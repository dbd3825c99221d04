import { AIMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { type AnyAgentMiddleware, createAgent } from "@skein/agent";
import { MemorySaver } from "@skein/checkpointer";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  PRESET_NAMES,
  presetContext,
  presetMiddleware,
  type PresetName,
  PRESETS,
  PRODUCTION,
  PRODUCTION_LIMITS,
  RUN_LOOPS,
  WATERMARKS_OUTPUTS,
} from "../src/presets/index.ts";
import type { HITLRequest } from "../src/human-approval/index.ts";
import type { CompactionEvent } from "../src/summarization/index.ts";
import { ScriptedModel } from "./scripted-model.ts";

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
      "human-in-the-loop": [...summaries, "HumanInTheLoopMiddleware", ...limits],
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

  it("asks nobody about calls that its limits refuse", async () => {
    const tool_calls = Array.from({ length: 205 }, (_, at) => ({ id: `x${at}`, name: "pay", args: {} }));
    const agent = createAgent({
      model: new ScriptedModel(() => new AIMessage({ content: "", tool_calls })),
      checkpointer: new MemorySaver(),
      middleware: presetMiddleware("human-in-the-loop"),
    });
    const result = await agent.invoke({ messages: "Pay" }, { configurable: { thread_id: "t" } });
    const [asked] = (result as unknown as { __interrupt__: [{ value: HITLRequest }] }).__interrupt__;
    expect(asked.value.actionRequests).toHaveLength(PRODUCTION_LIMITS.toolCalls);
  });

  it("a name that there is not, and a window in which the numbers can't work, are refused", () => {
    expect(() => presetMiddleware("huge" as PresetName)).toThrow(/no preset "huge"; there are thresholds/u);
    expect(() => presetMiddleware("watermarks", { window: 32_000 })).toThrow(/above the maximum of 19200/u);
    expect(() => presetMiddleware("thresholds", { window: 0 })).toThrow(/window/u);
    for (const name of PRESET_NAMES) expect(PRESETS[name].about.length).toBeGreaterThan(10);
  });
});

describe("an agent with a preset (C, E5)", () => {
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
