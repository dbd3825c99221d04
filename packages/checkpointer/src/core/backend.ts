import type { Awaitable } from "../changeset/types.ts";
import type { Maintenance } from "./maintenance.ts";
import type {
  CheckpointKey,
  CheckpointRow,
  ClaimKey,
  ClaimRequest,
  CommitOutcome,
  CommitRow,
  HeadRow,
  ItemPage,
  LaneRow,
  ListedThread,
  NamespaceRow,
  RetakeRequest,
  SizesRow,
  ThreadPosition,
  WriteRow,
} from "./rows.ts";

export type * from "./rows.ts";

/**
 * What the logic of a saver asks of a database: rows in, rows out. Nothing here decodes a value,
 * folds a manifest or knows what a channel is. A backend answers with values where it can and with
 * promises where it must.
 *
 * B1. `commit`, `record`, `claim` and `delete` happen whole or not at all.
 * B2. No two items of a thread have the same lane and ordinal.
 * B3. What a call was given, the backend may keep; nobody changes it afterwards.
 *
 * B4 to B6: `Maintenance`.
 */
export interface Backend extends Maintenance {
  readonly ownership: Ownership;
  /** Whether every call answers with a value: an archive is then read when somebody looks at it. */
  readonly synchronous?: boolean;
  /** Whether reading costs next to nothing: what a run leaves of a short thread is then not remembered. */
  readonly inMemory?: boolean;

  /**
   * How many runs of this process are under way, or are about to be. Where there are several, a backend
   * may answer writes with promises and store those of several runs together.
   */
  crowd?(runs: number): void;

  /** The thread and, where it exists, the namespace with its head. */
  find(threadId: string, namespace: string): Awaitable<HeadRow | undefined>;
  /**
   * Takes the thread, creating it and the namespace if need be, where the epoch is still the one
   * that was seen. Undefined: somebody was faster. The row says what the epoch was `before`.
   */
  claim(request: ClaimRequest): Awaitable<HeadRow | undefined>;
  /**
   * Finds a thread and takes it where nobody holds it, in one round trip. Only of a backend that is
   * far away; others are asked with `find`, then `claim`.
   */
  take?(request: ClaimRequest): Awaitable<{ readonly row: HeadRow; readonly taken: boolean }>;
  /**
   * Takes a thread that was seen free, where nobody has written to its namespace since and nothing is pending
   * there. Undefined: it is to be looked at again. Not where `find` costs next to nothing.
   */
  retake?(request: RetakeRequest): Awaitable<HeadRow | undefined>;
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
  /**
   * The bodies of items, ascending; ordinals that are missing are left out.
   *
   * @param generation - all are left out if the thread has another one: ordinals of removed items may be given again
   */
  items(
    tid: number,
    lane: number,
    from: number,
    to: number,
    generation?: number,
  ): Awaitable<readonly string[]>;
  /** The same, where a backend has a quicker way for many. */
  page?(...range: Parameters<Backend["items"]>): ItemPage;
  /** Ordinals of all items of a lane with one of these keys. */
  itemsByKey(
    tid: number,
    lane: number,
    keys: readonly number[],
  ): Awaitable<readonly { key: number; ord: number }[]>;

  /**
   * Stores writes of tasks: rows of slot 0 unless one is there already, others over what is there.
   * False: the claim was lost, or the server has lost what they come after.
   */
  record(
    owner: ClaimKey | undefined,
    nsid: number,
    seq: number,
    rows: readonly WriteRow[],
    after: CheckpointKey,
  ): Awaitable<boolean>;
  /** Puts other bytes in the place of a task's recorded writes. False: the claim was lost. */
  rewrite(owner: ClaimKey | undefined, nsid: number, seq: number, row: WriteRow): Awaitable<boolean>;
  commit(commit: CommitRow): Awaitable<CommitOutcome>;
  /** Whether a commit can be one of several that are sent together. Not where sending costs nothing. */
  joins?(commit: CommitRow): boolean;
  /** Commits of one namespace that join, each behind the one before; all of them or none (B1). */
  commitAll?(commits: readonly CommitRow[]): Awaitable<CommitOutcome>;

  /** Namespaces of a thread, or of all threads, that hold checkpoints. */
  namespaces(threadId: string | undefined): Awaitable<readonly NamespaceRow[]>;
  /** Checkpoints with smaller ids than `before`, greatest id first. */
  checkpoints(nsid: number, before: string | undefined, limit: number): Awaitable<readonly CheckpointRow[]>;
  threads(limit: number, before: ThreadPosition | undefined): Awaitable<readonly ListedThread[]>;
  /** Bytes of the items and writes of a thread, and of everything that is stored. */
  sizes(threadId: string): Awaitable<SizesRow | undefined>;
  /**
   * Removes a thread with everything that belongs to it. See B6.
   *
   * @param held - only the thread that this claim holds, and only as long as it has nothing to show
   */
  delete(threadId: string, held?: ClaimKey): Awaitable<void>;
}

/** Who holds a claim, and whether he still lives. */
export interface Ownership {
  /** This saver and its process, as text for the storage. @param saver - unlike that of any other saver */
  describe(saver: string): string;
  /** Whether the holder of a claim can be taken for dead. */
  isDead(owner: string | null, leaseUntil: number | null, now: number): boolean;
}
