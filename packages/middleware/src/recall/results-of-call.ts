import type { BaseMessage } from "@langchain/core/messages";
import { fitTokens, isRecallOutput, textOf, toolResults, type TextCounter } from "@skein/context";

/** One page of what a call returned. */
export interface RecalledPage {
  readonly text: string;
  /** Characters in all. */
  readonly total: number;
  /** Where the next page begins; undefined on the last one. */
  readonly next: number | undefined;
}

/**
 * The original results of a tool call, the newest first, because ids of calls are used again for other
 * calls (B7).
 *
 * @returns undefined when no call of the history has the id
 */
export function resultsOfCall(
  history: readonly BaseMessage[],
  callId: string,
  page: { readonly offset: number; readonly maxTokens: number; readonly counter: TextCounter },
): RecalledPage | undefined {
  const found = toolResults(history)
    .filter(({ call, message }) => call.id === callId && !isRecallOutput(message))
    .toReversed();
  if (found.length === 0) return undefined;
  const text = found
    .map(({ call, message, tool }, at) => {
      const which =
        found.length === 1 ? "" : ` (${at + 1} of ${found.length} calls with this id, newest first)`;
      return `${tool}(${JSON.stringify(call.args)})${which} returned:\n${textOf(message)}`;
    })
    .join("\n\n");
  return pageOf(text, page);
}

/** Characters of the longest token that is worth waiting for: what is counted is no more than a page can hold. */
const LONGEST_TOKEN = 16;

function pageOf(
  text: string,
  { offset, maxTokens, counter }: { offset: number; maxTokens: number; counter: TextCounter },
): RecalledPage {
  const start = isLowHalf(text, offset) ? offset - 1 : offset;
  const rest = text.slice(start, start + maxTokens * LONGEST_TOKEN);
  // a page is never empty, or the next one would be the same
  const piece = fitTokens(rest, maxTokens, counter) || rest.slice(0, 2);
  const end = start + piece.length;
  return { text: piece, total: text.length, next: end < text.length ? end : undefined };
}

function isLowHalf(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  return at > 0 && unit >= 0xdc00 && unit <= 0xdfff;
}
