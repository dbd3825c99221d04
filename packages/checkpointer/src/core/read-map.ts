import type { Steps } from "../awaitable.ts";
import { setOwn } from "../codec/own.ts";
import { damaged, parse } from "../codec/parse.ts";
import type { Codec, Json } from "../codec/types.ts";
import type { MapEntry } from "../manifest/manifest.ts";
import { KnownMap, textsOf, type Tree } from "./known-map.ts";
import type { Reader } from "./read.ts";

/** What changed in a record: an item behind that of the whole. */
interface Delta {
  readonly set: Tree;
  readonly gone: readonly string[];
}

/** Reads a stored record. */
export function* readMap(entry: MapEntry, codec: Codec, reader: Reader): Steps<unknown> {
  return codec.revive(merged(yield* reader.bodies([entry.lane, entry.from, entry.to])));
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

function merged(bodies: readonly string[]): Tree {
  const [whole, ...deltas] = bodies.map(parse) as [Json, ...Json[]];
  if (typeof whole !== "object" || whole === null || Array.isArray(whole)) throw damaged("a record");
  for (const { set, gone } of deltas as unknown as Delta[]) {
    for (const key of gone) delete whole[key];
    for (const key of Object.keys(set)) setOwn(whole, key, set[key] as Json);
  }
  return whole;
}
