import { outline } from "./json.ts";
import { endsOf, requireCut, type TextCounter } from "./text.ts";

/** A shortened text, and how many tokens it has and had. */
export interface Compressed {
  readonly text: string;
  /** What was done: an outline of JSON, or beginning and end of a text. */
  readonly as: "outline" | "ends";
  readonly tokens: number;
  readonly originalTokens: number;
}

/**
 * Shortens the output of a tool. JSON keeps its success flags and counts, the first and last elements
 * of long lists and the ends of long texts, and stays JSON; other text keeps its beginning and its end.
 * Both say what they are and how many tokens there were. Pure: the same text gives the same result.
 *
 * @param tokens - outputs of up to so many tokens stay as they are
 * @returns undefined when there is nothing to do, or no fifth to save
 * @throws GraphError INVALID_CONFIGURATION unless `tokens` is a number of at least 0 and `counter` counts;
 *   INVALID_INPUT for what is no text
 *
 * @example
 * compressOutput(JSON.stringify(rows), 200, createTokenCounter())?.text;
 */
export function compressOutput(text: string, tokens: number, counter: TextCounter): Compressed | undefined {
  requireCut("compressOutput", text, tokens, counter);
  const originalTokens = counter.text(text);
  if (originalTokens <= tokens) return undefined;
  return outlined(text, originalTokens, counter) ?? ends(text, tokens, originalTokens, counter);
}

function outlined(text: string, originalTokens: number, counter: TextCounter): Compressed | undefined {
  const value = jsonOf(text);
  if (value === undefined) return undefined;
  const shown = `${JSON.stringify(outline(value))}\n[outline of ${originalTokens} tokens of JSON]`;
  return worth(shown, "outline", originalTokens, counter);
}

function ends(
  text: string,
  tokens: number,
  originalTokens: number,
  counter: TextCounter,
): Compressed | undefined {
  const note = (left: number): string => `[... ${left} of ${originalTokens} tokens left out ...]`;
  return worth(endsOf(text, originalTokens, tokens, counter, note), "ends", originalTokens, counter);
}

/** A tool's result that is barely shorter is not worth a changed prompt. */
function worth(
  text: string,
  as: Compressed["as"],
  originalTokens: number,
  counter: TextCounter,
): Compressed | undefined {
  const tokens = counter.text(text);
  return tokens <= originalTokens * 0.8 ? { text, as, tokens, originalTokens } : undefined;
}

/** Objects and lists; a number or a quoted text is better cut as text. */
function jsonOf(text: string): object | undefined {
  if (!/^\s*[[{]/u.test(text)) return undefined;
  try {
    return JSON.parse(text) as object;
  } catch {
    return undefined;
  }
}
