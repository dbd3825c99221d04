import type { BaseMessage } from "@langchain/core/messages";
import { structureOf, type Unit } from "../chains/units.ts";
import { reading } from "../messages/given.ts";
import { isUser } from "../messages/kinds.ts";
import { frameOverhead } from "../summary/frame.ts";
import { readiness } from "../summary/status.ts";
import type { Shortened } from "../outputs/steps.ts";
import { savedSince, scaleOf } from "./calibrate.ts";
import { chooseCut, summaryLimit } from "./cut.ts";
import { fitOlderOutputs, fitOutputs, NOTHING_SHORTER } from "./fit.ts";
import type { CompactionState } from "./state.ts";
import { look, type View } from "./view.ts";
import type { CompactionPolicy } from "./policy.ts";
import { firedBy, type Facts, type Fired } from "./trigger.ts";

/** What a plan was made from. */
export interface PlanReport {
  readonly facts: Facts;
  /** The condition that fired, in words. */
  readonly fired?: string;
  /** Tokens that the prompt should have after the compaction, a summary of full length included. */
  readonly expectedTokens?: number;
  /** Tokens by which the prompt stays above its target: what can't be cut leaves no room. */
  readonly overTarget?: number;
  /** Fewer messages stay than `keep` names, because a limit on tokens goes before it. */
  readonly belowMinimum?: true;
}

/** Nothing is to be done, and why. `overBudget`: tokens above the maximum that no compaction can remove. */
export interface NoCompaction {
  readonly action: "none";
  /** `too-little`: fewer tokens are wanted, and a summary would save none, or too few while the target is out of reach. */
  readonly reason: "not-due" | "nothing-older" | "too-little" | "resting" | "tries-used-up";
  readonly overBudget?: number;
  readonly report: PlanReport;
}

/** What stays and what the summary is to take in, or what is left out without one. Together with `head` they are the whole context. */
export interface Compaction {
  readonly action: "compact";
  /** Leading system messages; they stay before the summary. */
  readonly head: readonly BaseMessage[];
  readonly summarize: readonly BaseMessage[];
  readonly keep: readonly BaseMessage[];
  /** What is to be shown for some of `keep`: tool outputs, shorter, because the prompt would be above its maximum. */
  readonly replace: readonly BaseMessage[];
  /** The message of the old summary, which goes. */
  readonly stale?: BaseMessage;
  /**
   * Tokens that the new summary's text must stay below: those of `summarize` and of the old summary's
   * text. Less those of the frame that it brings, where fewer tokens are what the trigger wants.
   */
  readonly replacedTokens: number;
  /** Most tokens that the new summary should have; 0 where there is none. */
  readonly summaryTokens: number;
  /** Most tokens that it may have: twice that, but no more than its budget. */
  readonly longestSummary: number;
  /** The provider's tokens per token of ours, where its reports say that they differ. */
  readonly scale?: number;
  readonly overBudget?: number;
  readonly report: PlanReport;
}

/** No message leaves; tool outputs are shown shorter, so that a hard limit holds. */
export interface ShortenedOutputs {
  readonly action: "shorten";
  /** What stands for the messages with these ids. */
  readonly replace: readonly BaseMessage[];
  readonly savedTokens: number;
  readonly overBudget?: number;
  readonly report: PlanReport;
}

/** What is to become of a context: nothing, shorter tool outputs, or a compaction. */
export type Plan = NoCompaction | ShortenedOutputs | Compaction;

/**
 * Decides whether a context is to be compacted, and how. Pure but for the policy's clock and its
 * counter's cache: the same messages and state give the same plan. Costs what is new since the last
 * call while nothing fires.
 *
 * Precedence where limits conflict (C2): tool chains stay whole; then the maximum; then the target;
 * then the minimum kept. A maximum is kept by showing tool outputs shorter, then by moving chains
 * under the summary. The newest unit always stays; what can't be made shorter of it is `overBudget`.
 *
 * @throws GraphError INVALID_MESSAGE for what is no list of messages; INVALID_CONFIGURATION for a policy
 *   that compactionPolicy() did not return; INVALID_INPUT for a state that is none
 *
 * @example
 * const plan = planCompaction(messages, {}, compactionPolicy({ trigger: { messages: 8 }, keep: { messages: 6 } }));
 * if (plan.action === "compact") console.log(plan.summarize.length, "messages go under the summary");
 */
export function planCompaction(
  messages: readonly BaseMessage[],
  state: CompactionState,
  policy: CompactionPolicy,
): Plan {
  const first = reading("planCompaction", messages, () => look(messages, state, policy));
  if (whatFires(first, policy) === undefined) return notDue(first);
  // Looking for the provider's reports costs a walk, so it is done only where something depends on it.
  const view = calibrated(first, messages, state, policy);
  const fired = whatFires(view, policy);
  if (fired === undefined) return notDue(view);
  const { facts } = view;
  const units = unitsOf(view);
  const { cut, belowMinimum } = chooseCut(units, view, policy, fired.byTokens);
  const report: PlanReport = { facts, fired: fired.because, ...(belowMinimum ? { belowMinimum } : {}) };
  const from = units[cut]?.start ?? view.list.length;
  if (fired.hard === true) {
    const shorter = fitOlderOutputs(view.list.slice(view.start), policy.counter);
    if (isEnough(shorter, view, policy)) return shortening(shorter, view, policy, report);
  }
  if (cut === 0) return nothing("nothing-older", view, policy, report);
  const ready = policy.summarize ? readiness(state.status, turnOf(view.list), policy, policy.now()) : "ready";
  if (ready !== "ready") return nothing(ready, view, policy, report);
  const plan = compactionAt(from, { view, state, policy, report, fired });
  return fired.byTokens && isTooLittle(plan, view, state, policy)
    ? nothing("too-little", view, policy, report)
    : plan;
}

/** The units of the conversation, by their positions in the whole list. */
export function unitsOf({ list, start }: View): Unit[] {
  return structureOf(list.slice(start)).units.map((unit) => ({
    start: unit.start + start,
    end: unit.end + start,
  }));
}

/** The same view in the provider's tokens, as far as its reports say what they are. */
export function calibrated(
  view: View,
  messages: readonly BaseMessage[],
  state: CompactionState,
  policy: CompactionPolicy,
): View {
  if (!policy.usage) return view;
  const scale = scaleOf(view.list, view.since, view.totals, view.scale);
  const saved = savedSince(view, policy.counter);
  return scale === view.scale && saved === 0 ? view : look(messages, state, policy, scale, saved);
}

export const mayStart = ({ messages }: Facts, { startAbove }: CompactionPolicy): boolean =>
  startAbove === 0 || messages > startAbove;

/** The trigger, a maximum or a budget; the last two whatever the trigger says. */
function whatFires({ facts, recent, budget }: View, policy: CompactionPolicy): Fired | undefined {
  const fired = mayStart(facts, policy) ? firedBy(policy.alternatives, facts) : undefined;
  if (fired !== undefined) return fired;
  const { tokens } = facts;
  if (tokens > policy.max) {
    return { because: `tokens ${tokens} > maximum ${policy.max}`, byTokens: true, hard: true };
  }
  return budget !== undefined && recent > budget.recent
    ? { because: `messages' tokens ${recent} > budget ${budget.recent}`, byTokens: true, hard: true }
    : undefined;
}

/**
 * Where system prompt, tools and the newest unit fill the target by themselves, a trigger in tokens
 * fires on every turn. Then a compaction waits until there is something to gain, unless it brings the
 * prompt below its maximum; and where a framed summary would be as long as what it replaces, it waits
 * in any case.
 */
function isTooLittle(
  plan: Compaction,
  { facts }: View,
  state: CompactionState,
  policy: CompactionPolicy,
): boolean {
  if (!policy.summarize) return false;
  if (plan.replacedTokens < 2) return true;
  if (plan.report.overTarget === undefined) return false;
  if (facts.tokens > policy.max && plan.overBudget === undefined) return false;
  const old = state.summary?.tokens ?? 0;
  return old > 0 && plan.replacedTokens - old < plan.summaryTokens;
}

export interface Circumstances {
  readonly view: View;
  readonly state: CompactionState;
  readonly policy: CompactionPolicy;
  readonly report: PlanReport;
  readonly fired: Fired;
}

/** The compaction that takes in everything of the conversation before `from`. */
export function compactionAt(
  from: number,
  { view, state, policy, report, fired }: Circumstances,
): Compaction {
  const { list, start, totals, scale } = view;
  const frame = policy.summarize ? frameOverhead(policy.counter) : 0;
  const newFrame = fired.byTokens && view.stale === undefined ? frame : 0;
  const replacedTokens = totals.between(start, from) + (state.summary?.tokens ?? 0) - newFrame;
  const summaryTokens = policy.summarize
    ? Math.max(1, Math.min(summaryLimit(view, policy), replacedTokens - 1))
    : 0;
  const whole = Math.round(scale * totals.between(from, list.length));
  const others = view.base + Math.round(scale * (summaryTokens + frame));
  const excess = over(others + whole, whole, view, policy).overBudget ?? 0;
  const { replace, savedTokens } =
    excess > 0 ? fitOutputs(list.slice(from), excess / scale, policy.counter) : NOTHING_SHORTER;
  const left = whole - Math.round(scale * savedTokens);
  const expectedTokens = others + left;
  return {
    action: "compact",
    head: list.slice(0, view.headEnd),
    summarize: list.slice(start, from),
    keep: list.slice(from),
    replace,
    ...(view.stale === undefined ? {} : { stale: view.stale }),
    replacedTokens,
    summaryTokens,
    longestSummary: Math.min(summaryTokens * 2, (view.budget?.summary ?? Number.POSITIVE_INFINITY) / scale),
    ...(scale === 1 ? {} : { scale }),
    ...over(expectedTokens, left, view, policy),
    report: {
      ...report,
      expectedTokens,
      ...(expectedTokens > policy.ceiling ? { overTarget: expectedTokens - policy.ceiling } : {}),
    },
  };
}

const notDue = ({ facts }: View): NoCompaction => ({ action: "none", reason: "not-due", report: { facts } });

/** No compaction; above a hard limit tool outputs are then shown shorter, as far as it takes. */
function nothing(
  reason: NoCompaction["reason"],
  view: View,
  policy: CompactionPolicy,
  report: PlanReport,
): NoCompaction | ShortenedOutputs {
  const { overBudget } = over(view.facts.tokens, view.recent, view, policy);
  if (overBudget === undefined) return { action: "none", reason, report };
  const shorter = fitOutputs(view.list.slice(view.start), overBudget / view.scale, policy.counter);
  return shorter.replace.length > 0
    ? shortening(shorter, view, policy, report)
    : { action: "none", reason, overBudget, report };
}

function shortening(
  { replace, savedTokens }: Shortened,
  view: View,
  policy: CompactionPolicy,
  report: PlanReport,
): ShortenedOutputs {
  const saved = Math.round(view.scale * savedTokens);
  const expectedTokens = view.facts.tokens - saved;
  return {
    action: "shorten",
    replace,
    savedTokens,
    ...over(expectedTokens, view.recent - saved, view, policy),
    report: { ...report, expectedTokens },
  };
}

/** Shorter outputs alone have to bring a prompt to where a compaction would, or each turn would shorten one more. */
function isEnough({ savedTokens }: Shortened, view: View, policy: CompactionPolicy): boolean {
  const saved = view.scale * savedTokens;
  return (
    saved > 0 &&
    view.facts.tokens - saved <= policy.ceiling &&
    view.recent - saved <= (view.budget?.recent ?? Number.POSITIVE_INFINITY)
  );
}

/** By how much a prompt is above its maximum, or its messages above their budget. */
export function over(
  tokens: number,
  recent: number,
  { budget }: View,
  { max }: CompactionPolicy,
): { overBudget?: number } {
  const by = Math.max(tokens - max, budget === undefined ? 0 : recent - budget.recent);
  return by > 0 ? { overBudget: by } : {};
}

/**
 * The turn under way: the id of the newest user message; null where there is none, or it has no id.
 *
 * @throws GraphError INVALID_MESSAGE for what is no list of messages
 *
 * @example
 * turnOf([new HumanMessage({ id: "q1", content: "hi" }), new AIMessage("hello")]); // "q1"
 */
export function turnOf(messages: readonly BaseMessage[]): string | null {
  return reading("turnOf", messages, () => newestUser(messages));
}

function newestUser(messages: readonly BaseMessage[]): string | null {
  for (let i = messages.length - 1; i >= 0; i--) {
    const message = messages[i] as BaseMessage;
    if (isUser(message)) return message.id ?? null;
  }
  return null;
}
