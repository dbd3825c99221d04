import type { AgentPrompt } from "@skein/agent";
import type { CompactionState, RollingSummary, SummarizerStatus } from "@skein/context";
import type { Emit } from "./emit.ts";
import type { Jobs } from "./jobs.ts";
import type { Setup } from "./options.ts";
import { summaryInForce, type SummarizedState } from "./state.ts";

/** What a hook or a node is given beside the state. */
export interface CompactionRuntime {
  readonly writer?: ((chunk: unknown) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
  /** What is sent beside the messages, where the agent says so. */
  readonly prompt?: AgentPrompt | undefined;
}

/** One look at one thread: what was found there, and what acts on it. */
export interface Pass {
  readonly state: SummarizedState;
  readonly summary: RollingSummary | undefined;
  readonly status: SummarizerStatus | undefined;
  /** What planning is told. */
  readonly known: CompactionState;
  readonly setup: Setup;
  readonly jobs: Jobs;
  readonly emit: Emit;
  readonly signal: AbortSignal | undefined;
}

export function passOf(
  saved: SummarizedState,
  runtime: CompactionRuntime,
  given: Setup,
  jobs: Jobs,
  emit: Emit,
): Pass {
  const state = saved.rebuilt === true ? withoutPast(saved) : saved;
  const summary = summaryInForce(state);
  const status = state._summaryStatus ?? undefined;
  const setup = withoutStaleUsage(state, given);
  const known: CompactionState = {
    summary,
    omitted: state._omitted ?? undefined,
    // With a fallback a summarizer that rests is no reason to wait. One that is not needed may rest.
    status: setup.fallback === undefined && state.rebuilt !== true ? status : undefined,
    fixedTokens: setup.fixedTokens(runtime.prompt),
  };
  return { state, summary, status, known, setup, jobs, emit, signal: runtime.signal };
}

/** A context that is rebuilt: what was prepared or left out is of one that is gone. */
function withoutPast(state: SummarizedState): SummarizedState {
  const { _summaryAhead: ahead, _omitted: omitted } = state;
  return {
    ...state,
    ...(ahead === undefined ? {} : { _summaryAhead: null }),
    ...(omitted === undefined ? {} : { _omitted: null }),
  };
}

/** Where nothing remembers the last cut, a provider's count may be of a prompt that is gone. */
function withoutStaleUsage(state: SummarizedState, setup: Setup): Setup {
  const remembers = setup.policy.summarize || state._omitted !== undefined;
  if (remembers && state.rebuilt !== true) return setup;
  return { ...setup, policy: { ...setup.policy, usage: false } };
}
