import type { BaseMessage, UsageMetadata } from "@langchain/core/messages";
import { requireNumbers, requireObject } from "../messages/given.ts";
import { isAssistant, isSystem, timestampOf } from "../messages/kinds.ts";
import { CONVERSATION_OVERHEAD, type Totals } from "../tokens/counter.ts";
import { budgetOf, type Budget } from "./budget.ts";
import { invalidConfiguration } from "./check.ts";
import { knownScale, reportedUsage } from "./calibrate.ts";
import type { CompactionPolicy } from "./policy.ts";
import type { CompactionState } from "./state.ts";
import type { Facts } from "./trigger.ts";

/** A context taken apart: leading system messages, the summary's message, the conversation. */
export interface View {
  /** The messages, without the summary's if it stands inside the conversation. */
  readonly list: readonly BaseMessage[];
  readonly totals: Totals;
  readonly headEnd: number;
  /** Where the conversation starts. */
  readonly start: number;
  /** The message of the summary in force. */
  readonly stale: BaseMessage | undefined;
  /** Tokens that stay whatever is cut: system prompt, tools, leading system messages, overhead. */
  readonly base: number;
  /** The provider's tokens per token of ours. Figures of `totals` are ours, all others the provider's. */
  readonly scale: number;
  /** Where messages start that came after the last compaction. */
  readonly since: number;
  /** Position of the reply whose report of usage is taken. */
  readonly usageAt: number | undefined;
  /** Tokens of the conversation, without the summary. */
  readonly recent: number;
  readonly budget: Budget | undefined;
  readonly facts: Facts;
}

/** @throws GraphError INVALID_CONFIGURATION for what compactionPolicy() did not return */
export function requirePolicy(policy: CompactionPolicy): void {
  if (Array.isArray((policy as Partial<CompactionPolicy> | null)?.alternatives)) return;
  throw invalidConfiguration("a policy must be what compactionPolicy returns");
}

function scaleIn(state: CompactionState): number {
  requireObject("A plan", state, "a state, which is {} at first");
  const { summary, fixedTokens = 0 } = state;
  if (summary !== undefined)
    requireObject("A plan", summary, "a state whose summary is the one in force, or undefined");
  if (typeof fixedTokens !== "number") requireNumbers("a state", { fixedTokens });
  return knownScale(state.summary?.scale ?? state.omitted?.scale);
}

/**
 * @param scale - default: the one that the last compaction found out
 * @param saved - tokens of ours by which messages were shortened since a provider counted the prompt
 */
export function look(
  messages: readonly BaseMessage[],
  state: CompactionState,
  policy: CompactionPolicy,
  scale: number = scaleIn(state),
  saved = 0,
): View {
  requirePolicy(policy);
  const { summary } = state;
  const headEnd = policy.preserveSystem ? countHead(messages, summary?.messageId) : 0;
  const at = summary === undefined ? -1 : findSummary(messages, summary.messageId, headEnd);
  const stale = messages[at];
  const list = at > headEnd ? messages.filter((_, index) => index !== at) : messages;
  const start = at === headEnd ? headEnd + 1 : headEnd;
  const totals = policy.counter.totals(list);
  const since = newSince(list, start, summary?.madeAfter ?? state.omitted?.madeAfter);
  const staleTokens = stale === undefined ? 0 : policy.counter.message(stale);
  const counted = scale * (totals.tokens + (at > headEnd ? staleTokens : 0)) + CONVERSATION_OVERHEAD;
  const usage = policy.usage ? usageSince(list, since) : undefined;
  const reported =
    usage === undefined ? undefined : usage.tokens + scale * totals.between(usage.index + 1, list.length);
  const measured =
    saved === 0 || reported === undefined
      ? reported
      : Math.max(reported - scale * saved, Math.min(reported, counted + scale * (state.fixedTokens ?? 0)));
  // What a provider counted beyond the messages is what we may not see: what wraps add to the prompt.
  const fixed = Math.max(scale * (state.fixedTokens ?? 0), (measured ?? counted) - counted);
  const tokens = Math.round(measured ?? counted + fixed);
  const base = Math.round(fixed + scale * totals.between(0, headEnd)) + CONVERSATION_OVERHEAD;
  return {
    list,
    totals,
    headEnd,
    start,
    stale,
    base,
    scale,
    since,
    usageAt: usage?.index,
    recent: Math.round(scale * totals.between(start, list.length)),
    budget: policy.budgets && budgetOf(policy.budgets, policy.window, base),
    facts: factsOf({ list, totals, start, since, tokens }, state, policy),
  };
}

interface Measures {
  readonly list: readonly BaseMessage[];
  readonly totals: Totals;
  readonly start: number;
  readonly since: number;
  readonly tokens: number;
}

function factsOf(
  { list, totals, start, since, tokens }: Measures,
  { summary, omitted }: CompactionState,
  policy: CompactionPolicy,
): Facts {
  return {
    messages: list.length - start,
    tokens,
    fraction: tokens / policy.window,
    newMessages: list.length - since,
    ratio:
      summary === undefined ? Infinity : totals.between(since, list.length) / Math.max(1, summary.tokens),
    turns: totals.turnsBetween(start, list.length),
    age: policy.looksAtAge ? ageOf(list, start, policy.now()) : 0,
    summaries: summary?.version ?? (omitted === undefined ? 0 : 1),
  };
}

function countHead(messages: readonly BaseMessage[], summaryId: string | undefined): number {
  let end = 0;
  for (const message of messages) {
    if (!isSystem(message) || (summaryId !== undefined && message.id === summaryId)) break;
    end++;
  }
  return end;
}

/** By id, not by mark: anybody can send a message that is marked as a summary. */
function findSummary(messages: readonly BaseMessage[], id: string, expected: number): number {
  if (messages[expected]?.id === id) return expected;
  return messages.findIndex((message) => message.id === id);
}

/** Where the messages start that came after the last summary was made; searched from the end. */
function newSince(list: readonly BaseMessage[], start: number, madeAfter: string | null | undefined): number {
  if (madeAfter === undefined || madeAfter === null) return start;
  for (let i = list.length - 1; i >= start; i--) {
    if (list[i]?.id === madeAfter) return i + 1;
  }
  return start;
}

/**
 * Tokens up to and including the last assistant message as its provider counted them. A count from
 * before the last compaction is of a prompt that no longer exists, so it is not used.
 */
function usageSince(
  list: readonly BaseMessage[],
  since: number,
): { readonly index: number; readonly tokens: number } | undefined {
  for (let i = list.length - 1; i >= since; i--) {
    const message = list[i] as BaseMessage;
    if (!isAssistant(message)) continue;
    const usage = reportedUsage(message);
    if (usage === undefined) return undefined;
    // Reasoning is paid for but not sent again.
    const { output_tokens: all, output_token_details: details } = usage as Partial<UsageMetadata>;
    const output = Number(all ?? 0) - Number(details?.reasoning ?? 0);
    return { index: i, tokens: usage.input_tokens + (output > 0 ? output : 0) };
  }
  return undefined;
}

function ageOf(list: readonly BaseMessage[], start: number, now: number): number {
  for (let i = start; i < list.length; i++) {
    const time = timestampOf(list[i] as BaseMessage);
    if (time !== undefined) return Math.max(0, now - time);
  }
  return 0;
}
