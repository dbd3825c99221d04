import { damaged, parse } from "../codec/parse.ts";
import { listEntry } from "./list-entry.ts";
import type { ListImage } from "./list-image.ts";
import { type ChannelVersion, type Entry, type Flat, type Manifest, pairsOf } from "./manifest.ts";

/**
 * A manifest as JSON text:
 * `{"c": {channel: entry}, "v": version of all of them | {channel: version}, "s": {node: {channel: version}}}`.
 * An entry is `0` (gone), `[1, value]`, `[2, lane, ord]`, `[3, ...list]`, `[4, ...list]` (a log) or
 * `[5, lane, from, to]` (a map);
 * a list is `length, tail` and, with chunks, `[length, tail, ...]` of these. A node that has seen
 * its own trigger and nothing else, as nearly all have, has that version for `{channel: version}`.
 */
export const INLINE = 1;
export const ITEM = 2;
export const LIST = 3;
export const LOG = 4;
export const MAP = 5;

export function printManifest({ entries, versions, seen, format }: Manifest): string {
  // nothing is cut off: that would join the pieces of what was put together, each time anew
  let text = "";
  for (const [channel, entry] of pairsOf(entries))
    text += `${text === "" ? '"c":{' : ","}${JSON.stringify(channel)}:${printEntry(entry)}`;
  if (text !== "") text += "}";
  if (typeof versions === "number" || versions.length > 0)
    text += `${text === "" ? "" : ","}"v":${printSaid(versions)}`;
  if (seen.length > 0) text += `${text === "" ? "" : ","}"s":${printSeen(seen)}`;
  if (format !== undefined) text += `${text === "" ? "" : ","}"f":${format}`;
  return `{${text}}`;
}

export function printEntry(entry: Entry | null): string {
  if (entry === null) return "0";
  if (entry.kind === "inline") return `[${INLINE},${entry.text}]`;
  if (entry.kind === "item") return `[${ITEM},${entry.lane},${entry.ord}]`;
  if (entry.kind === "map") return `[${MAP},${entry.lane},${entry.from},${entry.to}]`;
  return `[${entry.kind === "list" ? LIST : LOG},${printList(entry)}]`;
}

function printList(list: ListImage): string {
  const own = `${list.length},[${list.tail.join(",")}]`;
  return list.chunks === undefined ? own : `${own},[${printList(list.chunks)}]`;
}

function printSaid(said: number | Flat<ChannelVersion | null>): string {
  if (typeof said === "number") return String(said);
  let text = "";
  for (const [key, version] of pairsOf(said))
    text += `${text === "" ? "" : ","}${JSON.stringify(key)}:${JSON.stringify(version)}`;
  return `{${text}}`;
}

function printSeen(seen: Manifest["seen"]): string {
  let text = "";
  for (const [node, said] of pairsOf(seen))
    text += `${text === "" ? "" : ","}${JSON.stringify(node)}:${said === null ? 0 : printSaid(said)}`;
  return `{${text}}`;
}

interface Parsed {
  c?: Record<string, unknown>;
  v?: number | Record<string, ChannelVersion | null>;
  s?: Record<string, Record<string, ChannelVersion | null> | number>;
  f?: number;
}

export function parseManifest(text: string): Manifest {
  const parsed = parse(text) as unknown as Parsed;
  const entries: Manifest["entries"][number][] = [];
  for (const [channel, entry] of Object.entries(parsed.c ?? {})) entries.push(channel, parseEntry(entry));
  const seen: Manifest["seen"][number][] = [];
  for (const [node, pairs] of Object.entries(parsed.s ?? {})) seen.push(node, parseSeen(pairs));
  const { v = {} } = parsed;
  return {
    entries,
    versions: typeof v === "number" ? v : Object.entries(v).flat(),
    seen,
    format: parsed.f,
  };
}

/** 0 stands for `null`; another number is the version of the node's own trigger. */
function parseSeen(said: NonNullable<Parsed["s"]>[string]): Manifest["seen"][number] {
  if (typeof said === "object") return Object.entries(said).flat();
  return said === 0 ? null : said;
}

export function parseEntry(entry: unknown): Entry | null {
  if (entry === 0) return null;
  if (!Array.isArray(entry)) throw damaged("a manifest entry");
  switch (entry[0]) {
    case INLINE:
      return { kind: "inline", text: JSON.stringify(entry[1]) };
    case ITEM:
      return { kind: "item", lane: entry[1] as number, ord: entry[2] as number };
    case LIST:
      return listEntry("list", parseList(entry.slice(1)));
    case LOG:
      return listEntry("log", parseList(entry.slice(1)));
    case MAP:
      return {
        kind: "map",
        lane: entry[1] as number,
        from: entry[2] as number,
        to: entry[3] as number,
      };
    default:
      throw damaged("a manifest entry");
  }
}

function parseList(parts: readonly unknown[]): ListImage {
  const [length, tail, chunks] = parts;
  if (typeof length !== "number" || !Array.isArray(tail)) throw damaged("a list of ranges");
  return {
    length,
    tail: tail as number[],
    chunks: chunks === undefined ? undefined : parseList(chunks as unknown[]),
  };
}
