import type { BaseMessage } from "@langchain/core/messages";
import {
  isMarkedSummary,
  textOf,
  unframeText,
  type RollingSummary,
  type SummarizerStatus,
} from "@skein/context";
import { z } from "zod";

/** Where a summary's message carries what is known of the summary, but its text. */
const METADATA = "skein_summary";

/**
 * The keys of the state that remember summaries: `_summary`, the last 10 versions, newest last, and
 * `_summaryStatus`, how the summarizer fared. Private, saved with every checkpoint, so they follow
 * forks and rollbacks. The middleware brings them; a graph that uses `summarizationNode` may.
 *
 * @example
 * const State = new StateSchema({ ...dualTrackMessages(), ...summaryFields });
 */
export const summaryFields = {
  // custom: parsed elements would be copies, and a list's elements are stored once by identity (C3)
  _summary: z.array(z.custom<RollingSummary>(isSummary)).default(() => []),
  _summaryStatus: z.custom<SummarizerStatus | null>(isStatus).default(null),
};

function isSummary(value: unknown): boolean {
  const summary = value as Partial<RollingSummary> | null;
  return (
    typeof summary === "object" && typeof summary?.text === "string" && typeof summary.messageId === "string"
  );
}

function isStatus(value: unknown): boolean {
  return value === null || typeof (value as Partial<SummarizerStatus>)?.restUntil === "number";
}

/** The part of a state that a compaction reads. */
export interface SummarizedState {
  readonly messages: readonly BaseMessage[];
  readonly _summary?: readonly RollingSummary[] | undefined;
  readonly _summaryStatus?: SummarizerStatus | null | undefined;
}

/** What a summary's message carries beside its text, for graphs without a `_summary` key. */
export function metadataOf({ text: _text, ...metadata }: RollingSummary): Record<string, unknown> {
  return { [METADATA]: metadata };
}

/**
 * The summary in force: the last version, if the message that stands for it is in the context (who
 * clears the context clears its summary). Without a `_summary` key it is read from that message, which
 * must then be the first after leading system messages: nobody can append one there.
 */
export function summaryInForce(state: SummarizedState): RollingSummary | undefined {
  if (state._summary !== undefined) {
    const last = state._summary.at(-1);
    if (last === undefined) return undefined;
    return state.messages.some((message) => message.id === last.messageId) ? last : undefined;
  }
  for (const message of state.messages) {
    if (message.type !== "system" && message.type !== "human") return undefined;
    const metadata = message.additional_kwargs?.[METADATA] as Omit<RollingSummary, "text"> | undefined;
    if (isMarkedSummary(message) && metadata !== undefined && metadata.messageId === message.id) {
      return { ...metadata, text: unframeText(textOf(message)) };
    }
    if (message.type === "human") return undefined;
  }
  return undefined;
}
