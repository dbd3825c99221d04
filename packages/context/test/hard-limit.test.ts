import { ToolMessage, type BaseMessage } from "@langchain/core/messages";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  compactionPolicy,
  countOrphans,
  createTokenCounter,
  planCompaction,
  repair,
  shortenedMark,
  type CompactionOptions,
  type Plan,
} from "../src/index.ts";
import { assistant, calls, result, thread, user } from "./threads.ts";

const counter = createTokenCounter();
const plan = (messages: readonly BaseMessage[], options: CompactionOptions): Plan =>
  planCompaction(messages, {}, compactionPolicy({ counter, now: () => 0, ...options }));

const long = (words: number): string => "the parcel left the depot ".repeat(words / 5);
const rows = JSON.stringify(Array.from({ length: 200 }, (_, id) => ({ id, title: `Row ${id}` })));
const tokensOf = (messages: readonly BaseMessage[]): number => counter.messages(messages);

/** The context as the plan leaves it, without the summary that is to come. */
function shown(given: Plan, messages: readonly BaseMessage[]): BaseMessage[] {
  const replace = given.action === "none" ? [] : given.replace;
  const list = given.action === "compact" ? [...given.head, ...given.keep] : messages;
  const by = new Map(replace.map((message) => [message.id, message]));
  return list.map((message) => by.get(message.id) ?? message);
}

describe("a hard maximum: outputs shorter, then chains under the summary, else overBudget (C2)", () => {
  const options: CompactionOptions = {
    trigger: { messages: 100 },
    max: { tokens: 2_000 },
    keep: { messages: 4 },
  };

  it("outputs of older turns alone, where that brings the prompt down to where a compaction would", () => {
    const list = [user("a"), calls("x"), result("x", long(2_800)), assistant("b"), user("c")];
    const given = plan(list, options);
    if (given.action !== "shorten") throw new Error(given.action);
    expect(given.report.fired).toMatch(/^tokens \d+ > maximum 2000$/u);
    expect(given.replace.map(({ id }) => id)).toEqual([list[2]?.id]);
    expect(tokensOf(shown(given, list))).toBeLessThanOrEqual(1_000);
    expect(given.report.expectedTokens).toBe(tokensOf(shown(given, list)));
    expect(list[2]?.content).toBe(long(2_800));
    expect(plan(shown(given, list), options)).toMatchObject({ action: "none", reason: "not-due" });
  });

  it("where they are not enough, chains go under the summary, and what stays is shorter as far as it takes", () => {
    const list = [
      ...Array.from({ length: 10 }, (_, at) => [user(`q ${at}`), assistant(long(400))]).flat(),
      calls("x", "y"),
      result("x", long(3_000)),
      result("y", rows),
    ];
    const given = plan(list, options);
    if (given.action !== "compact") throw new Error(given.action);
    expect(given.keep).toEqual(list.slice(-3));
    expect(given.replace.map(({ id }) => id)).toEqual(list.slice(-2).map(({ id }) => id));
    expect(given.overBudget).toBeUndefined();
    const { expectedTokens = 0 } = given.report;
    expect(expectedTokens).toBeLessThanOrEqual(2_000);
    expect(tokensOf(shown(given, list)) + given.summaryTokens).toBeLessThanOrEqual(2_000);
    expect(countOrphans(shown(given, list))).toBe(0);
  });

  it("the newest chain alone: each long output gets its share of what is left", () => {
    const list = [
      user("a"),
      calls("x", "y", "z"),
      result("x", long(2_000)),
      result("y", long(6_000)),
      result("z"),
    ];
    const given = plan([...list], { ...options, keep: { messages: 20 } });
    expect(given).not.toHaveProperty("overBudget");
    const left = shown(given, list);
    const sizes = left
      .filter((message) => ToolMessage.isInstance(message))
      .map((one) => counter.message(one));
    expect(tokensOf(left)).toBeLessThanOrEqual(2_000);
    expect(sizes[0]).toBeGreaterThan(400);
    expect(sizes[1]).toBeGreaterThan(400);
  });

  it("nothing can be made shorter: overBudget says by how much, and nothing else happens", () => {
    const list = [user(long(3_000))];
    expect(plan(list, options)).toMatchObject({
      action: "none",
      reason: "nothing-older",
      overBudget: tokensOf(list) - 2_000,
    });
  });

  it("a summarizer that rests: outputs are made shorter all the same", () => {
    const list = [user("a"), assistant(long(1_900)), user("b"), calls("x"), result("x", long(1_000))];
    const policy = compactionPolicy({ counter, now: () => 0, ...options });
    const status = { turn: null, tries: 3, restUntil: 1_000, error: "down" };
    const given = planCompaction(list, { status }, policy);
    expect(given).toMatchObject({ action: "shorten", overBudget: expect.any(Number) as number });
  });

  it("budgets of messages as well", () => {
    const list = [user("a"), calls("x"), result("x", long(2_000)), user("b")];
    const given = plan(list, { trigger: { messages: 100 }, window: 4_000, budgets: { use: 1, recent: 0.3 } });
    expect(given).toMatchObject({ action: "shorten" });
    expect(given.report.fired).toMatch(/^messages' tokens \d+ > budget/u);
  });

  it("property: after a plan the prompt is within the maximum, or overBudget is said; each output is shortened once", () => {
    const policy = compactionPolicy({
      counter,
      now: () => 0,
      trigger: { messages: 12 },
      max: { tokens: 700 },
      keep: { messages: 8 },
    });
    fc.assert(
      fc.property(thread, (messages) => {
        const list = repair(messages).messages.map((message, at) => Object.assign(message, { id: `n${at}` }));
        const given = planCompaction(list, {}, policy);
        const after = shown(given, list);
        const expected = given.report.expectedTokens ?? given.report.facts.tokens;
        expect(expected - (given.overBudget ?? 0)).toBeLessThanOrEqual(700);
        expect(countOrphans(after)).toBe(0);
        if (given.action === "none") return;
        for (const message of given.replace) expect(shortenedMark(message)?.by).toBe("compressed");
        const again = planCompaction(after, {}, policy);
        const twice = again.action === "none" ? [] : again.replace;
        const before = new Set(given.replace.map(({ id }) => id));
        expect(twice.some(({ id }) => before.has(id))).toBe(false);
      }),
    );
  });
});
