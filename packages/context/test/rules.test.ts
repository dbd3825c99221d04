import { describe, expect, it } from "vitest";
import {
  budgetOf,
  compactionPolicy,
  compressOutput,
  createTokenCounter,
  extractiveSummarizer,
  fitTokens,
  headAndTail,
  planClearing,
  planCompaction,
  planCompression,
  planLoopView,
  planOffloading,
  promptSummarizer,
  type Trigger,
} from "../src/index.ts";
import { calls, result, user } from "./threads.ts";

const counter = createTokenCounter();
const list = [user("go"), calls("x"), result("x", "found it ".repeat(90))];

const shares = { use: 0.6, summary: 0.26, recent: 0.65 };
const triggered = (trigger: unknown, now: () => number = Date.now) =>
  compactionPolicy({ trigger: trigger as Trigger, now });

const compression = { limit: 20, keepTurns: 0, saveAtLeast: 0, counter };
const offloading = { limit: 30, keep: 12, counter };
const clearing = {
  keep: { messages: 0 },
  placeholder: "[cleared]",
  clearToolInputs: false,
  saveAtLeast: 0,
  counter,
};
const loops = { loops: 0, characters: 30, maxAge: Infinity, now: 0, counter };

describe("a planner refuses a rule that can't be followed, and names the option", () => {
  it.each<[string, (messages: typeof list, rule: never) => unknown, object, [string, unknown][]]>([
    [
      "planCompression",
      planCompression,
      compression,
      [
        ["limit", -1],
        ["limit", Number.NaN],
        ["limit", null],
        ["keepTurns", "5"],
        ["saveAtLeast", undefined],
        ["counter", {}],
        ["excludeTools", ["read"]],
        ["memo", {}],
        ["excludeTool", new Set(["read"])],
      ],
    ],
    [
      "planOffloading",
      planOffloading,
      offloading,
      [
        ["limit", 0],
        ["limit", Number.NaN],
        ["keep", -3],
        ["keep", 30],
        ["counter", null],
      ],
    ],
    [
      "planClearing",
      planClearing,
      clearing,
      [
        ["keep", null],
        ["keep", {}],
        ["keep", { messages: 3, tokens: 100 }],
        ["keep", { messages: -1 }],
        ["keep", { tokens: Number.NaN }],
        ["placeholder", null],
        ["clearToolInputs", "no"],
        ["saveAtLeast", -1],
      ],
    ],
    [
      "planLoopView",
      planLoopView,
      loops,
      [
        ["loops", -1],
        ["loops", Number.NaN],
        ["characters", 0],
        ["maxAge", -1],
        ["maxAge", null],
        ["now", Number.NaN],
        ["now", undefined],
      ],
    ],
  ])("%s", (of, plan, rule, wrong) => {
    expect(() => plan(list, rule as never)).not.toThrow();
    for (const [option, value] of wrong) {
      const refused = () => plan(list, { ...rule, [option]: value } as never);
      const details = expect.objectContaining({ option });
      expect(refused, `${option} ${value}`).toThrow(
        expect.objectContaining({ code: "INVALID_CONFIGURATION", details }),
      );
      expect(refused).toThrow(new RegExp(`${option}.* ${of}|${of}.* "${option}"`, "u"));
    }
    for (const none of [null, undefined, 7]) {
      expect(() => plan(list, none as never)).toThrow(/takes a rule, not/u);
    }
  });

  it("planCompaction wants what compactionPolicy returns", () => {
    for (const policy of [null, undefined, { trigger: { messages: 3 } }]) {
      expect(() => planCompaction(list, {}, policy as never)).toThrow(
        expect.objectContaining({ code: "INVALID_CONFIGURATION" }),
      );
    }
  });

  it.each<[string, () => unknown, RegExp]>([
    ["any is no list", () => triggered({ any: null }), /trigger\.any must be a list/u],
    ["all is no list", () => triggered({ all: "messages" }), /trigger\.all must be a list/u],
    [
      "a figure beside any",
      () => triggered({ any: [{ messages: 30 }], turns: 9 }),
      /names "turns" beside "any"/u,
    ],
    ["first is no switch", () => triggered({ messages: 30, first: "yes" }), /trigger\.first must be true/u],
    ["no window", () => budgetOf(shares, Number.NaN, 100), /window must be a whole number/u],
    ["no tokens", () => budgetOf(shares, 1_000, Number.NaN), /systemTokens must be a number/u],
    ["no shares", () => budgetOf(null as never, 1_000, 0), /budgets must be an object/u],
    ["no counter", () => extractiveSummarizer(null as never), /counter of extractiveSummarizer/u],
    [
      "nobody to ask",
      () => promptSummarizer({ ask: null as never, counter, maxInputTokens: 1_000 }),
      /ask of promptSummarizer/u,
    ],
    [
      "a clock that stands nowhere",
      () =>
        planCompaction(
          list,
          {},
          triggered({ age: 5 }, () => Number.NaN),
        ),
      /now must return milliseconds/u,
    ],
  ])("%s: refused with its reason", (_what, act, why) => {
    expect(act).toThrow(expect.objectContaining({ code: "INVALID_CONFIGURATION" }));
    expect(act).toThrow(why);
  });

  it.each([Number.NaN, -5, null, undefined, "20"])("a text is not cut to %s tokens for ever", (tokens) => {
    const refused = expect.objectContaining({ code: "INVALID_CONFIGURATION", details: { option: "tokens" } });
    const text = "found it ".repeat(90);
    expect(() => fitTokens(text, tokens as number, counter)).toThrow(refused);
    expect(() => headAndTail(text, tokens as number, counter, () => "...")).toThrow(refused);
    expect(() => compressOutput(text, tokens as number, counter)).toThrow(refused);
  });
});
