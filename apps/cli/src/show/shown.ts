import type { BaseMessage } from "@langchain/core/messages";
import { isRecallOutput, runLoops, shortenedMark, type RollingSummary, type RunLoop } from "@skein/context";

/** Where a message of the history is, as far as the model goes; `recalled`: in the context as a copy of older ones. */
export type Place = "context" | "shortened" | "recalled" | "summary" | "hidden";

/** A loop and its positions in the history, `end` exclusive. */
export type PlacedLoop = RunLoop & { readonly start: number; readonly end: number };

/** A version of the summary, in figures. */
export type Version = Pick<
  RollingSummary,
  "version" | "by" | "coveredCount" | "tokens" | "originalTokens" | "createdAt" | "text"
>;

/** What there is to show of a thread. */
export interface Shown {
  readonly context: readonly BaseMessage[];
  readonly history: readonly BaseMessage[];
  /** Of each message of the history. */
  readonly places: readonly Place[];
  readonly loops: readonly PlacedLoop[];
  /** The newest last. */
  readonly versions: readonly Version[];
  /** The first message of the history that is asked for. */
  readonly from: number;
  readonly tokens: { readonly context: number; readonly history: number };
}

/** How many messages of the history the summary covers: all of them where its end is not found. */
function coveredCount(history: readonly BaseMessage[], until: string | null | undefined): number {
  if (until === undefined) return 0;
  const end = history.findIndex(({ id }) => id === until);
  return end < 0 ? history.length : end;
}

export function placesOf(
  history: readonly BaseMessage[],
  context: readonly BaseMessage[],
  coveredUntil: string | null | undefined,
): Place[] {
  const seen = new Map(context.map((message) => [message.id, message]));
  const covered = coveredCount(history, coveredUntil);
  return history.map(({ id }, index) => {
    const shown = seen.get(id);
    if (shown === undefined) return index < covered ? "summary" : "hidden";
    if (shortenedMark(shown) !== undefined) return "shortened";
    return isRecallOutput(shown) ? "recalled" : "context";
  });
}

export function loopsIn(history: readonly BaseMessage[]): PlacedLoop[] {
  const { before, loops } = runLoops(history);
  let start = before.length;
  return loops.map((loop) => {
    const placed = { ...loop, start, end: start + loop.messages.length };
    start = placed.end;
    return placed;
  });
}

export function versionsOf(summaries: readonly RollingSummary[]): Version[] {
  return summaries.map(({ version, by, coveredCount, tokens, originalTokens, createdAt, text }) => ({
    version,
    by,
    coveredCount,
    tokens,
    originalTokens,
    createdAt,
    text,
  }));
}
