import { counting, invalidMember } from "../check-rule.ts";
import type { SummarizeInput } from "../summary/summarizer.ts";
import type { TokenCounter } from "../tokens/counter.ts";
import { fitNotes } from "./fit.ts";
import { gather } from "./gather.ts";
import { EMPTY_NOTES, readNotes } from "./notes.ts";

/**
 * A summarizer without a model, deterministic: it keeps what users asked, what was answered, ids,
 * names and amounts from tool calls and results, and for each tool how often it was called, how often
 * it failed and what came of it last. The old summary is read back and goes into the new one; under a
 * budget the first request, the newest ones and lines with hard facts go before the rest.
 *
 * The text never has more than `maxTokens` tokens (but at least one sign), however often it is folded.
 *
 * @throws GraphError INVALID_CONFIGURATION for a counter that is none
 *
 * @example
 * const summarize = extractiveSummarizer(createTokenCounter());
 * const text = summarize({ messages, maxTokens: 400 });
 */
export function extractiveSummarizer(counter: TokenCounter): (input: SummarizeInput) => string {
  const words = counting(counter);
  if (words !== undefined) throw invalidMember("extractiveSummarizer", "counter", words, counter);
  return ({ messages, previous, maxTokens }) => {
    const before = previous === undefined ? EMPTY_NOTES : readNotes(previous);
    return fitNotes(gather(before, messages), maxTokens, counter);
  };
}
