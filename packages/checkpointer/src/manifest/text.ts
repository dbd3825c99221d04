import { damaged, parse } from "../codec/parse.ts";
import type { ListImage } from "./list-image.ts";
import type { ChannelVersion, Entry, Manifest } from "./manifest.ts";
import { ofTrigger, triggerOf } from "./trigger.ts";

/**
 * A manifest as JSON text:
 * `{"c": {channel: entry}, "v": version of all of them | {channel: version}, "s": {node: {channel: version}}}`.
 * An entry is `0` (gone), `[1, value]`, `[2, lane, ord]`, `[3, ...list]`, `[4, ...list]` (a log) or
 * `[5, lane, from, to]` (a map);
 * a list is `length, tail` and, with chunks, `[length, tail, ...]` of these. A node that has seen
 * its own trigger and nothing else, as nearly all have, has that version for `{channel: version}`.
 */
const INLINE = 1;
const ITEM = 2;
const LIST = 3;
const LOG = 4;
const MAP = 5;

export function printManifest(manifest: Manifest): string {
  // nothing is cut off: that would join the pieces of what was put together, each time anew
  let text = "";
  for (const [channel, entry] of manifest.entries) {
    text += `${text === "" ? '"c":{' : ","}${JSON.stringify(channel)}:${printEntry(entry)}`;
  }
  if (text !== "") text += "}";
  if (manifest.versions.size > 0) text += `${text === "" ? "" : ","}"v":${printVersions(manifest)}`;
  if (manifest.seen.size > 0) text += `${text === "" ? "" : ","}"s":${printSeen(manifest)}`;
  if (manifest.format !== undefined) text += `${text === "" ? "" : ","}"f":${manifest.format}`;
  return `{${text}}`;
}

export function printEntry(entry: Entry | null): string {
  if (entry === null) return "0";
  if (entry.kind === "inline") return `[${INLINE},${entry.text}]`;
  if (entry.kind === "item") return `[${ITEM},${entry.lane},${entry.ord}]`;
  if (entry.kind === "map") return `[${MAP},${entry.lane},${entry.from},${entry.to}]`;
  return `[${entry.kind === "list" ? LIST : LOG},${printList(entry.list)}]`;
}

function printList(list: ListImage): string {
  const own = `${list.length},[${list.tail.join(",")}]`;
  return list.chunks === undefined ? own : `${own},[${printList(list.chunks)}]`;
}

function printVersions(manifest: Manifest): string {
  return String(oneVersion(manifest) ?? printPairs(manifest.versions));
}

/** One number where every changed channel got it (I1), else each has a version of its own. */
export function oneVersion({ versions, entries }: Manifest): number | undefined {
  const first = versions.values().next().value as ChannelVersion | null | undefined;
  if (versions.size !== entries.size || typeof first !== "number") return undefined;
  for (const [channel, version] of versions) {
    if (version !== first || !entries.has(channel)) return undefined;
  }
  return first;
}

function printPairs(pairs: ReadonlyMap<string, ChannelVersion | null>): string {
  let text = "";
  for (const [key, version] of pairs)
    text += `${text === "" ? "" : ","}${JSON.stringify(key)}:${JSON.stringify(version)}`;
  return `{${text}}`;
}

function printSeen(manifest: Manifest): string {
  let text = "";
  for (const [node, pairs] of manifest.seen) {
    const value = pairs === null ? 0 : (ofTrigger(node, pairs) ?? printPairs(pairs));
    text += `${text === "" ? "" : ","}${JSON.stringify(node)}:${value}`;
  }
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
  const entries = new Map<string, Entry | null>();
  for (const [channel, entry] of Object.entries(parsed.c ?? {})) entries.set(channel, parseEntry(entry));
  const versions = new Map<string, ChannelVersion | null>();
  if (typeof parsed.v === "number") for (const channel of entries.keys()) versions.set(channel, parsed.v);
  else for (const [channel, version] of Object.entries(parsed.v ?? {})) versions.set(channel, version);
  const seen = new Map<string, ReadonlyMap<string, ChannelVersion | null> | null>();
  for (const [node, pairs] of Object.entries(parsed.s ?? {})) {
    if (typeof pairs === "object") seen.set(node, new Map(Object.entries(pairs)));
    else seen.set(node, pairs === 0 ? null : new Map([[triggerOf(node), pairs]]));
  }
  return parsed.f === undefined ? { entries, versions, seen } : { entries, versions, seen, format: parsed.f };
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
      return { kind: "list", list: parseList(entry.slice(1)) };
    case LOG:
      return { kind: "log", list: parseList(entry.slice(1)) };
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
