import { indexed, rankTexts } from "@skein/checkpointer";
import { fitTokens, type TextCounter } from "@skein/context";

/** Characters of a piece that is ranked by itself. */
const PIECE = 240;

/**
 * The part of a text that answers a query best, of at most so many tokens: the best piece and what
 * stands around it.
 */
export function excerptOf(text: string, query: string, tokens: number, counter: TextCounter): string {
  if (counter.text(text) <= tokens) return text;
  const pieces = piecesOf(text);
  const best = rankTexts(query, pieces.map(indexed))[0]?.at ?? 0;
  let [from, to] = [best, best + 1];
  const shown = (start: number, end: number): string =>
    `${start > 0 ? "[...] " : ""}${pieces.slice(start, end).join("").trim()}${end < pieces.length ? " [...]" : ""}`;
  const fits = (start: number, end: number): boolean =>
    start >= 0 && end <= pieces.length && counter.text(shown(start, end)) <= tokens;
  while (fits(from - 1, to) || fits(from, to + 1)) {
    if (fits(from, to + 1)) to++;
    if (fits(from - 1, to)) from--;
  }
  return fitTokens(shown(from, to), tokens, counter);
}

/** Sentences and lines together up to a length; longer ones are cut. Joined, they are the text. */
function piecesOf(text: string): string[] {
  const pieces: string[] = [];
  let open = "";
  for (const part of text.match(/[^\n.!?。！？]*(?:[\n.!?。！？]+|$)\s*/gu) ?? []) {
    if (open.length + part.length > PIECE && open !== "") {
      pieces.push(open);
      open = "";
    }
    open += part;
    while (open.length > 2 * PIECE) {
      const cut = open.codePointAt(PIECE - 1) === open.charCodeAt(PIECE - 1) ? PIECE : PIECE + 1;
      pieces.push(open.slice(0, cut));
      open = open.slice(cut);
    }
  }
  return open === "" ? pieces : [...pieces, open];
}
