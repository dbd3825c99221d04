import type { BaseMessage } from "@langchain/core/messages";
import { structureOf, type Unit } from "../chains/units.ts";
import { isUser } from "../messages/kinds.ts";
import { frameOverhead } from "../summary/frame.ts";
import { readiness } from "../summary/status.ts";
import type { Totals } from "../tokens/counter.ts";
import type { CompactionState } from "./state.ts";
import { look, type View } from "./view.ts";
import type { CompactionPolicy } from "./policy.ts";
import { firedBy, type Facts, type Fired } from "./trigger.ts";

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

/** What stays and what the summary is to take in. Together with `head` they are the whole context. */
export interface Compaction {
  readonly action: "compact";
  /** Leading system messages; they stay before the summary. */
  readonly head: readonly BaseMessage[];
  readonly summarize: readonly BaseMessage[];
  readonly keep: readonly BaseMessage[];
  /** The message of the old summary, which goes. */
  readonly stale?: BaseMessage;
  /**
   * Tokens that the new summary's text must stay below: those of `summarize` and of the old summary's
   * text. Less those of the frame that it brings, where fewer tokens are what the trigger wants.
   */
  readonly replacedTokens: number;
  /** Most tokens that the new summary should have. */
  readonly summaryTokens: number;
  readonly overBudget?: number;
  readonly report: PlanReport;
}

export type Plan = NoCompaction | Compaction;

/**
 * Decides whether a context is to be compacted, and how. Pure but for the policy's clock and its
 * counter's cache: the same messages and state give the same plan. Costs what is new since the last
 * call while nothing fires.
 *
 * Precedence where limits conflict (C2): tool chains stay whole; then the maximum; then the target;
 * then the minimum kept. The newest unit always stays, so a chain larger than the maximum is
 * `overBudget`.
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
  const view = look(messages, state, policy);
  const { facts } = view;
  const fired = firedBy(policy.alternatives, facts) ?? overMaximum(facts, policy.max);
  if (fired === undefined) return { action: "none", reason: "not-due", report: { facts } };
  const units = structureOf(view.list.slice(view.start)).units.map(({ start, end }) => ({
    start: start + view.start,
    end: end + view.start,
  }));
  const { cut, belowMinimum } = chooseCut(units, view, policy, fired);
  const report: PlanReport = { facts, fired: fired.because, ...(belowMinimum ? { belowMinimum } : {}) };
  const from = units[cut]?.start ?? view.list.length;
  if (cut === 0) return nothing("nothing-older", facts.tokens, policy, report);
  const ready = readiness(state.status, turnOf(view.list), policy, policy.now());
  if (ready !== "ready") return nothing(ready, facts.tokens, policy, report);
  const plan = compaction(view, from, { state, policy, report, fired });
  return fired.byTokens && isTooLittle(plan, state, policy)
    ? nothing("too-little", facts.tokens, policy, report)
    : plan;
}

/**
 * Where system prompt, tools and the newest unit fill the target by themselves, a trigger in tokens
 * fires on every turn. Then a compaction waits until there is something to gain, unless the maximum
 * forces it; and where a framed summary would be as long as what it replaces, it waits in any case.
 */
function isTooLittle(plan: Compaction, state: CompactionState, policy: CompactionPolicy): boolean {
  if (plan.replacedTokens < 2) return true;
  if (plan.report.overTarget === undefined || plan.report.facts.tokens > policy.max) return false;
  const old = state.summary?.tokens ?? 0;
  return old > 0 && plan.replacedTokens - old < policy.summaryTokens;
}

function overMaximum(facts: Facts, max: number): Fired | undefined {
  return facts.tokens > max
    ? { because: `tokens ${facts.tokens} > maximum ${max}`, byTokens: true }
    : undefined;
}

interface Circumstances {
  readonly state: CompactionState;
  readonly policy: CompactionPolicy;
  readonly report: PlanReport;
  readonly fired: Fired;
}

function compaction(view: View, from: number, { state, policy, report, fired }: Circumstances): Compaction {
  const { list, start, totals } = view;
  const frame = frameOverhead(policy.counter);
  const newFrame = fired.byTokens && view.stale === undefined ? frame : 0;
  const replacedTokens = totals.between(start, from) + (state.summary?.tokens ?? 0) - newFrame;
  const summaryTokens = Math.max(1, Math.min(policy.summaryTokens, replacedTokens - 1));
  const expectedTokens = view.base + totals.between(from, list.length) + summaryTokens + frame;
  return {
    action: "compact",
    head: list.slice(0, view.headEnd),
    summarize: list.slice(start, from),
    keep: list.slice(from),
    ...(view.stale === undefined ? {} : { stale: view.stale }),
    replacedTokens,
    summaryTokens,
    ...over(expectedTokens, policy),
    report: {
      ...report,
      expectedTokens,
      ...(expectedTokens > policy.ceiling ? { overTarget: expectedTokens - policy.ceiling } : {}),
    },
  };
}

function nothing(
  reason: NoCompaction["reason"],
  tokens: number,
  policy: CompactionPolicy,
  report: PlanReport,
): NoCompaction {
  return { action: "none", reason, ...over(tokens, policy), report };
}

function over(tokens: number, policy: CompactionPolicy): { overBudget?: number } {
  return tokens > policy.max ? { overBudget: tokens - policy.max } : {};
}

/** The first unit that stays. */
function chooseCut(
  units: readonly Unit[],
  view: View,
  policy: CompactionPolicy,
  fired: Fired,
): { cut: number; belowMinimum: boolean } {
  const keepCut = cutForKeep(units, view, policy);
  const reserve = policy.summaryTokens + frameOverhead(policy.counter);
  const fitCut = Number.isFinite(policy.ceiling)
    ? cutForTokens(units, view.totals, policy.ceiling - view.base - reserve)
    : 0;
  // A target keeps all that fits; a trigger that counts something else needs `keep` to fall below it.
  const extend = policy.target !== undefined && fired.byTokens && fitCut > 0;
  const cut = extend ? fitCut : Math.max(keepCut, fitCut);
  return { cut, belowMinimum: cut > keepCut };
}

function cutForKeep(units: readonly Unit[], view: View, policy: CompactionPolicy): number {
  const { keep, window } = policy;
  const last = Math.max(0, units.length - 1);
  const tokens = Math.min(keep.tokens ?? Infinity, Math.floor((keep.fraction ?? Infinity) * window));
  let cut = Number.isFinite(tokens) ? cutForTokens(units, view.totals, tokens) : 0;
  if (keep.messages !== undefined) {
    const most = keep.messages;
    cut = Math.max(
      cut,
      firstWhere(units, (unit) => view.list.length - unit.start <= most),
    );
  }
  if (keep.turns !== undefined) {
    const most = keep.turns;
    const turns = (unit: Unit): number => view.totals.turnsBetween(unit.start, view.list.length);
    const opens = (unit: Unit): boolean => view.totals.turnsBetween(unit.start, unit.start + 1) === 1;
    // A turn begins with its user message: what an older turn left before it does not stay.
    if (turns({ start: view.start, end: view.start }) > most) {
      cut = Math.max(
        cut,
        firstWhere(units, (unit) => turns(unit) <= most && opens(unit)),
      );
    }
  }
  return Math.min(cut, last);
}

/** The earliest unit from which on the tokens fit, but at most the last unit: something always stays. */
function cutForTokens(units: readonly Unit[], totals: Totals, budget: number): number {
  const end = units.at(-1)?.end ?? 0;
  const cut = firstWhere(units, (unit) => totals.between(unit.start, end) <= budget);
  return Math.min(cut, Math.max(0, units.length - 1));
}

/** The first unit that fits; the number of units if none does. */
function firstWhere(units: readonly Unit[], fits: (unit: Unit) => boolean): number {
  const index = units.findIndex(fits);
  return index === -1 ? units.length : index;
}

/** The turn under way: the id of the newest user message. */
export function turnOf(messages: readonly BaseMessage[]): string | null {
  for (let i = messages.length - 1; i >= 0; i--) {
    const message = messages[i] as BaseMessage;
    if (isUser(message)) return message.id ?? null;
  }
  return null;
}
