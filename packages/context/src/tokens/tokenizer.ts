import { GraphError, shown } from "@skein/errors";
import { estimateTokens } from "./estimate.ts";

/** Counts the tokens of a text. Pure: the same text always gives the same number. */
export interface Tokenizer {
  readonly name: string;
  count(text: string): number;
}

/** Needs nothing loaded; see {@link estimateTokens} for its error. */
export const estimateTokenizer: Tokenizer = { name: "estimate", count: estimateTokens };

/** js-tiktoken merges a piece in quadratic time: 20,000 letters without a space take half a minute. */
const LONGEST_PIECE = 128;
const LONG_PIECE = new RegExp(`[^\\s]{${LONGEST_PIECE}}(?=[^\\s])`, "gu");

type Encoding = "o200k_base" | "cl100k_base";

const RANKS = {
  o200k_base: () => import("js-tiktoken/ranks/o200k_base"),
  cl100k_base: () => import("js-tiktoken/ranks/cl100k_base"),
};

/**
 * Loads js-tiktoken with the ranks of one encoding (2.3 MB, about a second), hence only when asked.
 * Runs of more than 128 characters without white space are counted in pieces, which is exact up to
 * one token a piece and keeps the time linear.
 *
 * @param encoding - default: `o200k_base`, the encoding of current OpenAI models
 * @throws GraphError INVALID_CONFIGURATION if js-tiktoken or the encoding is missing
 *
 * @example
 * const counter = createTokenCounter({ tokenizer: await loadTiktoken() });
 */
export async function loadTiktoken(encoding: Encoding = "o200k_base"): Promise<Tokenizer> {
  if (!Object.hasOwn(RANKS, encoding)) {
    const known = Object.keys(RANKS).join('" or "');
    throw new GraphError(
      "INVALID_CONFIGURATION",
      `There is no tokenizer ${shown(encoding)}; load "${known}", or count with "estimate".`,
      {
        details: { encoding },
      },
    );
  }
  try {
    const [{ Tiktoken }, ranks] = await Promise.all([import("js-tiktoken/lite"), RANKS[encoding]()]);
    const encoder = new Tiktoken(ranks.default);
    const piece = (text: string): number => encoder.encode(text, [], []).length;
    return { name: encoding, count: (text) => countInPieces(text, piece) };
  } catch (cause) {
    throw new GraphError(
      "INVALID_CONFIGURATION",
      `The tokenizer ${encoding} could not be loaded. Install js-tiktoken, or count with "estimate".`,
      { cause, details: { encoding } },
    );
  }
}

function countInPieces(text: string, count: (piece: string) => number): number {
  let sum = 0;
  let start = 0;
  for (const match of text.matchAll(LONG_PIECE)) {
    const end = match.index + match[0].length;
    sum += count(text.slice(start, end));
    start = end;
  }
  return sum + count(start === 0 ? text : text.slice(start));
}
