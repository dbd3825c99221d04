import type { Spec } from "../../suite.ts";
import type { BaseStore, IndexConfig } from "@langchain/langgraph-checkpoint";

/** What a store has beyond the contract of `BaseStore`. Specs that need it run only where it is. */
export type StoreFeature =
  /** `query` without an `index` searches for words. */
  | "text"
  /** `ttl` in the options, in `put` and in reads; `sweepExpiredItems()`; a clock that can be set. */
  | "ttl";

/** What a spec asks of the store that it tests. */
export interface OpenOptions {
  /** Default: none, so that it searches for words. */
  readonly index?: IndexConfig;
  /** As of the options of a store, in minutes. Default: items live for ever. */
  readonly ttl?: { readonly defaultTtl?: number; readonly refreshOnRead?: boolean };
  /** Milliseconds since 1970. Default: `Date.now`. */
  readonly now?: () => number;
}

/** A store to test. */
export interface StoreTarget {
  /** What it has beyond the contract; [] for the contract only. */
  readonly features: readonly StoreFeature[];
  /** Opens an empty store. The suite calls its `stop()` at the end of each spec. */
  open(options: OpenOptions): Promise<BaseStore> | BaseStore;
}

/** One thing that a store has to do. */
export interface StoreSpec extends Spec<StoreFeature> {
  readonly options?: OpenOptions;
  /** Rejects where the store does something else. */
  test(store: BaseStore): Promise<void>;
}
