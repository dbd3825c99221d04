import type { BaseMessage } from "@langchain/core/messages";
import { reading, requireList, requireObject } from "../messages/given.ts";
import { readiness } from "../summary/status.ts";
import { frameOverhead } from "../summary/frame.ts";
import { chooseCut, type Growth } from "./cut.ts";
import { calibrated, compactionAt, mayStart, turnOf, unitsOf, type Compaction } from "./plan.ts";
import type { CompactionPolicy } from "./policy.ts";
import { isPrefix, prefixOf, type CoveredPrefix } from "./prefix.ts";
import type { CompactionState } from "./state.ts";
import { firedBy, type Alternative, type Facts } from "./trigger.ts";
import { look, requirePolicy, type View } from "./view.ts";

/** A summary to be made before anybody waits for it, and of what. */
export interface Ahead {
  /** What it is to take in. */
  readonly compaction: Compaction;
  readonly prefix: CoveredPrefix;
}

/** A summary that was made ahead. It speaks for its prefix and nothing else. */
export interface Candidate {
  readonly text: string;
  /** Of the text. */
  readonly tokens: number;
  readonly prefix: CoveredPrefix;
}

/**
 * Decides whether a summary is to be prepared now (C8), and of which messages: those that will have
 * to go when the trigger fires, if the conversation grows as it is. Pure like `planCompaction`.
 *
 * @returns undefined where nothing is to be prepared: background is off, its start is not reached,
 *   nothing would have to go, or the summarizer rests
 * @throws GraphError as `planCompaction` does
 *
 * @example
 * const ahead = planAhead(messages, state, compactionPolicy({ trigger: { messages: 40 }, background: true }));
 * if (ahead !== undefined) prepare(ahead.compaction.summarize);
 */
export function planAhead(
  messages: readonly BaseMessage[],
  state: CompactionState,
  policy: CompactionPolicy,
): Ahead | undefined {
  requireList("planAhead", messages);
  requirePolicy(policy);
  if (policy.start === undefined) return undefined;
  const first = reading("planAhead", messages, () => look(messages, state, policy));
  const fired = firedBy(policy.start, first.facts);
  if (fired === undefined) return undefined;
  if (readiness(state.status, turnOf(messages), policy, policy.now()) !== "ready") return undefined;
  const view = calibrated(first, messages, state, policy);
  const growth = growthUntil(policy, view);
  const units = unitsOf(view);
  const { cut } = chooseCut(units, view, policy, fired.byTokens, growth);
  const from = units[cut]?.start;
  if (cut === 0 || from === undefined) return undefined;
  const compaction = compactionAt(from, { view, state, policy, report: { facts: view.facts }, fired });
  if (compaction.replacedTokens < 2) return undefined;
  return { compaction, prefix: prefixOf(compaction.summarize, view.stale?.id ?? null) };
}

/** Why a candidate can't be used. */
export type Unusable = "other-branch" | "too-little";

/**
 * The compaction that a candidate makes possible, on the branch at hand: only if the conversation
 * still begins with what it covers, and if it is enough.
 *
 * @returns `other-branch` if messages that it covers were edited, removed or are of another branch, or
 *   if it would now tear a tool chain; `too-little` if the trigger would fire again at once
 * @throws GraphError as `planCompaction` does; INVALID_INPUT for what is no candidate
 *
 * @example
 * const plan = adopt({ text, tokens: counter.text(text), prefix: ahead.prefix }, messages, state, policy);
 * if (typeof plan === "object") console.log(plan.keep.length, "messages stay");
 */
export function adopt(
  candidate: Candidate,
  messages: readonly BaseMessage[],
  state: CompactionState,
  policy: CompactionPolicy,
): Compaction | Unusable {
  requireObject("adopt", candidate, "a candidate");
  requireObject("adopt", candidate.prefix, "a candidate with the prefix that it covers");
  const first = reading("adopt", messages, () => look(messages, state, policy));
  const view = calibrated(first, messages, state, policy);
  const { list, start, stale, scale, totals, facts } = view;
  const from = start + candidate.prefix.count;
  if (!isPrefix(candidate.prefix, list.slice(start), stale?.id ?? null)) return "other-branch";
  if (!unitsOf(view).some((unit) => unit.start === from)) return "other-branch";
  const frame = frameOverhead(policy.counter);
  const recent = Math.round(scale * totals.between(from, list.length));
  const tokens = view.base + recent + Math.round(scale * (candidate.tokens + frame));
  const after: Facts = {
    ...facts,
    messages: list.length - from,
    tokens,
    fraction: tokens / policy.window,
    newMessages: 0,
    ratio: 0,
    turns: totals.turnsBetween(from, list.length),
    summaries: facts.summaries + 1,
  };
  const fires = mayStart(after, policy) && firedBy(policy.alternatives, after) !== undefined;
  const overBudget = view.budget !== undefined && recent > view.budget.recent;
  if (fires || overBudget || tokens > policy.max) return "too-little";
  const fired = { because: "", byTokens: false };
  return compactionAt(from, { view, state, policy, report: { facts }, fired });
}

/** What the conversation will have gained when the trigger fires, if it grows evenly. */
function growthUntil(policy: CompactionPolicy, view: View): Growth {
  const { facts, recent } = view;
  const others = facts.tokens - recent;
  const multiples = policy.alternatives.map((alternative) => multipleOf(alternative, view, policy.window));
  if (Number.isFinite(policy.max)) multiples.push((policy.max - others) / Math.max(1, recent));
  const finite = multiples.filter((multiple) => Number.isFinite(multiple));
  const more = finite.length === 0 ? 0 : Math.max(0, Math.min(...finite) - 1);
  return {
    messages: Math.round(facts.messages * more),
    turns: Math.round(facts.turns * more),
    tokens: recent * more,
  };
}

/** How many times as long the conversation is when an alternative holds. Infinite if nobody can tell. */
function multipleOf({ condition }: Alternative, { facts, recent }: View, window: number): number {
  const others = facts.tokens - recent;
  const tokens = Math.max(condition.tokens ?? 0, (condition.fraction ?? 0) * window);
  const multiples = [
    condition.messages === undefined ? 0 : condition.messages / Math.max(1, facts.messages),
    condition.turns === undefined ? 0 : condition.turns / Math.max(1, facts.turns),
    condition.newMessages === undefined
      ? 0
      : 1 + (condition.newMessages - facts.newMessages) / Math.max(1, facts.messages),
    tokens === 0 ? 0 : (tokens - others) / Math.max(1, recent),
  ];
  const most = Math.max(...multiples);
  return most === 0 ? Number.POSITIVE_INFINITY : most;
}
