import type { Awaitable } from "../changeset/types.ts";
import type { CheckpointRow, ClaimKey, LaneRow, NewItem, WriteRow } from "./rows.ts";

/**
 * What the verbs beyond a run (prune, erase, copy, export, import, moving the head) ask of a
 * database, beside what `Backend` has. Rows as they are stored, nothing decoded.
 *
 * B4. A backend is opened for one tenant. Thread ids name threads of that tenant only; a `tid` or
 *     `nsid` comes from a call that was given a thread id.
 * B5. `alter` and `copy` happen whole or not at all. `alter` raises the thread's generation, so that
 *     whatever is remembered of it, here or in another process, is worth nothing any more.
 * B6. After `alter` with `overwrite`, and after `delete`, then `cleanUp`: no byte that was removed or
 *     replaced is left in the files of the storage.
 */
export interface Maintenance {
  /** Checkpoints of a namespace with `seq > after`, ascending. `parentId` as it was stored. */
  scanCheckpoints(nsid: number, after: number, limit: number): Awaitable<readonly CheckpointRow[]>;
  /** All writes under checkpoints with `after < seq <= to`, by seq, task, slot. */
  scanWrites(nsid: number, after: number, to: number): Awaitable<readonly WriteAt[]>;
  /** All rows of some short namespaces, in their order; left out where `scan...` asks nobody far away. */
  readWhole?(nsids: readonly number[]): Awaitable<readonly NamespaceRows[]>;
  /** The lanes as they are now, in any order. */
  scanLanes(tid: number): Awaitable<readonly LaneRow[]>;
  /** Items of a lane with `ord >= from`, ascending. */
  scanItems(tid: number, lane: number, from: number, limit: number): Awaitable<readonly NewItem[]>;
  /** False: the claim was lost, or the head of a namespace is not the one that was seen. */
  alter(change: Alteration): Awaitable<boolean>;
  /**
   * Copies a thread with all rows under a new id, unclaimed, and remembers that they are relatives.
   * False: there is a thread with that id already. The thread must be of this tenant.
   */
  copy(tid: number, threadId: string, now: number): Awaitable<boolean>;
  /** Ids of the threads that were copied from this one, or this one from them, over any number of copies. */
  relatives(tid: number): Awaitable<readonly string[]>;
  /** Rewrites or vacuums what may still hold removed bytes. Takes time in proportion to everything stored. */
  cleanUp(): Awaitable<void>;
}

export interface NamespaceRows {
  /** By sequence number. */
  readonly checkpoints: readonly CheckpointRow[];
  readonly writes: readonly WriteAt[];
}

export interface WriteAt extends WriteRow {
  readonly seq: number;
}

/** A change of what is stored of a thread, by the holder of its claim. */
export interface Alteration {
  readonly claim: ClaimKey;
  readonly namespaces: readonly AlteredNamespace[];
  readonly lanes: readonly { readonly lane: number; readonly name: string }[];
  /** Stored, over what may be there. */
  readonly items: readonly NewItem[];
  /** Ordinals `[from, to)` whose items are deleted, if they are there. */
  readonly dropItems: readonly { readonly lane: number; readonly from: number; readonly to: number }[];
  /** The old bytes must not stay readable in the database's own pages. */
  readonly overwrite: boolean;
}

export interface AlteredNamespace {
  /** Created if it is not there. */
  readonly name: string;
  /** What head and next sequence number must be; undefined for whatever they are, or none. */
  readonly seen: { readonly head: number | null; readonly next: number } | undefined;
  readonly head: number | null;
  readonly next: number;
  /** Stored, over those with their sequence numbers. */
  readonly checkpoints: readonly CheckpointRow[];
  /** Stored, over those with their seq, task and slot. */
  readonly writes: readonly WriteAt[];
  /** Sequence numbers of checkpoints that are deleted, with all writes under them. */
  readonly drop: readonly number[];
}
