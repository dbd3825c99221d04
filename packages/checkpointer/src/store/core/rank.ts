import { countMatches, type QueryTerm } from "../../search/index.ts";

/** Words of average rarity count fully; a word again and again counts ever less. As in FTS5. */
const SATURATION = 1.2;
const LENGTH_WEIGHT = 0.75;

/** The BM25 score of each text; undefined for one that holds none of the terms. */
export function scoreTexts(texts: readonly string[], terms: readonly QueryTerm[]): (number | undefined)[] {
  const counts = texts.map((text) => countMatches(text, terms));
  const holding = terms.map((_, t) => counts.filter((each) => (each[t] as number) > 0).length);
  const weights = holding.map((n) => Math.max(Math.log((texts.length - n + 0.5) / (n + 0.5)), 1e-6));
  const average = texts.reduce((sum, text) => sum + text.length, 0) / texts.length;
  return counts.map((each, i) => {
    if (each.every((count) => count === 0)) return undefined;
    const length = (texts[i] as string).length / average;
    const damping = SATURATION * (1 - LENGTH_WEIGHT + LENGTH_WEIGHT * length);
    return each.reduce((sum, count, t) => {
      return sum + ((weights[t] as number) * count * (SATURATION + 1)) / (count + damping);
    }, 0);
  });
}

/** The cosine of two vectors of length 1; 0 for vectors of different models. */
export function cosine(a: Float32Array, b: Float32Array): number {
  if (a.length !== b.length) return 0;
  let sum = 0;
  for (let i = 0; i < a.length; i += 1) sum += (a[i] as number) * (b[i] as number);
  return sum;
}

/** Best first; what has no score last; among equals the one that was stored first. */
export function byScore(a: { id: number; score?: number }, b: { id: number; score?: number }): number {
  return (b.score ?? Number.NEGATIVE_INFINITY) - (a.score ?? Number.NEGATIVE_INFINITY) || a.id - b.id;
}
