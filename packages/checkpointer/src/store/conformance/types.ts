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
  readonly index?: IndexConfig;
  readonly ttl?: { readonly defaultTtl?: number; readonly refreshOnRead?: boolean };
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

/** A store to test. */
export interface StoreTarget {
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
