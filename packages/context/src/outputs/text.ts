import { invalidMember, requireTokens } from "../check-rule.ts";
import { requireText } from "../messages/given.ts";

/** How many tokens a text has; a {@link TokenCounter} fits. */
export interface TextCounter {
  text(text: string): number;
}

/** @throws GraphError INVALID_CONFIGURATION, INVALID_INPUT for what can't be cut */
export function requireCut(of: string, text: string, tokens: number, counter: TextCounter): void {
  requireText(of, text);
  requireTokens(of, "tokens", tokens);
  if (typeof (counter as Partial<TextCounter> | null | undefined)?.text === "function") return;
  throw invalidMember(of, "counter", "what createTokenCounter returns", counter);
}

/**
 * Beginning and end of a text with a note between them; two thirds of the tokens go to the beginning.
 *
 * @param tokens - most tokens of both ends together
 * @returns undefined when the text has no more tokens than that
 * @throws GraphError INVALID_CONFIGURATION unless `tokens` is a number of at least 0 and `counter` counts;
 *   INVALID_INPUT for what is no text
 *
 * @example
 * headAndTail(log, 200, counter, (left) => `[... ${left} tokens left out ...]`);
 */
export function headAndTail(
  text: string,
  tokens: number,
  counter: TextCounter,
  note: (leftOut: number) => string,
): string | undefined {
  requireCut("headAndTail", text, tokens, counter);
  if (typeof note !== "function") throw invalidMember("headAndTail", "note", "a function", note);
  const all = counter.text(text);
  return all <= tokens ? undefined : endsOf(text, all, tokens, counter, note);
}

/** The same of a text that is known to have `all` tokens, more than `tokens`. */
export function endsOf(
  text: string,
  all: number,
  tokens: number,
  counter: TextCounter,
  note: (leftOut: number) => string,
): string {
  const ends = Math.max(2, tokens);
  const head = cut(text, Math.ceil((ends * 2) / 3), all, counter, "start");
  const tail = cut(text, Math.floor(ends / 3), all, counter, "end");
  const left = Math.max(1, all - head.tokens - tail.tokens);
  return [head.text, note(left), tail.text].filter((part) => part !== "").join("\n");
}

interface Piece {
  readonly text: string;
  readonly tokens: number;
}

/**
 * The beginning of a text, at most so many tokens of it.
 *
 * @throws GraphError INVALID_CONFIGURATION unless `tokens` is a number of at least 0 and `counter` counts;
 *   INVALID_INPUT for what is no text
 *
 * @example
 * fitTokens("one two three", 2, counter); // "one two"
 */
export function fitTokens(text: string, tokens: number, counter: TextCounter): string {
  requireCut("fitTokens", text, tokens, counter);
  const all = counter.text(text);
  return all <= tokens ? text : cut(text, tokens, all, counter, "start").text;
}

/** A piece of about so many tokens, never more; it ends at the end of a line if one is near. */
function cut(text: string, tokens: number, all: number, counter: TextCounter, side: "start" | "end"): Piece {
  let length = Math.floor((text.length * tokens) / all);
  for (;;) {
    const piece = side === "start" ? startOf(text, length) : endOf(text, length);
    const count = counter.text(piece);
    if (length === 0 || count <= tokens) return { text: piece, tokens: count };
    length = Math.floor(length * 0.8);
  }
}

/** At most so many characters from the beginning. */
export function startOf(text: string, length: number): string {
  if (length <= 0) return "";
  if (length >= text.length) return text;
  const piece = text.slice(0, isPair(text, length) ? length - 1 : length);
  const line = piece.lastIndexOf("\n");
  return line > length * 0.8 ? piece.slice(0, line) : piece;
}

/** At most so many characters up to the end. */
export function endOf(text: string, length: number): string {
  if (length <= 0) return "";
  if (length >= text.length) return text;
  const at = text.length - length;
  const piece = text.slice(isPair(text, at) ? at + 1 : at);
  const line = piece.indexOf("\n");
  return line >= 0 && line < length * 0.2 ? piece.slice(line + 1) : piece;
}

/** Whether a cut there would split a character that takes two units. */
function isPair(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  return unit >= 0xdc00 && unit <= 0xdfff;
}
