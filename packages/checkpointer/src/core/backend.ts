import type { Awaitable } from "../changeset/types.ts";
import type { Manifest } from "../manifest/manifest.ts";

/**
 * What the logic of a saver asks of a database: rows in, rows out. Nothing here decodes a value,
 * folds a manifest or knows what a channel is. A backend answers with values where it can and with
 * promises where it must.
 *
 * B1. `commit`, `record`, `claim` and `delete` happen whole or not at all.
 * B2. No two items of a thread have the same lane and ordinal.
 * B3. What a call was given, the backend may keep; nobody changes it afterwards.
 */
export interface Backend {
  readonly ownership: Ownership;

  /** The thread and, where it exists, the namespace with its head. */
  find(threadId: string, namespace: string): Awaitable<HeadRow | undefined>;
  /**
   * Takes the thread, creating it and the namespace if need be, where the epoch is still the one
   * that was seen. Undefined: somebody was faster.
   */
  claim(request: ClaimRequest): Awaitable<HeadRow | undefined>;
  /** Makes sure that the thread is there, without taking it. */
  create(threadId: string, now: number): Awaitable<void>;
  /** Prolongs leases. Claims that were lost are passed over. */
  renew(claims: readonly ClaimKey[], leaseUntil: number): Awaitable<void>;
  release(claim: ClaimKey): Awaitable<void>;

  lanes(tid: number): Awaitable<readonly LaneRow[]>;
  /** Position of a checkpoint in its namespace. */
  locate(nsid: number, checkpointId: string): Awaitable<number | undefined>;
  /** The rows from the base of a checkpoint to it, ascending; rows of other branches among them. */
  chain(nsid: number, seq: number): Awaitable<readonly CheckpointRow[]>;
  /** Ordered by task, then slot. */
  writes(nsid: number, seq: number): Awaitable<readonly WriteRow[]>;
  /** The bodies of items, ascending; ordinals that are missing are left out. */
  items(tid: number, lane: number, from: number, to: number): Awaitable<readonly string[]>;
  /** Ordinals of all items of a lane with one of these keys. */
  itemsByKey(
    tid: number,
    lane: number,
    keys: readonly number[],
  ): Awaitable<readonly { key: number; ord: number }[]>;

  /**
   * Stores writes of tasks: rows of slot 0 unless one is there already, others over what is there.
   * False: the claim was lost.
   */
  record(
    owner: ClaimKey | undefined,
    nsid: number,
    seq: number,
    rows: readonly WriteRow[],
  ): Awaitable<boolean>;
  /** Puts other bytes in the place of a task's recorded writes. */
  rewrite(nsid: number, seq: number, row: WriteRow): Awaitable<void>;
  commit(commit: CommitRow): Awaitable<CommitOutcome>;

  /** Namespaces of a thread, or of all threads, that hold checkpoints. */
  namespaces(threadId: string | undefined): Awaitable<readonly NamespaceRow[]>;
  /** Checkpoints with smaller ids than `before`, greatest id first. */
  checkpoints(nsid: number, before: string | undefined, limit: number): Awaitable<readonly CheckpointRow[]>;
  threads(limit: number, before: ThreadPosition | undefined): Awaitable<readonly ThreadRow[]>;
  /** Bytes of the items and writes of a thread, and of everything that is stored. */
  sizes(threadId: string): Awaitable<SizesRow | undefined>;
  delete(threadId: string): Awaitable<void>;
}

/** Who holds a claim, and whether he still lives. */
export interface Ownership {
  /** This saver's process, as text for the storage. */
  describe(): string;
  /** Whether the holder of a claim can be taken for dead. */
  isDead(owner: string | null, leaseUntil: number | null, now: number): boolean;
}

export interface HeadRow {
  readonly tid: number;
  readonly epoch: number;
  /** Raised whenever something stored was removed: what is remembered is then worth nothing. */
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

export interface ClaimRequest {
  readonly threadId: string;
  readonly namespace: string;
  readonly owner: string;
  readonly leaseUntil: number;
  readonly now: number;
  /** What `find` said. */
  readonly seen: HeadRow | undefined;
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
}

export interface NewItem {
  readonly lane: number;
  readonly ord: number;
  /** Hash of the element's id; null where it has none. */
  readonly key: number | null;
  readonly body: string;
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
}

export interface ThreadPosition {
  readonly updatedAt: string;
  readonly threadId: string;
}

export interface ThreadRow {
  readonly threadId: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  /** ISO 8601: time of the head of the root namespace, or of the creation. */
  readonly updatedAt: string;
  readonly headId: string | null;
  readonly checkpoints: number;
}

export interface SizesRow {
  readonly items: number;
  readonly itemBytes: number;
  readonly writeBytes: number;
  readonly manifestBytes: number;
  /** Everything in the database: all threads, indexes, free pages. */
  readonly totalBytes: number;
  /** Size of the log beside the database that waits to be folded into it; 0 where there is none. */
  readonly logBytes: number;
}
