import type { CheckpointMetadata, ChannelVersions } from "@langchain/langgraph-checkpoint";
import type { ChannelChange, TaskWrites } from "../changeset/types.ts";
import type { Codec } from "../codec/types.ts";
import { baseIsDue, weigh, type ChainWeight } from "../manifest/base.ts";
import type { ListImage, LoadedList } from "../manifest/list-image.ts";
import {
  applyDelta,
  asBase,
  copyFold,
  emptyFold,
  seenDelta,
  type Entry,
  type Folded,
  type Manifest,
} from "../manifest/manifest.ts";
import type { CheckpointRow, MovedItem, WriteRow } from "./backend.ts";
import { changedEntry, imageOf, Noted } from "./entries.ts";
import type { CachedElement } from "./list-cache.ts";
import type { KnownMap } from "./known-map.ts";
import type { ReadonlySparseMap } from "./sparse-map.ts";
import { Stage } from "./stage.ts";
import type { Recorded, Snapshot, StoredValue, ThreadState } from "./state.ts";
import { writeRows } from "./write-rows.ts";

/** A checkpoint to be stored, as a change of its parent or, for a copy, of its basis. */
export interface Draft {
  readonly id: string;
  readonly ts: string;
  readonly metadata: CheckpointMetadata;
  readonly parent: Snapshot | undefined;
  readonly parentId: string | undefined;
  /** What the change is a change of, where that is not the parent; never `onHead`. */
  readonly basis?: Snapshot | undefined;
  /** Whether the parent is the head: if it is not, the thread forks here. */
  readonly onHead: boolean;
  readonly channels: ReadonlyMap<string, ChannelChange>;
  readonly channelVersions: ChannelVersions;
  /** Channels of the parent that have no version any more. */
  readonly dropped?: readonly string[];
  readonly versionsSeen: Readonly<Record<string, ChannelVersions>>;
  readonly format?: number;
  /** Writes under the parent that are not stored yet, and those that are, with their bytes. */
  readonly writes: readonly TaskWrites[];
  readonly recorded: readonly Recorded[];
  /** Longer values of the parent, by channel. */
  readonly values: ReadonlySparseMap<string, StoredValue>;
  /** Records of the parent as they are stored, by channel. */
  readonly maps: ReadonlySparseMap<string, KnownMap>;
}

/** Rows for a draft, and what is to be remembered once they are stored. */
export interface Plan {
  readonly stage: Stage;
  readonly row: CheckpointRow;
  readonly delta: Manifest;
  /** Elements that were added to lists, and the images that these lists had before, by channel. */
  readonly added: ReadonlyMap<string, readonly CachedElement[]>;
  readonly before: ReadonlyMap<string, ListImage>;
  readonly maps: ReadonlyMap<string, KnownMap>;
  readonly writes: readonly WriteRow[];
  readonly rewrites: readonly WriteRow[];
  readonly moved: readonly MovedItem[];
  readonly weight: ChainWeight;
  /** Makes the snapshot. Called at most once, after the rows were stored. */
  fold(): Folded;
}

/** Gives the ranges of a list of the parent that has chunks; see `chunkedLists`. */
export type LoadedLists = ReadonlyMap<string, LoadedList>;

const NO_IMAGES: ReadonlyMap<string, ListImage> = new Map();
const NO_ELEMENTS: ReadonlyMap<string, readonly CachedElement[]> = new Map();
const NO_MAPS: ReadonlyMap<string, KnownMap> = new Map();

export function planCommit(
  codec: Codec,
  state: ThreadState,
  draft: Draft,
  seq: number,
  loaded: LoadedLists,
): Plan {
  const stage = new Stage(codec, state);
  const known = basisOf(draft)?.folded;
  const old = known ?? emptyFold();
  const noted = new Noted(draft.maps);
  const delta = draftDelta(codec, stage, draft, old, loaded, noted);
  const before = noted.lists === undefined ? NO_IMAGES : listImages(old, noted.lists);
  const weight = weigh(delta);
  const asWhole =
    draft.parent === undefined || !draft.onHead || baseIsDue(chain(draft.parent.weight, weight));
  // the parent's channels become the child's in place, unless the parent stays in use as a branch
  const fold = (): Folded => {
    const folded = draft.onHead ? old : copyFold(old);
    applyDelta(folded, delta);
    return folded;
  };
  let manifest = delta;
  // a change of nothing says everything
  if (asWhole && known !== undefined) {
    const folded = copyFold(old);
    applyDelta(folded, delta);
    manifest = asBase(folded);
  }
  const written = asWhole ? weigh(manifest) : weight;
  const rows: WriteRow[] = [];
  for (const task of draft.writes) rows.push(...writeRows(codec, task, stage.find));
  const rewrites: WriteRow[] = [];
  for (const task of draft.recorded) rewrites.push(...movedToItems(codec, task, stage));
  return {
    stage,
    delta,
    added: noted.lists ?? NO_ELEMENTS,
    before,
    maps: noted.maps ?? NO_MAPS,
    writes: rows,
    rewrites,
    moved: draft.values.size === 0 ? [] : movedValues(codec, stage, draft),
    weight: asWhole ? { base: written, deltas: 0 } : chain((draft.parent as Snapshot).weight, weight),
    row: {
      seq: seq,
      id: draft.id,
      parent: draft.parent?.seq ?? null,
      parentId: draft.parent === undefined ? (draft.parentId ?? null) : null,
      base: asWhole ? seq : (draft.parent as Snapshot).base,
      ts: draft.ts,
      metadata: codec.encode(draft.metadata),
      manifest,
      weight: written,
    },
    fold,
  };
}

/** The checkpoint whose channels the draft changes. */
export function basisOf({ basis, parent }: Draft): Snapshot | undefined {
  return basis ?? parent;
}

/** The images that the changed lists had; folding the delta replaces them. */
function listImages(old: Folded, changed: ReadonlyMap<string, unknown>): Map<string, ListImage> {
  const images = new Map<string, ListImage>();
  for (const channel of changed.keys()) images.set(channel, imageOf(old.entries.get(channel)));
  return images;
}

function chain(parent: ChainWeight, weight: number): ChainWeight {
  return { base: parent.base, deltas: parent.deltas + weight };
}

function draftDelta(
  codec: Codec,
  stage: Stage,
  draft: Draft,
  old: Folded,
  loaded: LoadedLists,
  noted: Noted,
): Manifest {
  const entries = new Map<string, Entry | null>();
  for (const [channel, change] of draft.channels) {
    const entry = changedEntry(
      codec,
      stage,
      channel,
      change,
      old.entries.get(channel),
      loaded.get(channel),
      noted,
    );
    if (entry !== null || old.entries.has(channel)) entries.set(channel, entry);
  }
  const versions = new Map<string, number | string | null>();
  for (const channel of Object.keys(draft.channelVersions)) {
    versions.set(channel, draft.channelVersions[channel] as number | string);
  }
  for (const channel of draft.dropped ?? []) {
    versions.set(channel, null);
    entries.set(channel, null);
  }
  const seen = new Map<string, ReadonlyMap<string, number | string | null> | null>();
  for (const node of Object.keys(draft.versionsSeen)) {
    const pairs = seenDelta(old, node, draft.versionsSeen[node] as ChannelVersions, true);
    if (pairs !== undefined) seen.set(node, pairs);
  }
  const format = draft.format ?? 4;
  return format === 4 ? { entries, versions, seen } : { entries, versions, seen, format };
}

/**
 * Values that this step consumed or replaced, with references where what they hold became items:
 * the input of a run is stored with its messages, and a step later these stand in their list.
 */
function movedValues(codec: Codec, stage: Stage, draft: Draft): MovedItem[] {
  const items: MovedItem[] = [];
  for (const [channel, { lane, ord, value }] of draft.values.entries()) {
    if (!draft.channels.has(channel)) continue;
    let moved = false;
    const body = codec.encode(value, (part) => {
      const at = part === value ? undefined : stage.findPlaced(part);
      moved ||= at !== undefined;
      return at;
    });
    if (moved) items.push({ lane, ord, body });
  }
  return items;
}

/** The row of a recorded task with references where its elements are items now; none if it has none. */
function movedToItems(codec: Codec, task: Recorded, stage: Stage): WriteRow[] {
  let moved = false;
  const rows = writeRows(
    codec,
    { taskId: task.task, writes: task.writes.map(([c, v]) => [c, v]) },
    (value) => {
      const at = stage.find(value);
      moved ||= at !== undefined;
      return at;
    },
  );
  return moved ? rows : [];
}
