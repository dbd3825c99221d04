import { pairsOf, piecesOf } from "./terms.ts";

/** One thing that a query asks for. */
export type QueryTerm =
  | { readonly kind: "word"; readonly text: string }
  /** A word of two or more characters without spaces: its pairs, in a row. */
  | { readonly kind: "phrase"; readonly pairs: readonly string[] }
  /** One such character: the beginning of a term. */
  | { readonly kind: "prefix"; readonly text: string };

/** Pairs of one word that PostgreSQL is asked for: thousands are too deep for its stack. */
const MAX_PAIRS = 64;

/** Terms of a query that are looked for; more make no better result, only a slower one. */
const MAX_TERMS = 100;

/** Must every term of a query be there, or any? What holds more of them ranks higher. */
export type MatchMode = "all" | "any";

/**
 * What a query asks for, each term once, at most the first 100. Nothing of it is an operator: `AND`, quotes, `*` and `-`
 * are text like any other. Empty for a query that holds nothing to look for.
 */
export function parseQuery(query: string): QueryTerm[] {
  const pieces = new Map(piecesOf(query).map((piece) => [piece.text, piece]));
  return [...pieces.values()].slice(0, MAX_TERMS).map(({ kind, text }) => {
    if (kind === "word") return { kind, text };
    const pairs = pairsOf(text);
    return pairs.length === 0 ? { kind: "prefix", text } : { kind: "phrase", pairs };
  });
}

/** Pairs of the longest run that is taken for a word. A longer one is a sentence. */
const WORD_PAIRS = 3;

/**
 * What a question asks for, of which any is enough (`MatchMode` "any"). As `parseQuery`, but a
 * sentence written without spaces, which nothing would hold as a whole, asks for each of its pairs.
 */
export function parseQuestion(question: string): QueryTerm[] {
  const terms = parseQuery(question).flatMap((term): QueryTerm[] => {
    if (term.kind !== "phrase" || term.pairs.length <= WORD_PAIRS) return [term];
    return term.pairs.map((pair) => ({ kind: "phrase", pairs: [pair] }));
  });
  return [...new Map(terms.map((term) => [partOf(term), term])).values()].slice(0, MAX_TERMS);
}

/**
 * For `@@` of a tsvector made by `array_to_tsvector` of `indexTerms`. Such a vector keeps no places,
 * so the pairs of a longer word are looked for in any order: whether they stand in a row, `partOf`
 * tells. Bind it as a parameter, cast to tsquery.
 */
export function tsQuery(terms: readonly QueryTerm[], mode: MatchMode): string | undefined {
  const parts = terms.map((term) => {
    if (term.kind === "prefix") return `'${term.text}':*`;
    return term.kind === "word" ? `'${term.text}'` : `(${lexemes(term.pairs.slice(0, MAX_PAIRS))})`;
  });
  return joined(parts, mode === "all" ? " & " : " | ");
}

/** How often each term stands in an `indexText`. */
export function countMatches(text: string, terms: readonly QueryTerm[]): number[] {
  return terms.map((term) => countOf(text, partOf(term)));
}

/** The part of an `indexText` that a term is. */
export function partOf(term: QueryTerm): string {
  if (term.kind === "prefix") return ` ${term.text}`;
  return ` ${term.kind === "word" ? term.text : term.pairs.join(" ")} `;
}

export function isMatch(counts: readonly number[], mode: MatchMode): boolean {
  if (counts.length === 0) return false;
  return mode === "all" ? counts.every((count) => count > 0) : counts.some((count) => count > 0);
}

function lexemes(pairs: readonly string[]): string {
  return pairs.map((pair) => `'${pair}'`).join(" & ");
}

function countOf(text: string, part: string): number {
  let count = 0;
  // two neighbours share the blank between them
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + part.length - 1)) count += 1;
  return count;
}

function joined(parts: readonly string[], by: string): string | undefined {
  return parts.length === 0 ? undefined : parts.join(by);
}
