import type { Awaitable } from "../../changeset/types.ts";
import type { QueryTerm } from "../../search/index.ts";

/** Where an item stands: `namespaceBytes` and `textBytes`. */
export interface Place {
  readonly namespace: Uint8Array;
  readonly key: Uint8Array;
}

/** An item as it is stored. */
export interface Row extends Place {
  /** Ascending in the order in which items came to be; kept when one is put again. */
  readonly id: number;
  /** The value, encoded. */
  readonly value: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** Milliseconds that it lives; null: for ever. */
  readonly ttl: number | null;
}

/** A row that a search found. */
export interface Hit extends Row {
  /** Absent where the search has no ranking, or no vectors of this item. */
  readonly score?: number;
}

/** What is known of a new value. Absent in a write: the item is to be removed. */
export interface NewValue {
  readonly value: string;
  readonly ttl: number | null;
  /** What full-text search finds it by; "" when by nothing. */
  readonly text: string;
  /** What search by meaning finds it by, each of length 1 (or all zeros). */
  readonly vectors: readonly Float32Array[];
  /** Fields of the value that are a text, number or boolean; see `facetsOf`. */
  readonly facets: Facets;
}

export interface Write extends Place {
  readonly put: NewValue | undefined;
}

export type Facets = Readonly<Record<string, string | number | boolean>>;

/** In which order a search finds: ties by id, always. */
export type Ranking =
  | { readonly by: "id" }
  /** Only items that hold any of the terms, the best match first. */
  | { readonly by: "text"; readonly terms: readonly QueryTerm[] }
  /** By cosine, an item by its nearest vector; items without vectors last. */
  | { readonly by: "vector"; readonly vector: Float32Array };

export interface Find {
  /** Namespaces from here on, and before `to`. */
  readonly from: Uint8Array;
  readonly to: Uint8Array;
  readonly ranking: Ranking;
  /** Items that differ in one of these may be left out already; the caller looks at the values anyway. */
  readonly facets: Facets;
  /** Most rows; Infinity: all. */
  readonly take: number;
}

/**
 * What a store asks of the place where its rows are. Each call is one step that nobody sees half
 * of; an item whose time is over at `now` is as good as gone in all of them.
 */
export interface StoreBackend {
  /** Makes ready what there is to make ready: connects, creates tables. Called before anything else. */
  open(): Awaitable<void>;
  get(places: readonly Place[], now: number): Awaitable<readonly (Row | undefined)[]>;
  find(find: Find, now: number): Awaitable<readonly Hit[]>;
  /** Every namespace between the two that has an item, once, in order of bytes. */
  namespaces(from: Uint8Array, to: Uint8Array, now: number): Awaitable<readonly Uint8Array[]>;
  /** In order, all or none. Each place is written once at most. */
  write(writes: readonly Write[], now: number): Awaitable<void>;
  /** These items, where they still are, live on from now for their whole time. */
  refresh(rows: readonly Row[], now: number): Awaitable<void>;
  /** Removes what has ended. Returns how many. */
  sweep(now: number): Awaitable<number>;
  /** Gives back what `open` took. May be opened again. */
  close(): Awaitable<void>;
}
