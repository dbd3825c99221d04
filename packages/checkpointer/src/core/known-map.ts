import type { Json } from "../codec/types.ts";
import type { MapEntry } from "../manifest/manifest.ts";

/** A record as it is stored, parsed. */
export type Tree = { [key: string]: Json };

/**
 * A record as it is stored, one text for each of its entries, so that the next one is stored as
 * what changed. It can be forgotten at any time: then the next one is stored whole.
 */
export class KnownMap {
  readonly entry: MapEntry;
  texts: ReadonlyMap<string, string>;
  /** Characters of the item that holds the whole, and of those behind it. */
  readonly whole: number;
  readonly deltas: number;
  evicted = false;

  constructor(entry: MapEntry, texts: ReadonlyMap<string, string>, whole: number, deltas: number) {
    this.entry = entry;
    this.texts = texts;
    this.whole = whole;
    this.deltas = deltas;
  }

  evict(): void {
    this.evicted = true;
    this.texts = new Map();
  }

  /** In bytes, roughly. */
  get size(): number {
    return this.whole + this.deltas + this.texts.size * 64;
  }
}

/** The text of each entry. */
export function textsOf(tree: Tree): Map<string, string> {
  return new Map(Object.keys(tree).map((key) => [key, JSON.stringify(tree[key])]));
}
