import type { BaseMessage, UsageMetadata } from "@langchain/core/messages";
import { isAssistant } from "../messages/kinds.ts";
import { shortenedMark } from "../outputs/mark.ts";
import type { TokenCounter, Totals } from "../tokens/counter.ts";

/** Between two reports there must be so much of our own count, or a few words would decide. */
const LEAST_SPAN = 400;
/** Outside of this a figure is no tokenizer's: the prompt changed for another reason. */
const LEAST = 0.5;
const MOST = 2.5;

/** Tokens of the prompt that a reply answered, as its provider counted them; undefined if it did not say. */
export function reportedUsage(message: BaseMessage): UsageMetadata | undefined {
  const usage = (message as { usage_metadata?: UsageMetadata | null }).usage_metadata;
  const tokens: unknown = usage?.input_tokens;
  return usage && typeof tokens === "number" && tokens > 0 ? usage : undefined;
}

/**
 * The provider's tokens per token of ours, from its own reports: what a prompt grew by between two
 * replies, set against what we counted for the messages between them. System prompt and tools, which
 * are in both, cancel out.
 *
 * @param since - position from which on replies saw one growing prompt: after the last compaction
 * @param known - what was measured before; 1 if nothing was
 */
export function scaleOf(list: readonly BaseMessage[], since: number, totals: Totals, known: number): number {
  let first: { readonly at: number; readonly input: number } | undefined;
  let last = first;
  for (let at = Math.max(0, since); at < list.length; at++) {
    const message = list[at] as BaseMessage;
    if (!isAssistant(message)) continue;
    const usage = reportedUsage(message);
    if (usage === undefined) continue;
    last = { at, input: usage.input_tokens };
    first ??= last;
  }
  if (first === undefined || last === undefined) return known;
  const counted = totals.between(first.at, last.at);
  if (counted < LEAST_SPAN) return known;
  const scale = (last.input - first.input) / counted;
  return scale >= LEAST && scale <= MOST ? scale : known;
}

/** Tokens of ours by which messages before a provider's report were shortened after it. */
export function savedSince(
  { list, usageAt }: { readonly list: readonly BaseMessage[]; readonly usageAt: number | undefined },
  counter: TokenCounter,
): number {
  if (usageAt === undefined) return 0;
  const since = new Set(list.slice(usageAt).map(({ id }) => id));
  let saved = 0;
  for (const message of list.slice(0, usageAt)) {
    const mark = shortenedMark(message);
    if (mark?.after !== undefined && since.has(mark.after)) saved += mark.tokens - counter.message(message);
  }
  return Math.max(0, saved);
}

/** A stored scale, if it is one: state and messages of clients can hold anything. */
export function knownScale(value: unknown): number {
  return typeof value === "number" && value >= LEAST && value <= MOST ? value : 1;
}
