import { setOwn } from "../codec/own.ts";
import { parse } from "../codec/parse.ts";
import { KnownMap, textsOf, type Tree } from "./known-map.ts";
import type { MapEntry } from "../manifest/manifest.ts";
import type { Stage } from "./stage.ts";

/** Encoded values that are shorter are stored whole every time. */
const MAP_LIMIT = 1024;

/** How the names of lanes begin whose items are records, and what changed in them. */
export const RECORDS = "#map:";

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
  const lane = RECORDS + channel;
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
