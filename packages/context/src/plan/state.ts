import type { RollingSummary } from "../summary/rolling.ts";
import type { SummarizerStatus } from "../summary/status.ts";

/** What a thread knows beside its messages when a compaction is planned. */
export interface CompactionState {
  /** The summary in force, if there is one. */
  readonly summary?: RollingSummary | undefined;
  readonly status?: SummarizerStatus | undefined;
  /**
   * Tokens of the prompt that no message accounts for: system prompt and tool schemas. If a provider
   * counted more, its figure goes before this one.
   */
  readonly fixedTokens?: number | undefined;
}
