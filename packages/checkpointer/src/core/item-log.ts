import { GraphError } from "@skein/errors";
import { run, wait, type Steps } from "../awaitable.ts";
import type {
  Awaitable,
  ChangeSet,
  ChangeSets,
  CheckpointAddress,
  Claim,
  Opened,
  OpenOptions,
  Page,
  PageOptions,
  StoredChannel,
  StoredCheckpoint,
  TaskWrites,
} from "../changeset/types.ts";
import type { Codec } from "../codec/types.ts";
import { Appender, type Sending } from "./append.ts";
import type { Backend, CommitRow, HeadRow } from "./backend.ts";
import { Batches } from "./batches.ts";
import { Claims, lostThread, RunClaim } from "./claims.ts";
import { pageOf } from "./page.ts";
import { Images } from "./images.ts";
import { ListCache } from "./list-cache.ts";
import { draftOf } from "./draft.ts";
import type { Draft } from "./plan.ts";
import { Reader } from "./read.ts";
import { recordOf } from "./records.ts";
import { namespaceOf, Remembered } from "./remembered.ts";
import { foldRows, rememberSnapshot } from "./snapshots.ts";
import { NamespaceState, ThreadState, type Recorded, type Snapshot } from "./state.ts";
import { Turns } from "./turns.ts";
import { recordedByTask, slotOf, writeRows } from "./write-rows.ts";

/** Milliseconds to go on trying to take a thread that others take at the same time. */
const TAKE_MS = 1_000;

/**
 * Checkpoints as an item log, over any backend: the logic that all savers share. Answers at once
 * whenever the backend does.
 */
export class ItemLog implements ChangeSets {
  readonly backend: Backend;
  readonly codec: Codec;
  readonly turns = new Turns();
  readonly #claims: Claims;
  readonly #appender: Appender;
  readonly #cache: ListCache;
  readonly #images: Images;
  readonly #remembered = new Remembered();
  readonly #batches = new Batches(this.turns, (held, changes) => this.#commitAll(held, changes));

  /** @param cacheBytes - how much of decoded lists may be kept between runs */
  constructor(backend: Backend, codec: Codec, cacheBytes: number) {
    this.backend = backend;
    this.codec = codec;
    this.#claims = new Claims(backend);
    this.#cache = new ListCache(cacheBytes);
    this.#images = new Images(codec, this.#cache);
    this.#appender = new Appender(backend, codec, this.#cache);
  }

  open(address: CheckpointAddress, { under, claim, crowded }: OpenOptions = {}): Awaitable<Opened> {
    const { threadId } = address;
    if (under !== undefined || claim === undefined)
      return this.turns.take(threadId, () => run(this.#read(address, under)));
    this.#claims.expect(crowded === true);
    const attempt = () => this.turns.take(threadId, () => run(this.#take(address, claim === "take")));
    const waitMs = claim === "fail" ? 0 : claim === "take" ? TAKE_MS : claim.waitMs;
    return run(this.#claims.insist(threadId, waitMs, attempt));
  }

  *#read(address: CheckpointAddress, claim: Claim | undefined): Steps<Opened> {
    const row = yield* wait(this.backend.find(address.threadId, address.namespace));
    if (row === undefined) return { checkpoint: undefined, headId: undefined, claim };
    return yield* this.#opened(address, this.thread(address.threadId, row), row, claim);
  }

  /** Undefined while a live run keeps the thread. */
  *#take(address: CheckpointAddress, fromOthers: boolean): Steps<Opened | undefined> {
    const { threadId, namespace } = address;
    const row = yield* this.#claims.take(threadId, namespace, fromOthers);
    if (row === undefined) return undefined;
    const state = this.thread(threadId, row, true);
    const claim = new RunClaim(threadId, row, state);
    this.#claims.add(claim);
    try {
      return yield* this.#opened(address, state, row, claim);
    } catch (error) {
      yield* wait(this.release(claim));
      throw error;
    }
  }

  *#opened(
    { namespace, checkpointId }: CheckpointAddress,
    state: ThreadState,
    row: HeadRow,
    claim: Claim | undefined,
  ): Steps<Opened> {
    const space = this.namespace(state, namespace, row);
    const snapshot = yield* this.snapshot(state, space, checkpointId);
    const checkpoint = snapshot && (yield* this.#stored(state, space, snapshot, row, claim !== undefined));
    return { checkpoint, headId: space.headId ?? undefined, claim };
  }

  /** What is remembered of a thread, as far as the row still confirms it (S1). */
  thread(threadId: string, row: HeadRow, claimed = false): ThreadState {
    return this.#remembered.thread(threadId, row, claimed);
  }

  namespace(state: ThreadState, name: string, row: HeadRow): NamespaceState {
    return namespaceOf(state, name, row);
  }

  /** A checkpoint with its channels; the head if no id is given. */
  *snapshot(state: ThreadState, space: NamespaceState, id: string | undefined): Steps<Snapshot | undefined> {
    const wanted = id ?? space.headId;
    if (wanted === null || space.nsid === null) return undefined;
    const known = space.snapshots.get(wanted);
    if (known !== undefined) return known;
    const seq = wanted === space.headId ? space.head : yield* wait(this.backend.locate(space.nsid, wanted));
    if (seq === undefined || seq === null) return undefined;
    const rows = yield* wait(this.backend.chain(space.nsid, seq));
    const snapshot = foldRows(rows, seq, state.threadId);
    rememberSnapshot(space, snapshot);
    return snapshot;
  }

  reader(state: ThreadState): Reader {
    return new Reader(this.backend, this.codec, state);
  }

  *#stored(
    state: ThreadState,
    space: NamespaceState,
    snapshot: Snapshot,
    row: HeadRow,
    forRun: boolean,
  ): Steps<StoredCheckpoint> {
    const reader = this.reader(state);
    const nothingPending = snapshot.seq === row.head && !row.pending;
    const pendingWrites = nothingPending ? [] : yield* reader.writes(space.nsid as number, snapshot.seq);
    // the run gets these very objects, and commits lists that hold them (C3)
    if (forRun && pendingWrites.length > 0) space.recorded.set(snapshot.seq, recordedByTask(pendingWrites));
    const channels = new Map<string, StoredChannel>();
    for (const [name, entry] of snapshot.folded.entries)
      channels.set(name, this.#images.image(space, name, entry, reader));
    return {
      id: snapshot.id,
      parentId: snapshot.parentId,
      ts: snapshot.ts,
      metadata: this.codec.decode(snapshot.metadata) as StoredCheckpoint["metadata"],
      channelVersions: recordOf(snapshot.folded.versions, same),
      versionsSeen: recordOf(snapshot.folded.seen, (seen) => recordOf(seen, same)),
      channels,
      pendingWrites,
    };
  }

  record(claim: Claim, at: CheckpointAddress, writes: readonly TaskWrites[]): Awaitable<void> {
    this.#batches.close(claim.threadId);
    return this.turns.take(claim.threadId, () => run(this.#record(claim, at, writes)));
  }

  *#record(claim: Claim, at: CheckpointAddress, writes: readonly TaskWrites[]): Steps<void> {
    const held = this.#held(claim);
    const { space, snapshot } = yield* this.#at(held, at);
    const rows = writes.flatMap((task) => writeRows(this.codec, task));
    const kept = yield* wait(this.backend.record(held, space.nsid as number, snapshot.seq, rows));
    if (!kept) throw lostThread(claim.threadId);
    const recorded = space.recorded.get(snapshot.seq) ?? new Map<string, Recorded>();
    space.recorded.set(snapshot.seq, recorded);
    for (const task of writes) {
      const regular = task.writes.filter(([channel]) => slotOf(channel) === 0);
      if (regular.length > 0 && !recorded.has(task.taskId)) {
        recorded.set(task.taskId, { task: task.taskId, writes: regular });
      }
    }
  }

  *#at(held: RunClaim, at: CheckpointAddress): Steps<{ space: NamespaceState; snapshot: Snapshot }> {
    const space = yield* this.#space(held, at.namespace);
    const snapshot = yield* this.snapshot(held.state, space, at.checkpointId);
    if (snapshot !== undefined) return { space, snapshot };
    throw unknownCheckpoint(at.threadId, at.checkpointId);
  }

  *#space(held: RunClaim, namespace: string): Steps<NamespaceState> {
    const known = held.state.namespaces.get(namespace);
    if (known !== undefined) return known;
    const row = yield* wait(this.backend.find(held.threadId, namespace));
    if (row === undefined) throw lostThread(held.threadId);
    return this.namespace(held.state, namespace, row);
  }

  commit(claim: Claim, change: ChangeSet): Awaitable<void> {
    const held = this.#held(claim);
    if (this.backend.commitAll !== undefined && this.turns.isBusy(held.threadId))
      return this.#batches.add(held, change);
    return this.turns.take(held.threadId, () => this.#commitNow(held, change));
  }

  /** Sends as many as can go together at once, and the others one by one. */
  *#commitAll(held: RunClaim, changes: readonly ChangeSet[]): Steps<void> {
    for (let at = 0; at < changes.length;) {
      const rows = changes.length - at === 1 ? [] : this.#staged(held, changes.slice(at));
      if (rows.length === 0) yield* wait(this.#commitNow(held, changes[at] as ChangeSet));
      else yield* this.#sendAll(held, rows, changes.slice(at, at + rows.length));
      at += rows.length || 1;
    }
  }

  /** The rows of change sets, from the first on, that can be sent together. */
  #staged(held: RunClaim, changes: readonly ChangeSet[]): CommitRow[] {
    const { state } = held;
    const rows: CommitRow[] = [];
    for (const change of changes) {
      const { namespace, parentId, basedOn, release, expectedHead } = change;
      const space = state.namespaces.get(namespace);
      const parent = parentId === undefined ? undefined : space?.snapshots.get(parentId);
      const isNext =
        expectedHead !== undefined && expectedHead === space?.headId && expectedHead === parentId;
      if (space === undefined || parent === undefined || !isNext) break;
      if (basedOn !== undefined || release === true) break;
      const sending = { claim: held, namespace, release: false };
      const row = this.#appender.stage(state, space, draftOf(space, parent, undefined, change), sending);
      if (row === undefined) break;
      rows.push(row);
    }
    return rows;
  }

  *#sendAll(held: RunClaim, rows: readonly CommitRow[], changes: readonly ChangeSet[]): Steps<void> {
    let isStored = false;
    try {
      const outcome = yield* wait(this.backend.commitAll?.(rows));
      if (outcome?.done === false && outcome.why === "conflict") throw lostThread(held.threadId);
      isStored = outcome?.done === true;
    } finally {
      // they were remembered as if they were stored (S2)
      if (!isStored) held.state.forget();
    }
    // ordinals that somebody else has taken: each is planned anew
    if (!isStored) for (const change of changes) yield* this.#commitColdly(held, change);
  }

  #commitNow(held: RunClaim, change: ChangeSet): Awaitable<void> {
    const space = held.state.namespaces.get(change.namespace);
    const parent = change.parentId === undefined ? undefined : space?.snapshots.get(change.parentId);
    const cold = space === undefined || (parent === undefined && change.parentId !== undefined);
    if (cold || change.basedOn !== undefined) return run(this.#commitColdly(held, change));
    return this.#commit(held, space, parent, undefined, change);
  }

  *#commitColdly(held: RunClaim, change: ChangeSet): Steps<void> {
    const space = yield* this.#space(held, change.namespace);
    const parent =
      change.parentId === undefined ? undefined : yield* this.snapshot(held.state, space, change.parentId);
    const basis =
      change.basedOn === undefined ? undefined : yield* this.snapshot(held.state, space, change.basedOn);
    if (basis === undefined && change.basedOn !== undefined)
      throw unknownCheckpoint(held.threadId, change.basedOn);
    yield* wait(this.#commit(held, space, parent, basis, change));
  }

  #commit(
    held: RunClaim,
    space: NamespaceState,
    parent: Snapshot | undefined,
    basis: Snapshot | undefined,
    change: ChangeSet,
  ): Awaitable<void> {
    if ((change.expectedHead ?? null) !== space.headId) throw lostThread(held.threadId);
    const draft = draftOf(space, parent, basis, change);
    const release = change.release === true;
    const stored = this.append(held.state, space, draft, {
      claim: held,
      namespace: change.namespace,
      release,
    });
    const ended = (): void => {
      if (release) this.#claims.remove(held);
    };
    if (!(stored instanceof Promise)) return ended();
    return release ? stored.then(ended) : (stored as Promise<unknown> as Promise<void>);
  }

  append(state: ThreadState, space: NamespaceState, draft: Draft, sent: Sending): Awaitable<Snapshot> {
    return this.#appender.append(state, space, draft, sent);
  }

  release(claim: Claim): Awaitable<void> {
    if (!this.#claims.remove(claim)) return undefined;
    return this.backend.release(claim as RunClaim);
  }

  page(address: CheckpointAddress, channel: string, options: PageOptions): Awaitable<Page> {
    return this.turns.take(address.threadId, () => run(this.#page(address, channel, options)));
  }

  *#page(address: CheckpointAddress, channel: string, options: PageOptions): Steps<Page> {
    const row = yield* wait(this.backend.find(address.threadId, address.namespace));
    if (row === undefined) return { elements: [], before: undefined };
    const state = this.thread(address.threadId, row);
    const space = this.namespace(state, address.namespace, row);
    const snapshot = yield* this.snapshot(state, space, address.checkpointId);
    const entry = snapshot?.folded.entries.get(channel);
    if (entry === undefined) return { elements: [], before: undefined };
    return yield* pageOf(entry, this.codec, this.reader(state), options);
  }

  /** Forgets a thread, and gives back all claims when none is named. */
  forget(threadId: string): void {
    // what is decoded of it would stay until others push it out
    for (const space of this.#remembered.forget(threadId)?.namespaces.values() ?? []) {
      for (const cached of space.decoded()) this.#cache.drop(cached);
    }
  }

  /** Gives all claims back: the saver is being closed. */
  *releaseAll(): Steps<void> {
    for (const claim of this.#claims.clear()) yield* wait(this.backend.release(claim));
  }

  #held(claim: Claim): RunClaim {
    if (claim instanceof RunClaim) return claim;
    throw new GraphError(
      "INVALID_CONFIGURATION",
      "The claim was not made by this saver. Commit with the claim that its own open returned.",
    );
  }
}

const same = <Value>(value: Value): Value => value;

export function unknownCheckpoint(threadId: string, checkpointId: string | undefined): GraphError {
  return new GraphError(
    "UNKNOWN_CHECKPOINT",
    `Thread "${threadId}" has no checkpoint ${checkpointId === undefined ? "yet" : `"${checkpointId}"`}. List its checkpoints to see which it has.`,
    { details: { threadId, checkpointId } },
  );
}
