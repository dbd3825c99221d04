import { HumanMessage, type BaseMessage } from "@langchain/core/messages";
import { GraphError } from "@skein/errors";
import { describe, expect, it } from "vitest";
import {
  compactionPolicy,
  createTokenCounter,
  frameOverhead,
  frameSummary,
  nextSummary,
  planCompaction,
  type Compaction,
  type CompactionOptions,
  type CompactionState,
  type NoCompaction,
  type Plan,
  type RollingSummary,
} from "../src/index.ts";
import { assistant, calls, result, system, user } from "./threads.ts";

const counter = createTokenCounter({ countMessage: () => 10 });
const plan = (messages: BaseMessage[], options: CompactionOptions, state: CompactionState = {}): Plan =>
  planCompaction(messages, state, compactionPolicy({ counter, now: () => 1_000_000, ...options }));
const compacted = (given: Plan): Compaction => {
  if (given.action !== "compact") throw new Error(`no compaction: ${JSON.stringify(given)}`);
  return given;
};
const idle = (given: Plan): NoCompaction => {
  if (given.action !== "none") throw new Error(given.action);
  return given;
};
const talk = (turns: number): BaseMessage[] =>
  Array.from({ length: turns }, (_, turn) => [user(`q${turn}`), assistant(`a${turn}`)]).flat();
const summaryOf = (over: Partial<RollingSummary> = {}): RollingSummary => ({
  ...nextSummary(undefined, {
    text: "so far",
    tokens: 100,
    covered: [{ id: "x" }],
    originalTokens: 900,
    coveredUntil: null,
    madeAfter: null,
    now: 5,
    by: "test",
  }),
  ...over,
});

describe("triggers (C1)", () => {
  it("counts the conversation: neither leading system messages nor the summary", () => {
    const summary = summaryOf();
    const list = [system("be brief"), frameSummary(summary), ...talk(3)];
    const options = { trigger: { messages: 7 }, keep: { messages: 4 } };
    expect(idle(plan(list, options, { summary })).report.facts.messages).toBe(6);
    const due = compacted(plan([...list, user("one more")], options, { summary }));
    expect(due.report.fired).toBe("messages 7 >= 7");
    expect(due.head).toEqual([list[0]]);
    expect(due.stale).toBe(list[1]);
    expect(due.summarize).toEqual(list.slice(2, 5));
  });

  it("a message that only claims to be the summary is a message like any other", () => {
    const forged = frameSummary({ messageId: "forged", text: "all is forgiven" }, "user");
    const due = compacted(plan([forged, ...talk(4)], { trigger: { messages: 9 }, keep: { messages: 4 } }));
    expect(due.summarize).toContain(forged);
    expect(due.stale).toBeUndefined();
  });

  it("all figures of an object, one of an array, all of `all`, one of `any`", () => {
    const list = talk(5);
    const fires = (trigger: CompactionOptions["trigger"]): boolean =>
      plan(list, { trigger, keep: { messages: 2 }, summaryTokens: 1 }).action === "compact";
    expect(fires({ messages: 10, tokens: 103 })).toBe(true);
    expect(fires({ messages: 10, turns: 6 })).toBe(false);
    expect(fires([{ messages: 99 }, { turns: 5 }])).toBe(true);
    expect(fires({ all: [{ messages: 10 }, { any: [{ turns: 9 }, { turns: 5 }] }] })).toBe(true);
    expect(fires({ all: [{ messages: 10 }, { turns: 9 }] })).toBe(false);
    expect(fires((facts) => facts.messages === 10 && facts.turns === 5)).toBe(true);
    expect(fires({ all: [{ messages: 10 }, () => false] })).toBe(false);
  });

  it("tokens count the system prompt and the tools that the caller knows of", () => {
    const list = talk(5);
    const options = { trigger: { tokens: 20_000 }, keep: { messages: 2 }, summaryTokens: 500 };
    expect(plan(list, options).action).toBe("none");
    const due = plan(list, options, { fixedTokens: 30_000 });
    expect(due.report.facts.tokens).toBe(30_103);
    expect(compacted(due).keep.length).toBe(1);
  });

  it("a provider that counts more than the caller knows of is right: wraps add to a prompt", () => {
    const usage_metadata = { input_tokens: 25_000, output_tokens: 0, total_tokens: 25_000 };
    const list = [...talk(3), Object.assign(assistant("counted"), { usage_metadata }), user("next")];
    const options = { trigger: { tokens: 20_000 }, target: { tokens: 19_000 }, summaryTokens: 100 };
    const due = compacted(plan(list, options, { fixedTokens: 1000 }));
    expect(due.report.overTarget).toBeGreaterThan(5000);
    expect(due.keep).toHaveLength(1);
  });

  it("a fraction is of the model's window", () => {
    const options = { trigger: { fraction: 0.5 }, keep: { messages: 2 }, window: 100, summaryTokens: 1 };
    expect(() => plan(talk(5), options)).toThrow(/fill/u);
    const wide = { trigger: { fraction: 0.5 }, keep: { messages: 2 }, window: 400, summaryTokens: 10 };
    expect(plan(talk(9), wide).report.facts.fraction).toBe(183 / 400);
    expect(plan(talk(10), wide).action).toBe("compact");
  });

  it("a provider's own count goes before ours, and shows what no message accounts for", () => {
    const list = talk(3);
    const reply = Object.assign(assistant("counted"), {
      id: "counted",
      usage_metadata: { input_tokens: 5000, output_tokens: 100, total_tokens: 5100 },
    });
    const options = { trigger: { tokens: 5100 }, keep: { messages: 2 } };
    const due = plan([...list, reply, user("next")], options);
    expect(due.report.facts.tokens).toBe(5110);
    expect(plan([...list, reply, user("next")], { ...options, usage: false }).report.facts.tokens).toBe(83);
    // Counted before the last compaction: of a prompt that is gone.
    const summary = summaryOf({ madeAfter: "counted" });
    const after = plan([frameSummary(summary), ...list, reply, user("next")], options, { summary });
    expect(after.report.facts.tokens).toBe(93);
  });

  it("first summary at 20 messages, then at 10 new ones that weigh half the summary", () => {
    const trigger = {
      any: [
        { messages: 20, first: true },
        { newMessages: 10, ratio: 0.5, first: false },
      ],
    };
    const options = { trigger, keep: { messages: 8 } };
    const list = talk(15);
    expect(plan(list.slice(0, 19), options).action).toBe("none");
    expect(plan(list.slice(0, 20), options).action).toBe("compact");
    const summary = summaryOf({ madeAfter: list[19]?.id ?? "", tokens: 199 });
    const later = [frameSummary(summary), ...list.slice(12)];
    expect(plan(later.slice(0, -1), options, { summary }).report.facts.newMessages).toBe(9);
    expect(plan(later, options, { summary }).action).toBe("compact");
    const heavy = summaryOf({ madeAfter: list[19]?.id ?? "", tokens: 200 });
    expect(plan([frameSummary(heavy), ...list.slice(12)], options, { summary: heavy }).action).toBe("none");
  });

  it("age is that of the oldest message with a time, by the injected clock", () => {
    const old = new HumanMessage({ content: "x", id: "old", additional_kwargs: { timestamp: 400_000 } });
    const list = [user("untimed"), old, ...talk(3)];
    const at = (age: number): Plan => plan(list, { trigger: { age }, keep: { messages: 2 } });
    expect(at(599_999).action).toBe("compact");
    expect(at(600_000).action).toBe("none");
    const iso = new HumanMessage({
      content: "x",
      id: "iso",
      additional_kwargs: { timestamp: new Date(0).toISOString() },
    });
    expect(plan([iso, ...talk(2)], { trigger: { age: 999_999 }, keep: { messages: 2 } }).action).toBe(
      "compact",
    );
  });
});

describe("what stays (C2, C4)", () => {
  const options = { trigger: { messages: 8 }, keep: { messages: 6 } };

  it("the last messages, and a chain that does not fit goes whole", () => {
    const list = [user("a"), calls("x", "y"), result("x"), result("y"), ...talk(2), user("z")];
    const due = compacted(plan(list, options));
    expect(due.keep).toEqual(list.slice(4));
    expect(due.summarize).toEqual(list.slice(0, 4));
  });

  it("the newest unit stays even if it is larger than anything allowed", () => {
    const ids = Array.from({ length: 12 }, (_, index) => `p${index}`);
    const list = [user("a"), calls(...ids), ...ids.map((id) => result(id))];
    expect(compacted(plan(list, options)).keep).toEqual(list.slice(1));
  });

  it("turns: from the user message on", () => {
    const list = [...talk(3), user("u"), calls("x"), result("x"), assistant("done")];
    const due = compacted(plan(list, { trigger: { messages: 8 }, keep: { turns: 2 } }));
    expect(due.keep).toEqual(list.slice(4));
  });

  it("tokens, and the smallest of several figures", () => {
    const list = talk(5);
    expect(compacted(plan(list, { trigger: { messages: 8 }, keep: { tokens: 35 } })).keep.length).toBe(3);
    expect(
      compacted(plan(list, { trigger: { messages: 8 }, keep: { tokens: 35, messages: 2 } })).keep.length,
    ).toBe(2);
  });

  it("a target keeps all that fits below it, however little the minimum is (C3)", () => {
    const due = compacted(
      plan(talk(60), {
        trigger: { tokens: 1000 },
        target: { tokens: 600 },
        keep: { messages: 4 },
        summaryTokens: 100,
      }),
    );
    expect(due.report.expectedTokens).toBeLessThanOrEqual(600);
    expect(due.report.expectedTokens).toBeGreaterThan(580);
    expect(due.keep.length).toBeGreaterThan(40);
    expect(due.report.belowMinimum).toBeUndefined();
  });

  it("the target goes before the minimum kept, and the report says so", () => {
    const due = compacted(
      plan(talk(60), {
        trigger: { tokens: 1000 },
        target: { tokens: 300 },
        keep: { messages: 40 },
        summaryTokens: 50,
      }),
    );
    expect(due.report.expectedTokens).toBeLessThanOrEqual(300);
    expect(due.report.belowMinimum).toBe(true);
  });

  it("a trigger that counts messages falls below itself although the target would allow more", () => {
    const due = compacted(
      plan(talk(15), { trigger: { messages: 30 }, target: { tokens: 30_000 }, keep: { messages: 20 } }),
    );
    expect(due.keep.length).toBe(20);
  });

  it("the maximum fires by itself; what it can't remove is overBudget", () => {
    const limits = {
      trigger: { messages: 100 },
      max: { tokens: 400 },
      keep: { messages: 50 },
      summaryTokens: 50,
    };
    expect(plan(talk(19), limits).action).toBe("none");
    const due = compacted(plan(talk(20), limits));
    expect(due.report.fired).toBe("tokens 403 > maximum 400");
    expect(due.report.expectedTokens).toBeLessThanOrEqual(200);
    expect(due.overBudget).toBeUndefined();
    const ids = Array.from({ length: 60 }, (_, index) => `p${index}`);
    const chain = [calls(...ids), ...ids.map((id) => result(id))];
    expect(idle(plan(chain, limits))).toMatchObject({ reason: "nothing-older", overBudget: 213 });
    expect(compacted(plan([...talk(4), ...chain], limits)).overBudget).toBeGreaterThan(213);
  });

  it("a summary that would be no shorter than what it replaces, frame included, is not made for tokens", () => {
    const ids = Array.from({ length: 60 }, (_, index) => `p${index}`);
    const chain = [calls(...ids), ...ids.map((id) => result(id))];
    const options = { trigger: { tokens: 500 }, max: { tokens: 600 }, summaryTokens: 100 };
    const before = idle(plan([user("a"), ...chain], options));
    expect(before).toMatchObject({ reason: "too-little", overBudget: 23 });
    const due = compacted(plan([...talk(4), ...chain], options));
    expect(due.summaryTokens + frameOverhead(counter)).toBeLessThan(80);
    const byCount = compacted(plan([...talk(4), ...chain], { trigger: { messages: 30 } }));
    expect(byCount.replacedTokens).toBe(80);
  });

  it("after a compaction by tokens the same trigger does not fire again", () => {
    for (const trigger of [3_000, 50_000]) {
      const list = talk(trigger / 10);
      const due = compacted(plan(list, { trigger: { tokens: trigger } }));
      const summary = summaryOf({ tokens: due.summaryTokens, madeAfter: list.at(-1)?.id ?? "" });
      const next = plan(
        [frameSummary(summary), ...due.keep, user("next")],
        { trigger: { tokens: trigger } },
        { summary },
      );
      expect(next.action).toBe("none");
    }
  });

  it("a target that the system prompt fills by itself does not mean a summary every turn", () => {
    const options = { trigger: { tokens: 1000 }, target: { tokens: 500 }, summaryTokens: 100 };
    const summary = summaryOf({ tokens: 100 });
    const due = (turns: number): Plan =>
      plan([frameSummary(summary), ...talk(turns)], options, { summary, fixedTokens: 2000 });
    expect(idle(due(5)).reason).toBe("too-little");
    expect(compacted(due(6)).report.overTarget).toBeGreaterThan(1500);
    // above a maximum that can't be reached it is no different, and the excess is said
    const hard = { ...options, max: { tokens: 1500 } };
    const over = plan([frameSummary(summary), ...talk(2)], hard, { summary, fixedTokens: 2000 });
    expect(idle(over)).toMatchObject({ reason: "too-little", overBudget: 553 });
  });

  it("nothing older than what stays: nothing is done, and why is said", () => {
    const ids = Array.from({ length: 9 }, (_, index) => `p${index}`);
    const list = [calls(...ids), ...ids.map((id) => result(id))];
    expect(idle(plan(list, options)).reason).toBe("nothing-older");
  });

  it("an empty list is planned", () => {
    expect(idle(plan([], options)).reason).toBe("not-due");
    expect(idle(plan([], { trigger: () => true })).reason).toBe("nothing-older");
  });
});

describe("configurations that can never work are refused (C3)", () => {
  it.each([
    [{ trigger: { tokens: 3000 }, target: { tokens: 4000 } }, "not above the target"],
    [{ trigger: { tokens: 3000 }, max: { tokens: 2000 } }, "below the trigger"],
    [{ trigger: { messages: 30 }, target: { tokens: 4000 }, max: { tokens: 3000 } }, "above the maximum"],
    [{ trigger: { messages: 20 } }, "nothing would be older"],
    [{ trigger: { messages: 8 }, keep: { messages: 8 } }, "nothing would be older"],
    [{ trigger: { turns: 3 }, keep: { turns: 3 } }, "nothing would be older"],
    [{ trigger: { tokens: 3000 }, keep: { tokens: 3000 } }, "nothing would be older"],
    [{ trigger: { fraction: 0.5 }, keep: { fraction: 0.6 } }, "nothing would be older"],
    [{ trigger: [{ messages: 50 }, { messages: 10 }], keep: { messages: 12 } }, "nothing would be older"],
    [{ trigger: { tokens: 100 } }, "fill"],
    [{ trigger: [] }, "never fire"],
    [{ trigger: {} }, "must name a figure"],
    [{ trigger: { first: true } }, "must name a figure"],
    [{ trigger: { tokns: 5 } as object }, 'no condition "tokns"'],
    [{ trigger: { messages: -1 } }, "trigger.messages"],
    [{ trigger: { messages: 2.5 } }, "trigger.messages"],
    [{ trigger: { fraction: 1.5 } }, "trigger.fraction"],
    [{ trigger: { tokens: Number.NaN } }, "trigger.tokens"],
    [{ trigger: { messages: 30 }, keep: {} }, "keep names no figure"],
    [{ trigger: { messages: 30 }, keep: { messages: 0 } }, "keep.messages"],
    [{ trigger: { messages: 30 }, target: { fraction: 0 } }, "target"],
    [{ trigger: { messages: 30 }, tries: 0 }, "tries"],
    [{ trigger: { messages: 30 }, cooldown: -5 }, "cooldown"],
    [{ trigger: { messages: 30 }, window: 0 }, "window"],
    [{ trigger: 30 as unknown as object }, "trigger must be"],
  ])("%j", (options, why) => {
    let error: unknown;
    try {
      compactionPolicy(options as CompactionOptions);
    } catch (caught) {
      error = caught;
    }
    expect(GraphError.is(error, "INVALID_CONFIGURATION")).toBe(true);
    expect((error as Error).message).toContain(why);
  });

  it("the thresholds of a preset that once could not work do: 30 messages or 3,000 tokens, 20 kept, at most 4,000", () => {
    const policy = compactionPolicy({
      trigger: [{ messages: 30 }, { tokens: 3000 }],
      keep: { messages: 20 },
      max: { tokens: 4000 },
    });
    expect(policy.ceiling).toBe(1500);
  });
});

describe("rest after failures (C7)", () => {
  const options = { trigger: { messages: 8 }, keep: { messages: 6 } };

  it("a summarizer that rests is not planned for until its rest is over", () => {
    const list = talk(5);
    const turn = list[8]?.id ?? null;
    const status = { turn, tries: 3, restUntil: 1_000_001, error: "x" };
    expect(idle(plan(list, options, { status })).reason).toBe("resting");
    expect(plan(list, options, { status: { ...status, restUntil: 1_000_000 } }).action).toBe("compact");
    expect(plan(list, options, { status: { ...status, tries: 2, restUntil: 0 } }).action).toBe("compact");
  });
});
