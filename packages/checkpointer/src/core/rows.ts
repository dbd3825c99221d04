import type { PlainText } from "../codec/plain.ts";
import type { Manifest } from "../manifest/manifest.ts";

export interface HeadRow {
  readonly tid: number;
  /** Of the last claim; another one with every claim, 0 before the first. */
  readonly epoch: number;
  /** Of a thread that was taken just now: the epoch until then. */
  readonly before?: number;
  /** Changed whenever something stored was removed: what is remembered is then worth nothing. */
  readonly generation: number;
  readonly owner: string | null;
  /** Milliseconds since 1970. */
  readonly leaseUntil: number | null;
  readonly nsid: number | null;
  readonly head: number | null;
  readonly headId: string | null;
  readonly next: number;
  /** Whether the head has writes recorded under it. */
  readonly pending: boolean;
}

export interface ClaimKey {
  readonly tid: number;
  readonly epoch: number;
}

/** Names a checkpoint of a thread. */
export interface CheckpointKey {
  readonly nsid: number;
  readonly id: string;
}

export interface ClaimRequest {
  readonly threadId: string;
  readonly namespace: string;
  readonly owner: string;
  readonly leaseUntil: number;
  readonly now: number;
  /** What `find` said. */
  readonly seen: HeadRow | undefined;
}

/** Of a thread that was seen. */
export interface RetakeRequest extends ClaimRequest {
  readonly seen: HeadRow;
}

export interface LaneRow {
  readonly lane: number;
  readonly name: string;
  /** The ordinal after the last one that is taken. */
  readonly next: number;
}

export interface CheckpointRow {
  readonly seq: number;
  readonly id: string;
  readonly parent: number | null;
  /**
   * To be stored: id of a parent that is not stored itself. As read: id of the parent, in any case
   * for the checkpoint that was asked for.
   */
  readonly parentId: string | null;
  readonly base: number;
  readonly ts: string;
  /** Encoded. */
  readonly metadata: string;
  readonly manifest: Manifest;
  /** About the bytes of the manifest. */
  readonly weight: number;
}

export interface WriteRow {
  readonly task: string;
  /** 0: all regular writes of the task; below: one special write. */
  readonly slot: number;
  /** Encoded: `[[channel, value], ...]`. */
  readonly body: string;
  /** The same in pieces, of regular writes that are to be stored: channel, value, channel, value ... */
  readonly parts?: readonly (string | PlainText)[];
}

export interface NewItem {
  readonly lane: number;
  readonly ord: number;
  /** Hash of the element's id; null where it has none. */
  readonly key: number | null;
  readonly body: string;
}

/** Items that were read together. */
export interface ItemPage {
  readonly bodies: readonly string[];
  /** Whether who holds a part of one of the bodies keeps hardly more than that in memory. */
  readonly mayCut: boolean;
}

/** An item that holds references now, where it held the bytes of other items. */
export type MovedItem = Pick<NewItem, "lane" | "ord" | "body">;

export interface CommitRow {
  readonly tid: number;
  /** Undefined for a plain put, which takes no claim. */
  readonly claim: ClaimKey | undefined;
  readonly generation: number;
  readonly namespace: string;
  /** Null when the namespace has to be created. */
  readonly nsid: number | null;
  /** What the head must be. */
  readonly expected: number | null;
  /**
   * The last commit of this saver in the thread: all that is remembered of it was stored before. Where a server
   * has lost it, this one is refused.
   */
  readonly after: CheckpointKey | undefined;
  /** The new head; the same as `expected` when it stays. */
  readonly head: number | null;
  readonly checkpoint: CheckpointRow;
  /** The checkpoint takes the place of the one with its id and sequence number. */
  readonly replaces: boolean;
  readonly lanes: readonly { lane: number; name: string }[];
  readonly items: readonly NewItem[];
  /** Writes under the parent. */
  readonly writes: readonly WriteRow[];
  /** Writes recorded earlier whose bytes moved to items. */
  readonly rewrites: readonly WriteRow[];
  /** Values of the parent whose bytes moved to items, as they read now. */
  readonly moved: readonly MovedItem[];
  readonly release: boolean;
}

/**
 * `conflict`: the claim was lost or the head is another one. `taken`: an ordinal, a lane or the
 * sequence number is not free any more. Nothing was changed in both cases.
 */
export type CommitOutcome =
  | { readonly done: true; readonly nsid: number }
  | { readonly done: false; readonly why: "conflict" | "taken" };

export interface NamespaceRow {
  readonly threadId: string;
  readonly tid: number;
  readonly namespace: string;
  readonly nsid: number;
  readonly head: number | null;
  readonly next: number;
}

/** Where a thread stands in a list: the one that was written to last comes first. */
export interface ThreadPosition {
  /** ISO 8601. */
  readonly updatedAt: string;
  readonly threadId: string;
}

/** A thread in a list of threads. */
export interface ThreadRow {
  readonly threadId: string;
  /** ISO 8601. */
  readonly createdAt: string;
  /** ISO 8601: when its head was stored or it was last taken to be written to, whichever came later. */
  readonly updatedAt: string;
  /** Id of the checkpoint that the next run goes on from; null where the root graph has none. */
  readonly headId: string | null;
  /** How many are stored, those of subgraphs among them. */
  readonly checkpoints: number;
}

/** A thread as a storage lists it. */
export interface ListedThread extends ThreadRow {
  /** Of the last claim. */
  readonly epoch: number;
}

/** What a thread takes of a storage, in bytes but for `items`. */
export interface SizesRow {
  /** Messages, list elements and longer values that are stored, each once. */
  readonly items: number;
  readonly itemBytes: number;
  /** Of writes of tasks that stand beside their checkpoint. */
  readonly writeBytes: number;
  /** Of what checkpoints say of their channels. */
  readonly manifestBytes: number;
  /** Everything in the database: all threads, indexes, free pages. */
  readonly totalBytes: number;
  /** Size of the log beside the database that waits to be folded into it; 0 where there is none. */
  readonly logBytes: number;
}
