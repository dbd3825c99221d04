import { budgetOf, compactionPolicy, frameSummary, nextSummary } from "@skein/context";
import { describe, expect, it } from "vitest";
import {
  DEVELOPMENT,
  MINIMAL,
  PRODUCTION,
  PRODUCTION_LIMITS,
  SLIDING_WINDOW,
  WATERMARKS,
} from "../src/presets/index.ts";
import { fired, kept, plan, talk } from "./preset-plans.ts";

describe("the numbers of each preset (C, E5)", () => {
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
});
