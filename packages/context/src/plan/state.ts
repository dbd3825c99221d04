import type { RollingSummary } from "../summary/rolling.ts";
import type { SummarizerStatus } from "../summary/status.ts";

/** What a context leaves out that no summary covers: the report of a policy with `summarize: false`. */
export interface Omitted {
  /** Messages left out, over all cuts. */
  readonly count: number;
  /** Their tokens. */
  readonly tokens: number;
  /** Id of the first message that is shown; `null` if it has none. */
  readonly until: string | null;
  /** Id of the newest message when the cut was made. */
  readonly madeAfter: string | null;
  /** Provider's tokens per token of ours at that time; absent if nobody knew. */
  readonly scale?: number;
}

/** What a thread knows beside its messages when a compaction is planned. */
export interface CompactionState {
  /** The summary in force, if there is one. */
  readonly summary?: RollingSummary | undefined;
  /** Where there is none: what was left out. */
  readonly omitted?: Omitted | undefined;
  readonly status?: SummarizerStatus | undefined;
  /**
   * Tokens of the prompt that no message accounts for: system prompt and tool schemas. If a provider
   * counted more, its figure goes before this one.
   */
  readonly fixedTokens?: number | undefined;
}
