import type { BaseMessage } from "@langchain/core/messages";
import {
  argumentsText,
  fitTokens,
  isRecallOutput,
  textOf,
  toolResults,
  type TextCounter,
} from "@skein/context";
import { within } from "./within.ts";

interface RecallPage {
  /** Character to begin at. */
  readonly offset: number;
  /** Most tokens of all that is returned. */
  readonly maxTokens: number;
  readonly counter: TextCounter;
}

/**
 * A page of the original results of a tool call, the newest first, because ids of calls are used again
 * for other calls (B7); an error in JSON when no call of the history has the id.
 */
export function resultsOfCall(history: readonly BaseMessage[], callId: string, page: RecallPage): string {
  const found = toolResults(history)
    .filter(({ call, message }) => call.id === callId && !isRecallOutput(message))
    .toReversed();
  if (found.length === 0) return notFound(callId, page);
  const text = found
    .map(({ call, message, tool }, at) => {
      const which =
        found.length === 1 ? "" : ` (${at + 1} of ${found.length} calls with this id, newest first)`;
      return `${tool}(${argumentsText(call.args)})${which} returned:\n${textOf(message)}`;
    })
    .join("\n\n");
  return pageOf(text, page);
}

/** Of an id as a model may make one up, as much as fits. */
function notFound(callId: string, { maxTokens, counter }: RecallPage): string {
  const error = "Tool call result not found";
  const shown = (tokens: number): string =>
    JSON.stringify({ error, callId: fitTokens(callId, tokens, counter) });
  return within(maxTokens, counter, shown);
}

/** Characters of the longest token that is worth waiting for: what is counted is no more than a page can hold. */
const LONGEST_TOKEN = 16;

function pageOf(text: string, { offset, maxTokens, counter }: RecallPage): string {
  const start = isLowHalf(text, offset) ? offset - 1 : offset;
  const total = text.length;
  if (offset >= total) return `There are ${total} characters; the offset is behind the last one.`;
  const rest = text.slice(start, start + maxTokens * LONGEST_TOKEN);
  return within(maxTokens, counter, (tokens) => {
    // a page is never empty, or the next one would be the same
    const piece = fitTokens(rest, tokens, counter) || String.fromCodePoint(rest.codePointAt(0) as number);
    const end = start + piece.length;
    return end < total
      ? `${piece}\n[characters ${offset} to ${end} of ${total}; more: offset ${end}]`
      : piece;
  });
}

function isLowHalf(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  return at > 0 && unit >= 0xdc00 && unit <= 0xdfff;
}
