import type { Codec, Json } from "../codec/types.ts";
import { damaged, parse } from "../codec/parse.ts";
import type { MapEntry } from "../manifest/manifest.ts";
import type { Reader } from "./read.ts";
import { setOwn } from "./records.ts";
import type { Stage } from "./stage.ts";
import type { Steps } from "../awaitable.ts";

/** Encoded values that are shorter are stored whole every time. */
const MAP_LIMIT = 1024;

type Tree = { [key: string]: Json };

/** What changed in a record: an item behind that of the whole. */
interface Delta {
  readonly set: Tree;
  readonly gone: readonly string[];
}

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

/** Whether an encoded value is a large record of plain entries. */
export function isLargeRecord(text: string): boolean {
  return text.length > MAP_LIMIT && text.startsWith("{") && !text.startsWith('{"$":');
}

/**
 * Stores a record: what changed since the one that is known, or the whole where that is not more
 * than the changes together. So a record costs at most twice what changed in it, and is read with
 * one range.
 */
export function placeMap(stage: Stage, channel: string, text: string, known: KnownMap | undefined): KnownMap {
  const lane = `#map:${channel}`;
  const texts = textsOf(parse(text) as Tree);
  const change = known === undefined || known.evicted ? undefined : deltaText(known.texts, texts);
  if (known !== undefined && change === "") return known;
  if (known !== undefined && change !== undefined && known.deltas + change.length <= known.whole) {
    const { entry } = known;
    const next = stage.next(lane);
    // a branch of the thread may have stored its own changes there
    if (next?.[0] === entry.lane && next[1] === entry.to) {
      stage.placeText(change, lane);
      const longer: MapEntry = { ...entry, to: entry.to + 1 };
      return new KnownMap(longer, texts, known.whole, known.deltas + change.length);
    }
  }
  const [number, ord] = stage.placeText(text, lane);
  return new KnownMap({ kind: "map", lane: number, from: ord, to: ord + 1 }, texts, text.length, 0);
}

function textsOf(tree: Tree): Map<string, string> {
  return new Map(Object.keys(tree).map((key) => [key, JSON.stringify(tree[key])]));
}

/** Empty where nothing changed; undefined where the order of the entries is another one. */
function deltaText(old: ReadonlyMap<string, string>, texts: ReadonlyMap<string, string>): string | undefined {
  let set = "";
  for (const [key, text] of texts) {
    if (old.get(key) !== text) set += `,${JSON.stringify(key)}:${text}`;
  }
  const gone = [...old.keys()].filter((key) => !texts.has(key));
  const order: Tree = {};
  for (const keys of [old.keys(), texts.keys()]) {
    for (const key of keys) if (texts.has(key)) setOwn(order, key, null);
  }
  const wanted = texts.keys();
  for (const key of Object.keys(order)) if (wanted.next().value !== key) return undefined;
  if (set === "" && gone.length === 0) return "";
  return `{"set":{${set.slice(1)}},"gone":${JSON.stringify(gone)}}`;
}

/** Reads a stored record. */
export function* readMap(entry: MapEntry, codec: Codec, reader: Reader): Steps<unknown> {
  return codec.revive(yield* treeOf(entry, reader));
}

/** The same, with what the next change of it needs. */
export function* learnMap(
  entry: MapEntry,
  codec: Codec,
  reader: Reader,
): Steps<{ value: unknown; known: KnownMap }> {
  const bodies = yield* reader.bodies([entry.lane, entry.from, entry.to]);
  const tree = merged(bodies);
  const [whole, ...deltas] = bodies.map(({ length }) => length) as [number, ...number[]];
  const texts = textsOf(tree);
  const known = new KnownMap(
    entry,
    texts,
    whole,
    deltas.reduce((sum, length) => sum + length, 0),
  );
  return { value: codec.revive(tree), known };
}

function* treeOf(entry: MapEntry, reader: Reader): Steps<Tree> {
  return merged(yield* reader.bodies([entry.lane, entry.from, entry.to]));
}

function merged(bodies: readonly string[]): Tree {
  const [whole, ...deltas] = bodies.map(parse) as [Json, ...Json[]];
  if (typeof whole !== "object" || whole === null || Array.isArray(whole)) throw damaged("a record");
  for (const { set, gone } of deltas as unknown as Delta[]) {
    for (const key of gone) delete whole[key];
    for (const key of Object.keys(set)) setOwn(whole, key, set[key] as Json);
  }
  return whole;
}
