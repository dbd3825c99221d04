import type {
  ChannelVersions,
  CheckpointMetadata,
  CheckpointPendingWrite,
  PendingWrite,
} from "@langchain/langgraph-checkpoint";

/**
 * What the engine and a saver say to each other.
 *
 * The engine owns the state of a run and knows what each step changed. The saver owns what is on
 * disk. Between them pass: an address, a claim, a stored checkpoint, task writes, a change set.
 *
 * C1. A change set names only channels whose version changed (I3).
 * C2. A commit is applied whole or not at all (I4), and only by the holder of a live claim.
 * C3. One object is one item: elements are recognised by identity within a claim.
 * C4. Ordinals are assigned at the commit, in the order of the segments (I2).
 * C5. Nothing that was recorded or committed is changed by a later commit.
 * C6. Calls on one thread take effect in the order in which they were made, whoever waits for them.
 *
 * Why it looks like this: docs/decisions/2026-11-21-change-sets.md.
 */

/** A value, or a promise of it. Memory and SQLite answer at once; a step then makes no promise. */
export type Awaitable<T> = T | Promise<T>;

/** Where the change-set interface stands on a saver. */
export const CHANGE_SETS: unique symbol = Symbol.for("skein.changeSets") as never;

/** Where a saver says whether its contract is its own. */
export const OWN_CONTRACT: unique symbol = Symbol.for("skein.ownContract") as never;

/** A saver that our engine can commit changes to. */
export interface ChangeSetSaver {
  readonly [CHANGE_SETS]: ChangeSets;
  /**
   * The saver itself. Anything else where a subclass, a spy or a proxy stands before what the contract
   * calls: that is called then, as of any other saver. Default: the saver.
   */
  readonly [OWN_CONTRACT]?: unknown;
}

/** A checkpoint of a namespace of a thread; without `checkpointId`, the head. */
export interface CheckpointAddress {
  readonly threadId: string;
  /** "" for the root graph, else the path of the subgraph. */
  readonly namespace: string;
  readonly checkpointId?: string | undefined;
}

/** What the engine asks of a saver. It may answer with values or with promises; see C6 for their order. */
export interface ChangeSets {
  /** Opens a checkpoint for reading, or, with `claim`, also takes the thread for a run. */
  open(address: CheckpointAddress, options?: OpenOptions): Awaitable<Opened>;
  /**
   * Makes finished tasks' writes durable before their step commits (I6). Idempotent by task and position: regular
   * writes that stand are passed over, those behind them are added; a signal takes the place of the one before.
   */
  record(claim: Claim, at: CheckpointAddress, writes: readonly TaskWrites[]): Awaitable<void>;
  /** Appends a checkpoint in one transaction, or throws and changes nothing. */
  commit(claim: Claim, change: ChangeSet): Awaitable<void>;
  /** Gives the thread back. A claim that was lost already is released without complaint. */
  release(claim: Claim): Awaitable<void>;
  /** One page of a list or log channel, in order, ending before `before`. */
  page(address: CheckpointAddress, channel: string, options: PageOptions): Awaitable<Page>;
}

/** What a checkpoint is opened for: to be read, or for a run. */
export interface OpenOptions {
  /**
   * Take the thread for a run. When a live run holds it, `"fail"` throws THREAD_CONFLICT, `waitMs` does so
   * after so many milliseconds, and `"take"` takes it from that run, which stores nothing from then on.
   * Default: only read.
   */
  readonly claim?: "fail" | "take" | { readonly waitMs: number } | undefined;
  /** A claim of this run that is already held: a subgraph opens its namespace under it. Default: none. */
  readonly under?: Claim | undefined;
  /**
   * With `claim`: other runs of this process wait until this one has begun. A saver that would answer
   * at once may make it wait, and store what they write together. Default: false.
   */
  readonly crowded?: boolean | undefined;
}

/** What `open` found. */
export interface Opened {
  /** Undefined when the namespace has no checkpoint (or not the one asked for). */
  readonly checkpoint: StoredCheckpoint | undefined;
  /** Id of the namespace's head, which a commit must name as `expectedHead`. */
  readonly headId: string | undefined;
  /** Present when one was asked for. */
  readonly claim: Claim | undefined;
}

/** The right to write to a thread. Made and read by the saver only. */
export interface Claim {
  readonly threadId: string;
  /** Raised by every claim of the thread; a commit with an older one is refused. */
  readonly epoch: number;
  /**
   * Set by whoever runs the thread; called when this saver gives the thread to somebody else. A
   * claim that another process took is noticed by the next commit.
   */
  onLost?: ((reason: Error) => void) | undefined;
}

/** A checkpoint as it is stored, its channels not read yet. */
export interface StoredCheckpoint {
  readonly id: string;
  readonly parentId: string | undefined;
  /** ISO 8601. */
  readonly ts: string;
  readonly metadata: CheckpointMetadata;
  readonly channelVersions: ChannelVersions;
  readonly versionsSeen: Readonly<Record<string, ChannelVersions>>;
  readonly channels: ReadonlyMap<string, StoredChannel>;
  readonly pendingWrites: readonly CheckpointPendingWrite[];
}

/** A channel as stored. Nothing is decoded before `load` is called. */
export type StoredChannel =
  | { readonly kind: "value"; load(): Awaitable<unknown> }
  /** `load` returns a fresh array of the stored elements. */
  | { readonly kind: "list"; readonly length: number; load(): Awaitable<unknown[]> }
  | StoredLog;

/** An archive. What stands under an id is its last entry, at the place of its first. */
export interface StoredLog {
  readonly kind: "log";
  /** How many were written, those that revise or hide among them. */
  readonly entries: number;
  /** The archive resolved by id. */
  load(): Awaitable<unknown[]>;
  /** All that was ever written under the ids that it has, oldest first. Reads those entries only. */
  revisions(ids: readonly string[]): Awaitable<ReadonlyMap<string, readonly unknown[]>>;
  /** Ids that were hidden and not written since. Reads the whole log. */
  hidden(): Awaitable<readonly string[]>;
}

/**
 * The id of a task, made when somebody reads it: a hash costs more than the rest of a step. It keeps
 * nothing else alive, so a saver may hold it in the place of the text.
 */
export interface LateId {
  readonly text: string;
}

/** What one task wrote. Values are final: ids assigned, plain messages coerced. */
export interface TaskWrites {
  readonly taskId: string | LateId;
  readonly writes: readonly PendingWrite[];
}

/** One step of a namespace: a checkpoint, as what changed since its parent (C1). */
export interface ChangeSet {
  readonly namespace: string;
  /** The checkpoint this one follows; undefined for the first. */
  readonly parentId: string | undefined;
  /**
   * The checkpoint of the same namespace that the change is a change of, where that is not the
   * parent: a copy stands beside its original. `writes` must be empty then. Default: the parent.
   */
  readonly basedOn?: string | undefined;
  /** The head as this run last knew it; a different one is THREAD_CONFLICT. */
  readonly expectedHead: string | undefined;
  readonly checkpoint: {
    readonly id: string;
    readonly ts: string;
    readonly metadata: CheckpointMetadata;
    /** Only channels that changed. */
    readonly channelVersions: ChannelVersions;
    /** Only nodes that ran, whole per node. */
    readonly versionsSeen: Readonly<Record<string, ChannelVersions>>;
  };
  readonly channels: ReadonlyMap<string, ChannelChange>;
  /**
   * Writes of tasks under the *parent* that `record` has not taken yet. They share items with
   * `channels` by identity.
   */
  readonly writes: readonly TaskWrites[];
  /** Give the thread back in the same transaction. */
  readonly release?: boolean;
  /**
   * The run commits again before it runs a task, and shows nobody this checkpoint until then: a saver may store
   * both at once. Other calls on the thread come after it all the same (C6), and where it cannot be stored, the
   * next call with the claim says so. Default: false.
   */
  readonly followed?: boolean;
}

/**
 * What became of a channel: another value, another list as pieces of the one before, entries of an archive,
 * or no value any more.
 */
export type ChannelChange =
  | { readonly op: "set"; readonly value: unknown }
  | { readonly op: "list"; readonly segments: readonly Segment[] }
  | { readonly op: "log"; readonly lane: string; readonly entries: readonly LogEntry[] }
  | { readonly op: "clear" };

/** A piece of the new list: elements `[from, to)` of the parent's list, or new ones. */
export type Segment =
  | { readonly keep: readonly [from: number, to: number] }
  | {
      readonly add: readonly unknown[];
      /** The sequence that new elements take their ordinals from. Default: the channel's name. */
      readonly lane?: string;
    };

/**
 * An archive entry: a message (a known id is a revision), or ids hidden from the context. With `keep` the
 * context was cleared: all that came before is hidden, but for these ids.
 */
export type LogEntry =
  | { readonly add: unknown }
  | { readonly hide: readonly string[]; readonly keep?: readonly string[] };

/** Which elements of a list or an archive are read. */
export interface PageOptions {
  /**
   * Position from the start of the log to end before. Default: its end. Positions are those of the checkpoint
   * that is read: name it, to page through what it had while others take the thread back.
   */
  readonly before?: number;
  /** Most elements to return. */
  readonly limit: number;
}

/** Elements in their order. */
export interface Page {
  readonly elements: unknown[];
  /** Pass as `before` for the page before this one; undefined at the start. */
  readonly before: number | undefined;
}
