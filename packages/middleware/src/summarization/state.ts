import type { BaseMessage } from "@langchain/core/messages";
import {
  frameText,
  isMarkedSummary,
  textOf,
  unframeText,
  type Omitted,
  type RollingSummary,
  type SummarizerStatus,
} from "@skein/context";
import { GraphError, shown } from "@skein/errors";
import { z } from "zod";
import { aheadField, type SummaryAhead } from "./ahead.ts";

/** Where a summary's message carries what is known of the summary, but its text. */
export const METADATA = "skein_summary";

/**
 * The keys of the state that remember summaries: `_summary`, the last 10 versions, newest last;
 * `_summaryStatus`, how the summarizer fared; `_summaryAhead`, what is prepared in the background;
 * `_omitted`, what is left out where there is no summary. Private, saved with every checkpoint, so
 * they follow forks and rollbacks. The middleware brings them; a graph that uses `summarizationNode` may.
 *
 * @example
 * const State = new StateSchema({ ...dualTrackMessages(), ...summaryFields });
 */
export const summaryFields = {
  // custom: parsed elements would be copies, and a list's elements are stored once by identity (C3)
  _summary: z.array(z.custom<RollingSummary>(isSummary)).default(() => []),
  _summaryStatus: z.custom<SummarizerStatus | null>(isStatus).default(null),
  _summaryAhead: aheadField,
  _omitted: z.custom<Omitted | null>(isOmitted).default(null),
};

export function isSummary(value: unknown): value is RollingSummary {
  return isMetadata(value) && typeof (value as Partial<RollingSummary>).text === "string";
}

const FIGURES = ["version", "coveredCount", "tokens", "originalTokens", "rate", "createdAt"] as const;

/** Stored state and messages of clients can hold anything: figures that are none would disarm every check. */
function isMetadata(value: unknown): value is Omit<RollingSummary, "text"> {
  if (typeof value !== "object" || value === null) return false;
  const summary = value as Partial<RollingSummary>;
  return typeof summary.messageId === "string" && FIGURES.every((name) => Number.isFinite(summary[name]));
}

function isStatus(value: unknown): boolean {
  return value === null || typeof (value as Partial<SummarizerStatus>)?.restUntil === "number";
}

function isOmitted(value: unknown): boolean {
  if (value === null) return true;
  const { count, tokens } = (value ?? {}) as Partial<Omitted>;
  return Number.isFinite(count) && Number.isFinite(tokens);
}

/**
 * For a context that is rebuilt: the summary that it stands on, which is the last one, and the messages
 * of the history that it does not cover. Undefined where the history does not know where it ends.
 */
export function standingSummary(
  state: SummarizedState,
): { readonly summary: RollingSummary; readonly uncovered: ReadonlySet<BaseMessage> } | undefined {
  const summary = state.rebuilt === true ? state._summary?.at(-1) : undefined;
  if (summary === undefined) return undefined;
  const { coveredUntil, madeAfter } = summary;
  const end =
    coveredUntil === null
      ? state.messages.findIndex(({ id }) => id === madeAfter) + 1
      : state.messages.findIndex(({ id }) => id === coveredUntil);
  return end > 0 ? { summary, uncovered: new Set(state.messages.slice(end)) } : undefined;
}

/** The part of a state that a compaction reads. */
export interface SummarizedState {
  readonly messages: readonly BaseMessage[];
  /** There only where the engine knows no dual track. */
  readonly full_messages?: readonly BaseMessage[] | undefined;
  readonly _summary?: readonly RollingSummary[] | undefined;
  readonly _summaryStatus?: SummarizerStatus | null | undefined;
  readonly _summaryAhead?: SummaryAhead | null | undefined;
  readonly _omitted?: Omitted | null | undefined;
  /** `messages` are the whole history, to be compacted anew. */
  readonly rebuilt?: boolean | undefined;
}

/** What a summary's message carries beside its text, for graphs without a `_summary` key. */
export function metadataOf({ text: _text, ...metadata }: RollingSummary): Record<string, unknown> {
  return { [METADATA]: metadata };
}

/**
 * The summary in force: the last version, if the message that stands for it is in the context as it
 * was written (who clears the context clears its summary; who writes something else under its id has
 * written a message). Without a `_summary` key it is read from that message, which must then be the
 * first after leading system messages: on a thread that has begun nobody can append one there.
 *
 * @throws GraphError INVALID_INPUT for what is no state with messages
 *
 * @example
 * const summary = summaryInForce((await graph.getState(config)).values);
 */
export function summaryInForce(state: SummarizedState): RollingSummary | undefined {
  if (!Array.isArray((state as Partial<SummarizedState> | null | undefined)?.messages)) {
    throw new GraphError("INVALID_INPUT", `summaryInForce takes a state with messages, not ${shown(state)}.`);
  }
  if (state.rebuilt === true) return undefined;
  if (Array.isArray(state._summary)) {
    const last = state._summary.at(-1);
    if (last === undefined) return undefined;
    const message = state.messages.find(({ id }) => id === last.messageId);
    return message !== undefined && textOf(message) === frameText(last.text) ? last : undefined;
  }
  for (const message of state.messages) {
    if (message.type !== "system" && message.type !== "human") return undefined;
    const metadata: unknown = message.additional_kwargs?.[METADATA];
    if (isMarkedSummary(message) && isMetadata(metadata) && metadata.messageId === message.id) {
      return { ...metadata, text: unframeText(textOf(message)) };
    }
    if (message.type === "human") return undefined;
  }
  return undefined;
}
