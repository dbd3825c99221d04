import type { BaseMessage } from "@langchain/core/messages";
import { describe, expect, it } from "vitest";
import {
  adopt,
  compactionPolicy,
  createTokenCounter,
  frameSummary,
  nextSummary,
  planAhead,
  planCompaction,
  seemsPrefix,
  type Ahead,
  type CompactionOptions,
  type CompactionState,
} from "../src/index.ts";
import { assistant, calls, result, user } from "./threads.ts";

const counter = createTokenCounter({ countMessage: () => 10 });
const policyOf = (options: CompactionOptions) =>
  compactionPolicy({ counter, now: () => 0, background: true, ...options });
const talk = (turns: number): BaseMessage[] =>
  Array.from({ length: turns }, (_, turn) => [user(`q${turn}`), assistant(`a${turn}`)]).flat();
const ahead = (messages: BaseMessage[], options: CompactionOptions, state: CompactionState = {}): Ahead => {
  const planned = planAhead(messages, state, policyOf(options));
  if (planned === undefined) throw new Error("nothing is prepared");
  return planned;
};
const candidate = ({ prefix }: Ahead) => ({ text: "so far", tokens: 50, prefix });

const made = (text: string) =>
  nextSummary(undefined, {
    text,
    tokens: 50,
    covered: [],
    originalTokens: 100,
    coveredUntil: null,
    madeAfter: null,
    now: 0,
    by: "test",
  });

const byTokens = {
  trigger: { tokens: 1_000 },
  target: { tokens: 600 },
  keep: { messages: 4 },
  summaryTokens: 100,
};
const byMessages = { trigger: { messages: 30 }, keep: { messages: 20 } };

describe("a summary that is prepared before it is needed (C8)", () => {
  it("starts at the target, or at three quarters of a trigger without one", () => {
    expect(planAhead(talk(29), {}, policyOf(byTokens))).toBeUndefined();
    expect(planAhead(talk(30), {}, policyOf(byTokens))).toBeDefined();
    expect(planAhead(talk(11), {}, policyOf(byMessages))).toBeUndefined();
    expect(planAhead([...talk(11), user("23")], {}, policyOf(byMessages))).toBeDefined();
    expect(planAhead(talk(40), {}, compactionPolicy({ ...byTokens, counter }))).toBeUndefined();
    const own = policyOf({ ...byMessages, background: { start: { messages: 25 } } });
    expect(planAhead(talk(12), {}, own)).toBeUndefined();
    expect(planAhead(talk(13), {}, own)).toBeDefined();
  });

  it.each([
    ["messages", byMessages, 12],
    ["tokens", byTokens, 31],
    ["turns", { trigger: { turns: 15 }, keep: { turns: 10 } }, 12],
  ] as [string, CompactionOptions, number][])(
    "covers what the trigger will want, counted in %s",
    (_what, options, turns) => {
      const list = talk(60);
      const planned = ahead(list.slice(0, turns * 2), options);
      const policy = policyOf(options);
      let length = turns * 2;
      while (planCompaction(list.slice(0, length), {}, policy).action === "none") length++;
      const now = list.slice(0, length);
      const due = planCompaction(now, {}, policy);
      const adopted = adopt(candidate(planned), now, {}, policy);
      if (due.action !== "compact" || typeof adopted === "string") throw new Error(JSON.stringify(adopted));
      expect(Math.abs(adopted.summarize.length - due.summarize.length)).toBeLessThanOrEqual(2);
      expect([...adopted.summarize, ...adopted.keep]).toEqual(now);
    },
  );

  it("is put in force on the branch that begins with what it covers, and on no other", () => {
    const list = talk(20);
    const planned = ahead(list.slice(0, 24), byMessages);
    const policy = policyOf(byMessages);
    const grown = list.slice(0, 30);
    expect(typeof adopt(candidate(planned), grown, {}, policy)).toBe("object");
    const edited = [...grown];
    edited[1] = assistant("something else");
    (edited[1] as BaseMessage).id = grown[1]?.id as string;
    expect(adopt(candidate(planned), edited, {}, policy)).toBe("other-branch");
    expect(adopt(candidate(planned), grown.slice(1), {}, policy)).toBe("other-branch");
    expect(adopt(candidate(planned), [...talk(10), ...talk(5)], {}, policy)).toBe("other-branch");
    expect(adopt(candidate(planned), grown.slice(0, 4), {}, policy)).toBe("other-branch");
  });

  it("speaks for the summary that it was folded from, and for no other", () => {
    const [first, second] = [made("first"), made("second")];
    const list = talk(20);
    const planned = ahead([frameSummary(first), ...list.slice(0, 24)], byMessages, { summary: first });
    const policy = policyOf(byMessages);
    const with_ = (summary: typeof first) => [frameSummary(summary), ...list.slice(0, 30)];
    expect(typeof adopt(candidate(planned), with_(first), { summary: first }, policy)).toBe("object");
    expect(adopt(candidate(planned), with_(second), { summary: second }, policy)).toBe("other-branch");
    expect(seemsPrefix(planned.prefix, with_(first))).toBe(true);
    expect(seemsPrefix(planned.prefix, with_(second))).toBe(false);
    expect(seemsPrefix(planned.prefix, list.slice(0, 2))).toBe(false);
  });

  it("never covers a chain whose results may still come, nor tears one that came late", () => {
    const open = [...talk(11), calls("x", "y"), result("x")];
    const planned = ahead(open, byMessages);
    expect(planned.compaction.summarize).not.toContain(open[22]);
    const early = [user("a"), calls("x", "y"), result("x"), ...talk(11)];
    const late = ahead(early, { ...byMessages, keep: { messages: 21 } });
    const policy = policyOf(byMessages);
    const torn = [...early, result("y"), ...talk(3)];
    expect(late.prefix.count).toBeLessThan(early.length);
    expect(adopt(candidate(late), torn, {}, policy)).toBe("other-branch");
  });

  it("too little is not used: the trigger would fire again at once", () => {
    const list = talk(100);
    const planned = ahead(list.slice(0, 64), byTokens);
    expect(adopt(candidate(planned), list.slice(0, 160), {}, policyOf(byTokens))).toBe("too-little");
  });

  it("is not begun while the summarizer rests", () => {
    const status = { turn: null, tries: 3, restUntil: 5, error: "down" };
    expect(planAhead(talk(35), { status }, policyOf(byTokens))).toBeUndefined();
  });

  it.each([
    [{ trigger: { age: 1_000 }, background: true }, "background needs"],
    [{ trigger: () => true, background: true }, "background needs"],
    [{ trigger: { messages: 30 }, background: true, summarize: false }, "summarize is false"],
    [{ trigger: { messages: 30 }, background: { start: {} } }, "must name a figure"],
  ] as [CompactionOptions, string][])("%j is refused", (options, why) => {
    expect(() => compactionPolicy(options)).toThrow(why);
  });
});
