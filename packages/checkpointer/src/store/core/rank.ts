import { bm25 } from "../../search/index.ts";

/** A word that most items hold counts next to nothing. As in FTS5. */
const rarity = (size: number, holders: number): number =>
  Math.max(Math.log((size - holders + 0.5) / (holders + 0.5)), 1e-6);

/** An item that holds any of the terms that are looked for. */
export interface Found {
  readonly id: number;
  /** How many terms it holds in all. */
  readonly length: number;
  /** How often it holds each of those looked for. */
  readonly counts: readonly number[];
}

export interface Ranked {
  readonly id: number;
  readonly score: number;
}

/**
 * Items by BM25, the best first. How rare a term is is counted in what was searched, how long items are
 * in what was found: nothing else that the database holds has a part in it.
 *
 * @param size - how many items were searched, with those that hold none of the terms
 */
export function rankWords(found: readonly Found[], size: number): Ranked[] {
  const lengths = found.map(({ length }) => length);
  const averageLength = lengths.reduce((sum, length) => sum + length, 0) / found.length;
  const scores = bm25(
    found.map(({ counts }) => counts),
    lengths,
    { size, averageLength },
    rarity,
  );
  const scored = found.map(({ id }, i): Ranked => ({ id, score: scores[i] as number }));
  return scored.sort(byScore);
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
