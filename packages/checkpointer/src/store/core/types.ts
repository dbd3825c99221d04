import type { IndexConfig, SearchItem } from "@langchain/langgraph-checkpoint";
import type { Codec } from "../../codec/types.ts";

/** When items end. */
export interface TTLConfig {
  /** Minutes that an item lives which is put without a `ttl` of its own. Default: for ever. */
  readonly defaultTtl?: number;
  /** Whether an item that is read lives on for its whole time again. Default: true. */
  readonly refreshOnRead?: boolean;
  /** Minutes between two sweeps after `start()`: 24 days at most, whatever is given. Default: 60. */
  readonly sweepIntervalMinutes?: number;
}

/** What the stores have in common. */
export interface StoreOptions {
  /** Embeddings, for search by meaning. Default: none, `query` searches for words. */
  readonly index?: IndexConfig;
  /** Default: items live for ever. */
  readonly ttl?: TTLConfig;
  /** How values become text. Default: `defaultCodec`. */
  readonly codec?: Codec;
  /** Milliseconds since 1970. Default: `Date.now`. */
  readonly now?: () => number;
  /** Told of a sweep in the background that failed; the next one tries again. Default: a warning on the console. */
  readonly onSweepError?: (error: unknown) => void;
}

export interface PutOptions {
  /** Minutes until the item ends; `null`: never. Default: the store's `defaultTtl`. */
  readonly ttl?: number | null;
}

export interface GetOptions {
  /** Whether the item lives on for its whole time again. Default: the store's `refreshOnRead`. */
  readonly refreshTtl?: boolean;
}

/** Operators that a filter may apply to a field. All of those given have to hold. */
export interface FilterOperators {
  readonly $eq?: unknown;
  readonly $ne?: unknown;
  /** Numbers and dates by size, other text by code point; of anything else it does not hold. */
  readonly $gt?: unknown;
  readonly $gte?: unknown;
  readonly $lt?: unknown;
  readonly $lte?: unknown;
  readonly $in?: readonly unknown[];
  readonly $nin?: readonly unknown[];
  /** Whether the value has the field. */
  readonly $exists?: boolean;
}

export interface SearchOptions extends GetOptions {
  /** Fields of the value, each with what it has to be, or with operators. Default: any value. */
  readonly filter?: Record<string, unknown>;
  /** Most items to return. Default: 10. */
  readonly limit?: number;
  /** Items to leave out before. Default: 0. */
  readonly offset?: number;
  /** What to look for: the best match first. Default: every item, the first stored first. */
  readonly query?: string;
  /** Words, or meaning. Default: meaning where the store has an `index`, else words. */
  readonly mode?: "text" | "vector";
}

export type { SearchItem };
