import type { BaseMessage } from "@langchain/core/messages";
import {
  addVersion,
  CONVERSATION_OVERHEAD,
  frameSummary,
  nextSummary,
  type Compaction,
  type Omitted,
  type RollingSummary,
  type ShortenedOutputs,
  type SummarizerStatus,
} from "@skein/context";
import { GraphError } from "@skein/errors";
import { contextWrite, type ContextUpdate } from "../shared/context-write.ts";
import type { KEEP_SAVED } from "../shared/restoring.ts";
import type { SummaryAhead } from "./ahead.ts";
import type { Written } from "./attempt.ts";
import type { CompactionEvent } from "./events.ts";
import type { Setup } from "./options.ts";
import { metadataOf, type SummarizedState } from "./state.ts";

/** What a compaction writes. Nothing at all if there was nothing to do. */
export interface CompactionUpdate extends ContextUpdate {
  _summary?: RollingSummary[];
  _summaryStatus?: SummarizerStatus | null;
  _summaryAhead?: SummaryAhead | null;
  _omitted?: Omitted | null;
  [KEEP_SAVED]?: true;
}

/** A write and what is to be said of it. */
export interface Change {
  readonly update: CompactionUpdate;
  readonly event: CompactionEvent;
}

/** Puts a summary in the place of what it covers. */
export function putSummary(
  plan: Compaction,
  previous: RollingSummary | undefined,
  written: Written,
  state: SummarizedState,
  setup: Setup,
  fixedTokens: number,
): Change {
  requireIds(plan.summarize);
  const { policy } = setup;
  const next = nextSummary(previous, {
    text: written.text,
    tokens: written.tokens,
    by: written.by,
    covered: plan.summarize,
    originalTokens: tokensOf(plan.summarize, setup),
    coveredUntil: plan.keep[0]?.id ?? null,
    madeAfter: state.messages.at(-1)?.id ?? null,
    now: policy.now(),
    scale: plan.scale,
    lastVersion: state._summary?.at(-1)?.version,
  });
  const placement = setup.placement === "user" ? "user" : "system";
  const message = frameSummary(next, placement, state._summary === undefined ? metadataOf(next) : {});
  const gone = plan.stale === undefined ? plan.summarize : [plan.stale, ...plan.summarize];
  const { tokensAfter, ...sizes } = sizesOf(plan, [message], setup, fixedTokens);
  const overBudget = overBudgetOf(plan, tokensAfter, policy.max);
  return {
    update: {
      ...contextWrite(state, { remove: idsOf(gone), replace: plan.replace, summary: message }),
      _summary: [...addVersion(state._summary ?? [], next)],
    },
    event: {
      type: "compaction-end",
      ...sizes,
      tokensAfter,
      coveredIds: idsOf(plan.summarize),
      coveredCount: next.coveredCount,
      summaryTokens: next.tokens,
      version: next.version,
      by: written.by,
      tries: written.tries,
      ...shortenedIn(plan),
      ...(overBudget > 0 ? { overBudget } : {}),
      ...(plan.report.overTarget === undefined ? {} : { overTarget: plan.report.overTarget }),
    },
  };
}

/** Takes messages out of the view without a summary, and says which. */
export function leaveOut(
  plan: Compaction,
  state: SummarizedState,
  setup: Setup,
  fixedTokens: number,
): Change {
  requireIds(plan.summarize);
  const before = state._omitted ?? undefined;
  const omitted: Omitted = {
    count: (before?.count ?? 0) + plan.summarize.length,
    tokens: (before?.tokens ?? 0) + tokensOf(plan.summarize, setup),
    until: plan.keep[0]?.id ?? null,
    madeAfter: state.messages.at(-1)?.id ?? null,
    ...(plan.scale === undefined ? {} : { scale: plan.scale }),
  };
  const { tokensAfter, ...sizes } = sizesOf(plan, [], setup, fixedTokens);
  const overBudget = overBudgetOf(plan, tokensAfter, setup.policy.max);
  return {
    update: {
      ...contextWrite(state, { remove: idsOf(plan.summarize), replace: plan.replace }),
      _omitted: omitted,
    },
    event: {
      type: "compaction-omit",
      ...sizes,
      tokensAfter,
      omittedIds: idsOf(plan.summarize),
      omittedCount: omitted.count,
      omittedTokens: omitted.tokens,
      ...shortenedIn(plan),
      ...(overBudget > 0 ? { overBudget } : {}),
    },
  };
}

/** Shows tool outputs shorter, so that a hard limit holds; every message stays. */
export function shorten(plan: ShortenedOutputs, state: SummarizedState): Change {
  requireIds(plan.replace);
  const { facts, fired = "", expectedTokens = facts.tokens } = plan.report;
  return {
    update: contextWrite(state, { replace: plan.replace }),
    event: {
      type: "compaction-shorten",
      fired,
      messages: facts.messages,
      tokensBefore: facts.tokens,
      tokensAfter: expectedTokens,
      shortenedIds: idsOf(plan.replace),
      ...(plan.overBudget === undefined ? {} : { overBudget: plan.overBudget }),
    },
  };
}

const shortenedIn = ({ replace }: Compaction) =>
  replace.length === 0 ? {} : { shortenedIds: idsOf(replace) };

const idsOf = (messages: readonly BaseMessage[]): string[] => messages.map((one) => one.id as string);

const tokensOf = (messages: readonly BaseMessage[], { policy }: Setup): number =>
  messages.reduce((sum, one) => sum + policy.counter.message(one), 0);

/** Messages' budgets are in the plan; of the whole prompt the summary that came is better known than the one that was expected. */
function overBudgetOf(plan: Compaction, tokensAfter: number, max: number): number {
  const whole = Math.max(0, tokensAfter - max);
  const expected = plan.report.expectedTokens ?? 0;
  return expected > max ? whole : Math.max(whole, plan.overBudget ?? 0);
}

interface Sizes {
  readonly messagesBefore: number;
  readonly messagesAfter: number;
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  readonly reductionPercent: number;
}

function sizesOf(
  plan: Compaction,
  instead: readonly BaseMessage[],
  setup: Setup,
  fixedTokens: number,
): Sizes {
  const scale = plan.scale ?? 1;
  const whole = (messages: readonly BaseMessage[]): number =>
    Math.round(scale * (tokensOf(messages, setup) + fixedTokens)) + CONVERSATION_OVERHEAD;
  const before = [...plan.head, ...(plan.stale ? [plan.stale] : []), ...plan.summarize, ...plan.keep];
  const shorter = new Map(plan.replace.map((message) => [message.id, message]));
  const keep = plan.keep.map((message) => shorter.get(message.id) ?? message);
  const after = [...plan.head, ...instead, ...keep];
  const [tokensBefore, tokensAfter] = [whole(before), whole(after)];
  return {
    messagesBefore: before.length,
    messagesAfter: after.length,
    tokensBefore,
    tokensAfter,
    reductionPercent: Math.round((1 - tokensAfter / tokensBefore) * 1000) / 10,
  };
}

function requireIds(messages: readonly BaseMessage[]): void {
  if (messages.every((message) => message.id !== undefined)) return;
  throw new GraphError(
    "INVALID_MESSAGE",
    "A message without an id can't be compacted. Declare `messages` with dualTrackMessages() or a messages reducer, which give ids.",
  );
}
