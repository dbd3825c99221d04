import type { BaseMessage } from "@langchain/core/messages";
import { compactMessages, type AgentPrompt } from "@skein/agent";
import {
  addVersion,
  CONVERSATION_OVERHEAD,
  frameSummary,
  nextSummary,
  planCompaction,
  turnOf,
  type Compaction,
  type RollingSummary,
  type SummarizerStatus,
} from "@skein/context";
import { GraphError } from "@skein/errors";
import { attempt, type Written } from "./attempt.ts";
import type { CompactionEvent } from "./events.ts";
import type { Setup } from "./options.ts";
import { metadataOf, summaryInForce, type SummarizedState } from "./state.ts";

/** What a hook or a node is given beside the state. */
export interface CompactionRuntime {
  readonly writer?: ((chunk: unknown) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
  /** What is sent beside the messages, where the agent says so. */
  readonly prompt?: AgentPrompt | undefined;
}

/** What a compaction writes. Nothing at all if there was nothing to do. */
export interface CompactionUpdate {
  messages?: ReturnType<typeof compactMessages>;
  _summary?: RollingSummary[];
  _summaryStatus?: SummarizerStatus | null;
}

/**
 * One compaction, from plan to update. It fails open (E3): whatever goes wrong with a trigger, a
 * counter or a summary is an event, the messages stay as they are and the run goes on.
 *
 * @throws GraphError for what the program must put right, such as messages without ids; and
 *   whatever an aborted run is aborted with
 */
export async function compact(
  state: SummarizedState,
  runtime: CompactionRuntime,
  setup: Setup,
): Promise<CompactionUpdate | undefined> {
  try {
    return await compactOrThrow(state, runtime, setup);
  } catch (error) {
    if (runtime.signal?.aborted === true || GraphError.is(error)) throw error;
    const message = error instanceof Error ? error.message : String(error);
    emitter(runtime, setup)({ type: "compaction-error", message });
    return undefined;
  }
}

async function compactOrThrow(
  state: SummarizedState,
  runtime: CompactionRuntime,
  setup: Setup,
): Promise<CompactionUpdate | undefined> {
  const { policy } = setup;
  const summary = summaryInForce(state);
  const status = state._summaryStatus ?? undefined;
  // With a fallback a summarizer that rests is no reason to wait.
  const heeded = setup.fallback === undefined ? status : undefined;
  const fixedTokens = setup.fixedTokens(runtime.prompt);
  const plan = planCompaction(state.messages, { summary, status: heeded, fixedTokens }, policy);
  const { facts, fired } = plan.report;
  if (fired === undefined) return undefined;
  const emit = emitter(runtime, setup);
  if (plan.action === "none") {
    const { reason, overBudget } = plan;
    if (reason === "not-due") return undefined;
    const { messages, tokens } = facts;
    const over = overBudget === undefined ? {} : { overBudget };
    emit({ type: "compaction-skip", reason, fired, messages, tokens, ...over });
    return undefined;
  }
  requireIds(plan.summarize);
  emit({
    type: "compaction-start",
    fired,
    messages: facts.messages,
    tokens: facts.tokens,
    summarize: plan.summarize.length,
  });
  const env = { signal: runtime.signal, emit };
  const done = await attempt(plan, summary?.text, status, turnOf(state.messages), setup, env);
  const statusUpdate = done.status === status ? {} : { _summaryStatus: done.status ?? null };
  if (done.written === undefined) return keysOf(state, statusUpdate);
  const { next, message } = summaryOf(plan, summary, done.written, state, setup);
  emit(endOf(plan, next, message, done.written, setup, fixedTokens));
  const gone = plan.stale === undefined ? plan.summarize : [plan.stale, ...plan.summarize];
  return {
    messages: compactMessages({ remove: gone.map((one) => one.id as string), summary: message }),
    ...keysOf(state, { _summary: [...addVersion(state._summary ?? [], next)], ...statusUpdate }),
  };
}

/** Only keys that the state has: a graph need not declare them. */
function keysOf(state: SummarizedState, update: CompactionUpdate): CompactionUpdate {
  return state._summary === undefined ? {} : update;
}

function summaryOf(
  plan: Compaction,
  previous: RollingSummary | undefined,
  { text, tokens, by }: Written,
  { messages, _summary: versions }: SummarizedState,
  { policy, placement }: Setup,
): { next: RollingSummary; message: BaseMessage } {
  const next = nextSummary(previous, {
    text,
    tokens,
    by,
    covered: plan.summarize,
    originalTokens: plan.summarize.reduce((sum, one) => sum + policy.counter.message(one), 0),
    coveredUntil: plan.keep[0]?.id ?? null,
    madeAfter: messages.at(-1)?.id ?? null,
    now: policy.now(),
    lastVersion: versions?.at(-1)?.version,
  });
  return { next, message: frameSummary(next, placement, versions === undefined ? metadataOf(next) : {}) };
}

function endOf(
  plan: Compaction,
  next: RollingSummary,
  message: BaseMessage,
  { tries, by }: Written,
  { policy }: Setup,
  fixedTokens = 0,
): CompactionEvent {
  const { counter } = policy;
  const context = [...plan.head, message, ...plan.keep];
  const sum = (messages: readonly BaseMessage[]): number =>
    messages.reduce((total, one) => total + counter.message(one), fixedTokens + CONVERSATION_OVERHEAD);
  const tokensBefore = sum([
    ...plan.head,
    ...(plan.stale ? [plan.stale] : []),
    ...plan.summarize,
    ...plan.keep,
  ]);
  const tokensAfter = sum(context);
  const over = tokensAfter - policy.max;
  return {
    type: "compaction-end",
    messagesBefore: context.length - 1 + plan.summarize.length + (plan.stale === undefined ? 0 : 1),
    messagesAfter: context.length,
    tokensBefore,
    tokensAfter,
    reductionPercent: Math.round((1 - tokensAfter / tokensBefore) * 1000) / 10,
    coveredIds: plan.summarize.map((one) => one.id as string),
    coveredCount: next.coveredCount,
    summaryTokens: next.tokens,
    version: next.version,
    by,
    tries,
    ...(over > 0 ? { overBudget: over } : {}),
    ...(plan.report.overTarget === undefined ? {} : { overTarget: plan.report.overTarget }),
  };
}

function requireIds(messages: readonly BaseMessage[]): void {
  if (messages.every((message) => message.id !== undefined)) return;
  throw new GraphError(
    "INVALID_MESSAGE",
    "A message without an id can't be compacted. Declare `messages` with dualTrackMessages() or a messages reducer, which give ids.",
  );
}

function emitter(runtime: CompactionRuntime, setup: Setup): (event: CompactionEvent) => void {
  return (event) => {
    runtime.writer?.(event);
    const report = (error: unknown): void =>
      console.warn(`onEvent of summarization threw on ${event.type}:`, error);
    try {
      const pending = setup.onEvent?.(event);
      // nobody waits for a listener
      if (pending instanceof Promise) pending.catch(report);
    } catch (error) {
      report(error);
    }
  };
}
