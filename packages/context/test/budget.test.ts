import type { BaseMessage } from "@langchain/core/messages";
import { describe, expect, it } from "vitest";
import {
  budgetOf,
  checkSummary,
  compactionPolicy,
  createTokenCounter,
  planCompaction,
  planCompression,
  type CompactionOptions,
  type CompactionState,
} from "../src/index.ts";
import { assistant, calls, result, user } from "./threads.ts";

const SHARES = { use: 0.6, summary: 0.26, recent: 0.65 };
const counter = createTokenCounter({ countMessage: () => 10 });
const plan = (messages: BaseMessage[], options: CompactionOptions, state: CompactionState = {}) =>
  planCompaction(messages, state, compactionPolicy({ counter, now: () => 0, ...options }));
const talk = (turns: number): BaseMessage[] =>
  Array.from({ length: turns }, (_, turn) => [user(`q${turn}`), assistant(`a${turn}`)]).flat();

const long = (n: number) => result(`x${n}`, "the parcel left the depot ".repeat(300));
const usage = (tokens: number) => ({ input_tokens: tokens, output_tokens: 0, total_tokens: tokens });

describe("budgets (C11)", () => {
  it("system first, then 0.26 and 0.65 of the rest of 0.6 of 128,000, the rest as buffer", () => {
    expect(budgetOf(SHARES, 128_000, 2_000)).toEqual({
      total: 76_800,
      available: 74_800,
      summary: 19_448,
      recent: 48_620,
      buffer: 6_732,
    });
    expect(budgetOf({}, 128_000, 2_156)).toMatchObject({
      available: 74_644,
      summary: 19_407,
      recent: 48_519,
    });
    expect(budgetOf(SHARES, 1_000, 5_000)).toEqual({
      total: 600,
      available: 0,
      summary: 0,
      recent: 0,
      buffer: 0,
    });
  });

  it("messages above their budget fire by themselves and fit into it afterwards", () => {
    const options = { trigger: { messages: 500 }, keep: { messages: 400 }, budgets: SHARES, window: 1_000 };
    // 600 of 1,000; of 497 beside 100 for the prompt and 3 of overhead: 323 for messages
    expect(plan(talk(16), options, { fixedTokens: 100 }).action).toBe("none");
    const due = plan([...talk(16), user("next")], options, { fixedTokens: 100 });
    if (due.action !== "compact") throw new Error(due.action);
    expect(due.report.fired).toBe("messages' tokens 330 > budget 323");
    expect(due.keep.length * 10).toBeLessThanOrEqual(323);
    expect(due.summaryTokens).toBeLessThanOrEqual(129);
    expect(due.overBudget).toBeUndefined();
  });

  it("the budget of the whole prompt is a maximum", () => {
    const policy = compactionPolicy({ trigger: { messages: 500 }, budgets: SHARES, counter });
    expect(policy.max).toBe(76_800);
    expect(compactionPolicy({ trigger: { messages: 500 }, budgets: {}, max: { tokens: 5_000 } }).max).toBe(
      5_000,
    );
  });

  it("a chain above the messages' budget is said to be over it", () => {
    const ids = Array.from({ length: 60 }, (_, index) => `p${index}`);
    const chain = [calls(...ids), ...ids.map((id) => result(id))];
    const idle = plan(chain, { trigger: { messages: 500 }, budgets: SHARES, window: 1_000 });
    expect(idle).toMatchObject({ action: "none", reason: "nothing-older", overBudget: 610 - 388 });
  });

  it("a summary may not be longer than its budget, however long it was asked to be", () => {
    const due = plan(talk(40), {
      trigger: { messages: 50 },
      keep: { messages: 4 },
      budgets: SHARES,
      window: 2_000,
      summaryTokens: 250,
    });
    if (due.action !== "compact") throw new Error(due.action);
    expect([due.summaryTokens, due.longestSummary]).toEqual([250, 311]);
    expect(checkSummary("long", 312, { replaced: 1_000, longest: due.longestSummary })).toBe("too-long");
  });

  it("nothing is optimised at 10 messages or fewer, but for a maximum", () => {
    const options = { trigger: { tokens: 60 }, keep: { messages: 2 }, startAbove: 10, summaryTokens: 1 };
    const tiny = createTokenCounter({ countMessage: () => 10, tokenizer: { name: "none", count: () => 0 } });
    expect(plan(talk(5), { ...options, counter: tiny }).action).toBe("none");
    expect(plan([...talk(5), user("11")], { ...options, counter: tiny }).action).toBe("compact");
    expect(plan(talk(5), { ...options, counter: tiny, max: { tokens: 80 } }).action).toBe("compact");
  });

  it.each([
    [{ budgets: { use: 1.5 } }, "budgets.use"],
    [{ budgets: { summary: 0.5, recent: 0.6 } }, "more than the whole"],
    [{ budgets: { sumary: 0.5 } as object }, 'no share "sumary"'],
    [{ budgets: { use: 0 } }, "budgets.use"],
    [{ startAbove: -1 }, "startAbove"],
    [{ trigger: { tokens: 50_000 }, budgets: { use: 0.3 } }, "below the trigger"],
  ] as [Partial<CompactionOptions>, string][])("%j is refused", (options, why) => {
    expect(() => compactionPolicy({ trigger: { messages: 30 }, ...options })).toThrow(why);
  });
});

/** Replies carry what a provider with a finer tokenizer would have counted. */
function reported(turns: number, perToken: number, fixed: number): BaseMessage[] {
  const list: BaseMessage[] = [];
  for (let turn = 0; turn < turns; turn++) {
    list.push(user(`q${turn}`));
    const input = fixed + Math.round(list.length * 10 * perToken);
    const usage_metadata = { input_tokens: input, output_tokens: 0, total_tokens: input };
    list.push(Object.assign(assistant(`a${turn}`), { usage_metadata }));
  }
  return list;
}

describe("calibration from the provider's reports (C10)", () => {
  const options = { trigger: { tokens: 2_000 }, target: { tokens: 1_000 }, summaryTokens: 50 };

  it("a target is kept in the provider's tokens, not in ours", () => {
    const due = plan(reported(60, 1.5, 300), options);
    if (due.action !== "compact") throw new Error(due.action);
    expect(due.scale).toBeCloseTo(1.5, 1);
    const left = 300 + due.keep.length * 15 + 50 * 1.5;
    expect(left).toBeLessThanOrEqual(1_000);
    expect(left).toBeGreaterThan(850);
    // without reports the estimate is all that there is, and the prompt would be 50 % too long
    const blind = plan(reported(60, 1.5, 300), { ...options, usage: false, trigger: { tokens: 1_100 } });
    if (blind.action !== "compact") throw new Error(blind.action);
    expect(blind.scale).toBeUndefined();
    expect(300 + blind.keep.length * 15).toBeGreaterThan(1_000);
  });

  it("what is in every prompt is no calibration: it cancels out", () => {
    const due = plan(reported(60, 1, 1_000), { ...options, target: { tokens: 1_500 } });
    if (due.action !== "compact") throw new Error(due.action);
    expect(due.scale).toBeUndefined();
    expect(due.report.expectedTokens).toBeLessThanOrEqual(1_500);
  });

  it("is remembered by the summary and used before the next report comes", () => {
    const summary = { messageId: "none", madeAfter: null, tokens: 5, scale: 2 } as never;
    const facts = plan(talk(10), options, { summary }).report.facts;
    expect(facts.tokens).toBe(403);
    const wild = { messageId: "none", madeAfter: null, tokens: 5, scale: 1e9 } as never;
    expect(plan(talk(10), options, { summary: wild }).report.facts.tokens).toBe(203);
  });

  it("a prompt that was exchanged between two replies is no tokenizer's doing", () => {
    const list = reported(60, 1, 0);
    const last = list.at(-1) as { usage_metadata?: unknown };
    last.usage_metadata = { input_tokens: 90_000, output_tokens: 0, total_tokens: 90_000 };
    const due = plan(list, options);
    if (due.action !== "compact") throw new Error(due.action);
    expect(due.scale).toBeUndefined();
  });
});

it("what was shortened since a provider counted the prompt is not in its count any more (C10)", () => {
  const history = [0, 1, 2].flatMap((n) => [user(`q${n}`), calls(`x${n}`), long(n), assistant("fine")]);
  const tokens = createTokenCounter();
  const reply = Object.assign(assistant("counted"), { usage_metadata: usage(tokens.messages(history)) });
  const options = { trigger: { tokens: 3_000 }, target: { tokens: 1_500 }, counter: tokens };
  const before = [...history, reply, user("next")];
  expect(plan(before, options).action).toBe("compact");
  const rule = { limit: 200, keepTurns: 1, saveAtLeast: 1, counter: tokens };
  const shorter = new Map(planCompression(before, rule).replace.map((message) => [message.id, message]));
  const after = before.map((message) => shorter.get(message.id) ?? message);
  expect(plan(after, options)).toMatchObject({ action: "none", reason: "not-due" });
  // a later report counts what is shown
  const later = Object.assign(assistant("counted anew"), { usage_metadata: usage(3_500) });
  expect(plan([...after, later, user("more")], options).action).toBe("compact");
});

describe("without a summary (C6)", () => {
  const options = { trigger: { messages: 8 }, keep: { messages: 6 }, summarize: false };

  it("what is older than the window is left out: no room is kept for a summary, no summarizer can rest", () => {
    const status = { turn: null, tries: 3, restUntil: 9e15, error: "down" };
    const due = plan(talk(5), options, { status });
    if (due.action !== "compact") throw new Error(due.action);
    expect(due.summarize).toHaveLength(4);
    expect(due.summaryTokens).toBe(0);
    expect(due.report.expectedTokens).toBe(63);
  });

  it("a provider's count from before the last cut is of a prompt that is gone", () => {
    const list = reported(5, 1, 5_000);
    const tokens = { trigger: { tokens: 5_060 }, keep: { messages: 4 }, summarize: false };
    expect(plan(list, tokens).action).toBe("compact");
    const omitted = { count: 6, tokens: 60, until: null, madeAfter: list.at(-1)?.id ?? null };
    expect(plan(list.slice(-4), tokens, { omitted }).action).toBe("none");
  });
});
