import { GraphError, shown } from "@skein/errors";
import { givenText } from "../core/given.ts";
import { countMatches, parseQuestion, partOf, type QueryTerm } from "./query.ts";
import { indexText } from "./terms.ts";

/** A text made ready to be searched. Worth keeping: making it is most of a search's work. */
export interface IndexedText {
  /** Its terms, in a form of ours. */
  readonly text: string;
  /** How many terms it holds. */
  readonly length: number;
}

/**
 * Makes a text ready for `rankTexts`.
 *
 * @throws GraphError INVALID_CONFIGURATION for what is no text
 *
 * @example
 * rankTexts("late parcels", [indexed("The parcel was late."), indexed("Yarn is blue.")]);
 */
export function indexed(text: string): IndexedText {
  const terms = indexText(givenText(text, "What is searched"));
  return { text: terms, length: countTerms(terms) };
}

/** How many terms an `indexText` holds. */
export function countTerms(text: string): number {
  let terms = 0;
  for (let at = text.indexOf(" "); at >= 0; at = text.indexOf(" ", at + 1)) terms += 1;
  return terms;
}

/**
 * Terms of a question of which any is enough. English words are looked for whatever their ending,
 * words written without spaces by each of their pairs.
 */
export function questionTerms(question: string): QueryTerm[] {
  const terms = parseQuestion(question).flatMap((term): QueryTerm[] => {
    if (term.kind === "phrase") return term.pairs.map((pair) => ({ kind: "phrase", pairs: [pair] }));
    const stem = term.kind === "word" ? stemOf(term.text) : undefined;
    return [stem === undefined ? term : { kind: "prefix", text: stem }];
  });
  return [...new Map(terms.map((term) => [partOf(term), term])).values()];
}

const ENDING = /(?:ations?|ational|ingly|edly|ings?|ied|ies|ed|es|ers?|ly|s|e|y)$/u;

/** What forms of an English word have in common; undefined for a word that has to be found as it is. */
function stemOf(word: string): string | undefined {
  if (!/^[a-z]{4,}$/u.test(word)) return undefined;
  const stem = word.replace(ENDING, "").replace(/([b-df-hj-np-tv-z])\1$/u, "$1");
  return stem.length >= 3 ? stem : undefined;
}

/**
 * BM25 scores of texts, in their order; 0 for a text that holds no term.
 *
 * @param counts - of each text: how often it holds each term, as `countMatches` says
 * @param lengths - of the same texts
 * @param collection - how many texts there are in all, and how many terms one has on average
 * @param rarity - what a term counts that so many of the texts hold. Default: above 0 for every one
 */
export function bm25(
  counts: readonly (readonly number[])[],
  lengths: readonly number[],
  collection: { readonly size: number; readonly averageLength: number },
  rarity: (size: number, holders: number) => number = alwaysRare,
): number[] {
  const { size, averageLength } = collection;
  const holders = (counts[0] ?? []).map((_, term) => counts.filter((count) => count[term]).length);
  const weights = holders.map((n) => rarity(size, n));
  return counts.map((count, at) => {
    const dampening = 1.2 * (0.25 + (0.75 * (lengths[at] as number)) / averageLength);
    return count.reduce((sum, n, term) => sum + ((weights[term] ?? 0) * n * 2.2) / (n + dampening), 0);
  });
}

const alwaysRare = (size: number, holders: number): number =>
  Math.log(1 + (size - holders + 0.5) / (holders + 0.5));

/** A text's place in the list that was ranked. */
export interface Ranked {
  readonly at: number;
  readonly score: number;
}

/**
 * Which texts answer a question best, best first; of two that are as good, the later one. Texts that
 * hold no word of it are left out.
 *
 * @throws GraphError INVALID_CONFIGURATION for a question that is no text, or texts that `indexed` did not make
 *
 * @example
 * rankTexts("Where do I live?", ["I lived in Seattle", "I like tea"].map(indexed)); // [{ at: 0, ... }, { at: 1, ... }]
 */
export function rankTexts(question: string, texts: readonly IndexedText[]): Ranked[] {
  const terms = questionTerms(givenText(question, "A question"));
  if (!Array.isArray(texts) || !texts.every(isIndexed)) {
    throw new GraphError(
      "INVALID_CONFIGURATION",
      `rankTexts takes a list of what indexed() made; ${shown(texts)} was given.`,
    );
  }
  const counts = texts.map(({ text }) => countMatches(text, terms));
  const lengths = texts.map(({ length }) => length);
  const averageLength = lengths.reduce((sum, length) => sum + length, 0) / Math.max(1, texts.length);
  return bm25(counts, lengths, { size: texts.length, averageLength })
    .map((score, at) => ({ at, score }))
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score || b.at - a.at);
}

function isIndexed(value: unknown): value is IndexedText {
  const { text, length } = (value ?? {}) as Partial<IndexedText>;
  return typeof text === "string" && typeof length === "number";
}
