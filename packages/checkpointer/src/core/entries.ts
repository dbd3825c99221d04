import { GraphError } from "@skein/errors";
import type { ChannelChange, LogEntry, Segment } from "../changeset/types.ts";
import { TASKS } from "../base/checkpoint.ts";
import { isPlain, PlainText } from "../codec/plain.ts";
import { isPlainObject } from "../codec/simple.ts";
import { inElement } from "../codec/refused.ts";
import type { Codec } from "../codec/types.ts";
import { listEntry } from "../manifest/list-entry.ts";
import {
  appendRanges,
  chunkedLength,
  EMPTY_LIST,
  spliceList,
  spliceTail,
  type ListImage,
  type LoadedList,
  type Piece,
} from "../manifest/list-image.ts";
import type { Entry } from "../manifest/manifest.ts";
import { pushRange } from "../manifest/ranges.ts";
import { flat } from "./flat.ts";
import type { CachedElement } from "./list-cache.ts";
import type { KnownMap } from "./known-map.ts";
import { isLargeRecord, placeMap } from "./maps.ts";
import { noting } from "./noting.ts";
import { type ReadonlySparseMap, SparseMap } from "./sparse-map.ts";
import { VALUES, type Stage } from "./stage.ts";
import { mayRefer } from "./write-rows.ts";

/** Longest encoded value that stands in the manifest itself. */
export const INLINE_LIMIT = 256;

/** The manifest entry of a channel after a change; null when it is gone. New items are staged. */
export function changedEntry(
  codec: Codec,
  stage: Stage,
  channel: string,
  change: ChannelChange,
  old: Entry | undefined,
  loaded: LoadedList | undefined,
  noted: Noted,
): Entry | null {
  switch (change.op) {
    case "clear":
      return null;
    case "set":
      return valueEntry(codec, stage, channel, change.value, old, noted);
    case "log":
      return listEntry("log", appendLog(stage, change.lane, change.entries, imageOf(old)));
    case "list":
      return (
        sendsEntry(codec, stage, channel, change.segments) ??
        listEntry("list", changeList(stage, channel, change.segments, imageOf(old), loaded, noted))
      );
  }
}

/** What a commit does to lists and records beyond their entries. Most steps change neither. */
export class Noted {
  /** Records that are known to be stored. */
  readonly before: ReadonlySparseMap<string, KnownMap>;
  /** Elements that were added to lists, by channel. */
  lists: SparseMap<string, CachedElement[]> | undefined;
  /** Records that this commit stores. */
  maps: Map<string, KnownMap> | undefined;

  constructor(before: ReadonlySparseMap<string, KnownMap>) {
    this.before = before;
  }
}

function valueEntry(
  codec: Codec,
  stage: Stage,
  channel: string,
  value: unknown,
  old: Entry | undefined,
  noted: Noted,
): Entry {
  if (isPlain(codec, value)) return PlainText.of(value);
  const text = flat(textWithStored(codec, stage, value) ?? codec.encode(value));
  const refers = mayRefer(text);
  if (text.length <= INLINE_LIMIT && !refers) return { kind: "inline", text };
  // what is written once, as an input is, stays one item: its parts may become items of their own
  if ((old?.kind === "item" || old?.kind === "map") && !refers && isLargeRecord(text)) {
    const stored = placeMap(stage, channel, text, noted.before.get(channel));
    (noted.maps ??= new Map()).set(channel, stored);
    return stored.entry;
  }
  return valueItem(stage, text);
}

function valueItem(stage: Stage, text: string): Entry {
  const [lane, ord] = stage.placeText(flat(text), VALUES);
  return { kind: "item", lane, ord };
}

/**
 * The text of a value with references to what it holds of lists that are stored, as the input of a subgraph does
 * that shares its caller's messages; undefined where it holds none.
 */
function textWithStored(codec: Codec, stage: Stage, value: unknown): string | undefined {
  const find: Find = (part) => (part === value ? undefined : stage.findStored(part));
  if (!mayHoldItems(find, value)) return undefined;
  const noted = noting(find);
  const text = codec.encode(value, noted.reference);
  return noted.refers ? text : undefined;
}

/**
 * Sends that carry messages, as those of an agent carry the whole state to its tools, as one value with
 * references: as elements of a list they would hold all of them. Undefined for any other list.
 */
function sendsEntry(
  codec: Codec,
  stage: Stage,
  channel: string,
  [first, ...others]: readonly Segment[],
): Entry | undefined {
  if (channel !== TASKS || others.length > 0 || first === undefined || !("add" in first)) return undefined;
  const find: Find = (part) => stage.find(part);
  if (!first.add.some((send) => mayHoldItems(find, argsOf(send)))) return undefined;
  const noted = noting(find);
  // one by one: what each said is known where the list is planned later
  const texts = first.add.map((send) => codec.encode(send, noted.reference));
  return noted.refers ? valueItem(stage, `[${texts.join(",")}]`) : undefined;
}

const argsOf = (send: unknown): unknown => (send as { args?: unknown } | null | undefined)?.args;

type Find = (part: object) => readonly [lane: number, ord: number] | undefined;

/** How deep the fields of a value are looked at: an input holds messages, a Send's args a state that does. */
const DEPTH = 2;

/** Looks at a few elements of lists only: most values hold nothing that is stored. */
function mayHoldItems(find: Find, value: unknown): boolean {
  try {
    return holdsItems(find, value, DEPTH);
  } catch {
    // a getter or a proxy: the codec tells where it is
    return false;
  }
}

function holdsItems(find: Find, value: unknown, depth: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (Array.isArray(value)) return someOf(value).some((part) => isItem(find, part));
  if (depth === 0 || !isPlainObject(value)) return false;
  return Object.values(value).some((part) => isItem(find, part) || holdsItems(find, part, depth - 1));
}

/** New messages may stand before and behind those of a thread: a prompt, a question. */
function someOf(list: readonly unknown[]): readonly unknown[] {
  return list.length <= 5 ? list : [0, 1, list.length >> 1, -2, -1].map((at) => list.at(at));
}

const isItem = (find: Find, part: unknown): boolean =>
  typeof part === "object" && part !== null && find(part) !== undefined;

export function imageOf(entry: Entry | undefined): ListImage {
  return entry !== undefined && (entry.kind === "list" || entry.kind === "log") ? entry : EMPTY_LIST;
}

function appendLog(stage: Stage, lane: string, entries: readonly LogEntry[], image: ListImage): ListImage {
  const added: number[] = [];
  for (const entry of entries) {
    if ("add" in entry) {
      const placed = stage.place(entry.add, lane);
      pushRange(added, placed.lane, placed.ord, placed.ord + 1);
    } else {
      const [at, ord] = stage.placeText(hideText(entry), lane);
      pushRange(added, at, ord, ord + 1);
    }
  }
  return appendRanges(image, added, (ranges) => stage.placeChunk(ranges));
}

/** A hidden id is a marker of the archive: it has a place in the log and none in its result. */
function hideText({ hide, keep }: Hide): string {
  const kept = keep === undefined ? "" : `,"keep":${JSON.stringify(keep)}`;
  return `{"$":"hide","ids":${JSON.stringify(hide)}${kept}}`;
}
export const isHideText = (text: string): boolean => text.startsWith('{"$":"hide"');
export function hideOf(text: string): Hide {
  const { ids, keep } = JSON.parse(text) as { ids: string[]; keep?: string[] };
  return { hide: ids, ...(keep && { keep }) };
}
type Hide = Extract<LogEntry, { readonly hide: unknown }>;

const NOTHING: readonly number[] = [];

function changeList(
  stage: Stage,
  channel: string,
  segments: readonly Segment[],
  old: ListImage,
  loaded: LoadedList | undefined,
  noted: Noted,
): ListImage {
  const added: CachedElement[] = [];
  const pieces: Piece[] = [];
  let at = 0;
  try {
    for (const segment of segments) {
      if ("keep" in segment) {
        checkKept(channel, segment.keep, old.length);
        pieces.push(segment);
        at += segment.keep[1] - segment.keep[0];
        continue;
      }
      let items: number[] | undefined;
      for (const element of segment.add) {
        const { lane, ord, cached } = stage.place(element, segment.lane ?? channel);
        if (items === undefined) items = [lane, ord, ord + 1];
        else pushRange(items, lane, ord, ord + 1);
        added.push(cached);
        at += 1;
      }
      pieces.push({ items: items ?? NOTHING });
    }
  } catch (error) {
    throw inElement(at, error);
  }
  (noted.lists ??= new SparseMap()).set(channel, added);
  if (loaded === undefined) return spliceTail(old, pieces, (ranges) => stage.placeChunk(ranges));
  return spliceList(loaded, pieces, (ranges) => stage.placeChunk(ranges));
}

/** Whether a change reaches into the chunks of the list it changes. */
export function needsChunks(change: ChannelChange, entry: Entry | undefined): boolean {
  if (change.op !== "list") return false;
  const image = imageOf(entry);
  return image.chunks !== undefined && !keepsChunks(image, change.segments);
}

function keepsChunks(image: ListImage, segments: readonly Segment[]): boolean {
  const fixed = chunkedLength(image);
  // a list that is emptied keeps nothing
  if (segments.length === 0) return false;
  return segments.every((segment, i) => {
    if ("add" in segment) return i > 0;
    const [from, to] = segment.keep;
    return i === 0 ? from === 0 && to >= fixed : from >= fixed;
  });
}

function checkKept(channel: string, [from, to]: readonly [number, number], length: number): void {
  if (from >= 0 && from <= to && to <= length) return;
  throw new GraphError(
    "INVALID_UPDATE",
    `The change of channel "${channel}" keeps elements ${from} to ${to} of a stored list that has ${length}. ` +
      "The channel's change must be told against the checkpoint that the commit names as its parent.",
    { details: { channel, from, to, length } },
  );
}
