import type { BaseMessage } from "@langchain/core/messages";
import {
  adopt,
  planCompaction,
  turnOf,
  type Compaction,
  type NoCompaction,
  type RollingSummary,
} from "@skein/context";
import { GraphError } from "@skein/errors";
import { asError } from "../shared/as-error.ts";
import { KEEP_SAVED } from "../shared/restoring.ts";
import { candidateOf, type ReadySummary } from "./ahead.ts";
import { attempt } from "./attempt.ts";
import { prepare, readyOf } from "./background.ts";
import { emitter, type Emit } from "./emit.ts";
import type { Jobs } from "./jobs.ts";
import type { Setup } from "./options.ts";
import { passOf, type CompactionRuntime, type Pass } from "./pass.ts";
import { standingSummary, type SummarizedState } from "./state.ts";
import { leaveOut, putSummary, shorten, type Change, type CompactionUpdate } from "./write.ts";

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
  jobs: Jobs,
): Promise<CompactionUpdate | undefined> {
  const emit = emitter(runtime.writer, setup);
  try {
    const pending = compactOrThrow(passOf(state, runtime, setup, jobs, emit));
    // on nearly every turn there is nothing to wait for
    const update = pending instanceof Promise ? await pending : pending;
    if (state.rebuilt === true) return keysOf(state, { ...FORGOTTEN, ...update });
    return update && keysOf(state, update);
  } catch (error) {
    if (runtime.signal?.aborted === true || GraphError.is(error)) throw error;
    const message = asError(error).message;
    emit({ type: "compaction-error", message });
    return state.rebuilt === true ? { [KEEP_SAVED]: true } : undefined;
  }
}

/** What is known of a context that is gone. */
const FORGOTTEN = { _summaryAhead: null, _omitted: null } as const;

function compactOrThrow(pass: Pass): CompactionUpdate | undefined | Promise<CompactionUpdate | undefined> {
  const { state, setup, known } = pass;
  const ready = state._summaryAhead?.kind === "ready" ? { ...known, status: undefined } : known;
  const plan = planCompaction(state.messages, ready, setup.policy);
  if (plan.action === "none") {
    reportSkip(plan, pass.emit);
    return prepare(pass);
  }
  if (plan.action === "shorten") return done(pass, shorten(plan, state));
  if (!setup.policy.summarize) {
    return done(pass, leaveOut(plan, state, setup, known.fixedTokens ?? 0));
  }
  return putUnder(plan, pass);
}

/** By a summary that was prepared, or by one that is made now. */
async function putUnder(plan: Compaction, pass: Pass): Promise<CompactionUpdate> {
  const ahead = pass.state.rebuilt === true ? undefined : await readyOf(pass);
  return (ahead && activate(ahead, plan, pass)) ?? (await summarizeNow(plan, pass));
}

/** Puts a summary in force that was prepared, if it is one of this branch and enough. */
function activate(ahead: ReadySummary, plan: Compaction, pass: Pass): CompactionUpdate | undefined {
  const { state, setup, known, summary, emit } = pass;
  const adopted = adopt(candidateOf(ahead), state.messages, known, setup.policy);
  if (typeof adopted === "string") {
    emit({ type: "compaction-discard", reason: adopted, messages: ahead.prefix.count });
    return undefined;
  }
  reportStart(plan, adopted.summarize.length, pass, true);
  const { update, event } = putSummary(adopted, summary, ahead, state, setup, known.fixedTokens ?? 0);
  const status = pass.status === undefined ? {} : { _summaryStatus: null };
  return { ...done(pass, { update, event: { ...event, background: true } as typeof event }), ...status };
}

async function summarizeNow(plan: Compaction, pass: Pass): Promise<CompactionUpdate> {
  const { state, setup, known, summary, status, emit, signal } = pass;
  reportStart(plan, plan.summarize.length, pass, false);
  const standing = standingOn(plan, state);
  const fixedTokens = known.fixedTokens ?? 0;
  if (standing?.rest.length === 0)
    return done(
      pass,
      putSummary(plan, summary, { ...standing.summary, tries: 0 }, state, setup, fixedTokens),
    );
  const { written, status: after } = await attempt(
    standing === undefined ? plan : { ...plan, summarize: standing.rest },
    (standing?.summary ?? summary)?.text,
    status,
    turnOf(state.messages),
    setup,
    { signal, emit },
  );
  const changed = after === status ? {} : { _summaryStatus: after ?? null };
  if (written !== undefined)
    return { ...done(pass, putSummary(plan, summary, written, state, setup, fixedTokens)), ...changed };
  return { ...noneAhead(state), ...changed, ...(state.rebuilt === true ? { [KEEP_SAVED]: true } : {}) };
}

/** For a context that is rebuilt: the summary that there is, and what of the plan it does not cover. */
function standingOn(
  plan: Compaction,
  state: SummarizedState,
): { readonly summary: RollingSummary; readonly rest: readonly BaseMessage[] } | undefined {
  const standing = standingSummary(state);
  if (standing === undefined) return undefined;
  const { summary, uncovered } = standing;
  const rest = plan.summarize.filter((message) => uncovered.has(message));
  // one that is longer than what it would stand for is made anew
  return rest.length > 0 || summary.tokens < plan.replacedTokens ? { summary, rest } : undefined;
}

function done({ state, emit }: Pass, { update, event }: Change): CompactionUpdate {
  emit(event);
  return { ...update, ...noneAhead(state) };
}

/** What was being prepared is of a context that is gone. */
function noneAhead({ _summaryAhead: ahead }: SummarizedState): CompactionUpdate {
  return ahead === undefined || ahead === null ? {} : { _summaryAhead: null };
}

function reportStart(plan: Compaction, summarize: number, { emit }: Pass, background: boolean): void {
  const { facts, fired = "" } = plan.report;
  const { messages, tokens } = facts;
  emit({
    type: "compaction-start",
    fired,
    messages,
    tokens,
    summarize,
    ...(background ? { background: true } : {}),
  });
}

function reportSkip({ reason, overBudget, report }: NoCompaction, emit: Emit): void {
  const { facts, fired } = report;
  if (reason === "not-due" || fired === undefined) return;
  const over = overBudget === undefined ? {} : { overBudget };
  emit({ type: "compaction-skip", reason, fired, messages: facts.messages, tokens: facts.tokens, ...over });
}

const REMEMBERED = ["_summary", "_summaryStatus", "_summaryAhead", "_omitted"] as const;

/** Only keys that the state has: a graph need not declare them. */
function keysOf(state: SummarizedState, update: CompactionUpdate): CompactionUpdate {
  const kept = { ...update };
  for (const key of REMEMBERED) if (state[key] === undefined) delete kept[key];
  return kept;
}
