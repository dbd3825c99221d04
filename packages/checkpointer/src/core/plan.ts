import type { CheckpointMetadata, ChannelVersions } from "@langchain/langgraph-checkpoint";
import type { ChannelChange, TaskWrites } from "../changeset/types.ts";
import type { PlainText } from "../codec/plain.ts";
import { inChannel } from "../codec/refused.ts";
import type { Codec, Reference } from "../codec/types.ts";
import { baseIsDue, weigh, type ChainWeight } from "../manifest/base.ts";
import { applyDelta, asBase, copyFold, emptyFold, type Folded } from "../manifest/fold.ts";
import type { LoadedList } from "../manifest/list-image.ts";
import type { Entry, Manifest } from "../manifest/manifest.ts";
import { seenChange } from "../manifest/seen-change.ts";
import type { CheckpointRow, MovedItem, WriteRow } from "./backend.ts";
import { DeltaRow } from "./delta-row.ts";
import { changedEntry, Noted } from "./entries.ts";
import type { CachedElement } from "./list-cache.ts";
import type { KnownMap } from "./known-map.ts";
import { type ReadonlySparseMap, SparseMap } from "./sparse-map.ts";
import { textWithItems } from "./noting.ts";
import { Stage } from "./stage.ts";
import type { Recorded, Snapshot, StoredValue, ThreadState } from "./state.ts";
import type { Told } from "./taken.ts";
import { mayRefer, regularRow, textOfPart, writeRows } from "./write-rows.ts";

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
  /** Nodes of the parent that have seen nothing any more. */
  readonly forgotten?: readonly string[];
  readonly format?: number;
  /** Writes under the parent that are not stored yet, and those that are, with what they said then. */
  readonly writes: readonly TaskWrites[];
  readonly recorded: readonly Recorded[];
  /** Longer values of the parent, by channel. */
  readonly values: ReadonlySparseMap<string, StoredValue>;
  /** Records of the parent as they are stored, by channel. */
  readonly maps: ReadonlySparseMap<string, KnownMap>;
  /** What it said when it came, where it is planned later, or when it was planned first. */
  readonly told?: Told | undefined;
}

/** Rows for a draft, and what is to be remembered once they are stored. */
export interface Plan {
  readonly stage: Stage;
  readonly row: CheckpointRow;
  readonly delta: Manifest;
  /** The channels before it. */
  readonly old: Folded;
  /** Elements that were added to lists, by channel. */
  readonly added: ReadonlySparseMap<string, readonly CachedElement[]>;
  readonly maps: ReadonlyMap<string, KnownMap>;
  readonly writes: readonly WriteRow[];
  readonly rewrites: readonly WriteRow[];
  readonly moved: readonly MovedItem[];
  readonly weight: ChainWeight;
}

/** Lists of the parent whose chunks had to be read, by channel. */
export type LoadedLists = ReadonlyMap<string, LoadedList>;

const NO_ROWS: readonly never[] = [];
const NO_ELEMENTS: ReadonlySparseMap<string, readonly CachedElement[]> = new SparseMap();
const NO_MAPS: ReadonlyMap<string, KnownMap> = new Map();

export function planCommit(
  codec: Codec,
  state: ThreadState,
  draft: Draft,
  seq: number,
  loaded: LoadedLists,
  metadata: string,
): Plan {
  const stage = new Stage(codec, state, draft.told);
  const known = basisOf(draft)?.folded;
  const old = known ?? emptyFold();
  const noted = new Noted(draft.maps);
  const delta = draftDelta(codec, stage, draft, old, loaded, noted);
  const weight = weigh(delta);
  const asWhole =
    draft.parent === undefined || !draft.onHead || baseIsDue(chain(draft.parent.weight, weight));
  // a change of nothing says everything
  const stored = asWhole && known !== undefined ? wholeOf(known, delta) : delta;
  const written = asWhole ? weigh(stored) : weight;
  const { writes, recorded, parent } = draft;
  const [only] = writes;
  // one that is put again, under what came after it, names its parent only
  const comesBefore = parent !== undefined && parent.seq < seq;
  return {
    stage,
    delta,
    added: noted.lists ?? NO_ELEMENTS,
    old,
    maps: noted.maps ?? NO_MAPS,
    writes:
      draft.told?.rows ??
      (writes.length === 1
        ? writeRows(codec, only as TaskWrites, stage)
        : writes.flatMap((task) => writeRows(codec, task, stage))),
    rewrites: recorded.length === 0 ? NO_ROWS : recorded.flatMap((task) => movedToItems(codec, task, stage)),
    moved: draft.values.size === 0 || stage.placed.size === 0 ? NO_ROWS : movedValues(codec, stage, draft),
    weight: asWhole ? { base: written, deltas: 0 } : chain((draft.parent as Snapshot).weight, weight),
    row: new DeltaRow(
      {
        seq,
        id: draft.id,
        parent: comesBefore ? parent.seq : null,
        parentId: comesBefore ? null : (draft.parentId ?? null),
        base: asWhole ? seq : (draft.parent as Snapshot).base,
        ts: draft.ts,
        metadata,
        weight: written,
      },
      stored,
    ),
  };
}

/** All channels as they are after a delta. */
function wholeOf(old: Folded, delta: Manifest): Manifest {
  const folded = copyFold(old);
  applyDelta(folded, delta);
  return asBase(folded);
}

/**
 * The channels after a draft, once its rows are stored. The parent's become the child's in place, unless
 * the parent stays in use as a branch.
 */
export function foldOf(draft: Draft, { old, delta }: Plan): Folded {
  const folded = draft.onHead ? old : copyFold(old);
  applyDelta(folded, delta);
  return folded;
}

/** The checkpoint whose channels the draft changes. */
export function basisOf({ basis, parent }: Draft): Snapshot | undefined {
  return basis ?? parent;
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
  // of just the length that it needs, because it is kept
  const { dropped = NO_ROWS } = draft;
  const length = 2 * (draft.channels.size + dropped.length);
  const entries = new Array<string | Entry | null>(length); // oxlint-disable-line no-new-array
  let at = 0;
  for (const [channel, change] of draft.channels) {
    const before = old.entries.get(channel);
    let entry: Entry | null;
    try {
      entry = changedEntry(codec, stage, channel, change, before, loaded.get(channel), noted);
    } catch (error) {
      throw inChannel(channel, error);
    }
    if (entry === null && before === undefined) continue;
    entries[at++] = channel;
    entries[at++] = entry;
  }
  for (const channel of dropped) {
    entries[at++] = channel;
    entries[at++] = null;
  }
  if (at < entries.length) entries.length = at;
  const format = draft.format === 4 ? undefined : draft.format;
  return { entries, versions: versionsOf(draft, entries), seen: seenOf(draft, old), format };
}

/** One number where every changed channel got it (I1), as in a step of ours, else each channel's. */
function versionsOf({ channelVersions, dropped }: Draft, entries: Manifest["entries"]): Manifest["versions"] {
  const channels = Object.keys(channelVersions);
  const one = oneOf(channels, channelVersions, entries);
  if (one !== undefined && (dropped ?? NO_ROWS).length === 0) return one;
  const versions: (string | number | null)[] = [];
  for (const channel of channels) versions.push(channel, channelVersions[channel] as number | string);
  for (const channel of dropped ?? []) versions.push(channel, null);
  return versions;
}

function oneOf(
  channels: readonly string[],
  versions: ChannelVersions,
  entries: Manifest["entries"],
): number | undefined {
  const one = channels.length === 0 ? undefined : versions[channels[0] as string];
  if (typeof one !== "number" || 2 * channels.length !== entries.length) return undefined;
  for (let i = 0; i < channels.length; i += 1) {
    const channel = channels[i] as string;
    if (versions[channel] !== one || entries[2 * i] !== channel) return undefined;
  }
  return one;
}

function seenOf({ versionsSeen, forgotten = NO_ROWS }: Draft, old: Folded): Manifest["seen"] {
  const nodes = Object.keys(versionsSeen);
  if (nodes.length === 1 && forgotten.length === 0) {
    const [node] = nodes as [string];
    const said = seenChange(old, node, versionsSeen[node] as ChannelVersions);
    return said === undefined ? NO_ROWS : [node, said];
  }
  const seen: Manifest["seen"][number][] = [];
  for (const node of nodes) {
    const said = seenChange(old, node, versionsSeen[node] as ChannelVersions);
    if (said !== undefined) seen.push(node, said);
  }
  for (const node of forgotten) seen.push(node, null);
  return seen;
}

/**
 * Values that this step consumed or replaced, with references where what they hold became items:
 * the input of a run is stored with its messages, and a step later these stand in their list.
 */
function movedValues(codec: Codec, stage: Stage, draft: Draft): MovedItem[] {
  const items: MovedItem[] = [];
  for (const [channel, { lane, ord, value, text }] of draft.values.entries()) {
    if (!draft.channels.has(channel)) continue;
    const isPart = (part: object): boolean => part !== value;
    const body = textWithItems(
      codec,
      value,
      text,
      (part) => (isPart(part) ? stage.find(part) : undefined),
      (part) => (isPart(part) ? (stage.textOf(part) ?? stage.findStored(part)) : undefined),
    );
    if (body !== undefined) items.push({ lane, ord, body });
  }
  return items;
}

/** The row of a recorded task with references where its elements are items now; none if it has none. */
function movedToItems(codec: Codec, { task, writes, parts }: Recorded, stage: Stage): WriteRow[] {
  if (parts.length !== 2 * writes.length) return [];
  const reference = (part: object): ReturnType<Stage["find"]> => stage.find(part);
  const moved = [...parts];
  let isMoved = false;
  for (const [i, [, value]] of writes.entries()) {
    if (typeof value !== "object" || value === null) continue;
    const at = 2 * i + 1;
    const stored = textOfPart(parts[at] as string | PlainText);
    // what was an item already when it was recorded is referred to, but by LangGraph's engine
    const refers = mayRefer(stored);
    const said = (part: object): ReturnType<Reference> =>
      stage.textOf(part) ?? (refers ? stage.findStored(part) : undefined);
    const text = textWithItems(codec, value, stored, reference, said);
    if (text === undefined || text === stored) continue;
    moved[at] = text;
    isMoved = true;
  }
  return isMoved ? [regularRow(task, moved)] : [];
}
