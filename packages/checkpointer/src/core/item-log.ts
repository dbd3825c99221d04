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
import { recordWrites, rowsNow, type TaskRows } from "./add-writes.ts";
import { Appender, knowLanes, type Sending } from "./append.ts";
import type { Backend, HeadRow } from "./backend.ts";
import { assertStored, Claims, lostThread, RunClaim, type Taken, type TakeOptions } from "./claims.ts";
import { Commits, unknownCheckpoint } from "./commits.ts";
import { seenPairs } from "../manifest/fold.ts";
import { pairsOf } from "../manifest/manifest.ts";
import { pageOf } from "./page.ts";
import { Images } from "./images.ts";
import { ListCache } from "./list-cache.ts";
import { whyMissing } from "./missing.ts";
import type { Draft } from "./plan.ts";
import { Reader } from "./read.ts";
import { recordOf } from "./records.ts";
import { isShort, namespaceOf, Remembered } from "./remembered.ts";
import { removeRemains } from "./remains.ts";
import { foldRows } from "./snapshots.ts";
import { Stage } from "./stage.ts";
import { NamespaceState, ThreadState, type Snapshot } from "./state.ts";
import { Turns } from "./turns.ts";
import { recordedByTask } from "./write-rows.ts";

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
  readonly #commits: Commits;

  /** @param cacheBytes - how much of decoded lists may be kept between runs */
  constructor(backend: Backend, codec: Codec, cacheBytes: number) {
    this.backend = backend;
    this.codec = codec;
    this.#claims = new Claims(backend);
    this.#cache = new ListCache(cacheBytes);
    this.#images = new Images(codec, this.#cache);
    this.#appender = new Appender(backend, codec, this.#cache);
    this.#commits = new Commits(backend, this.#appender, this.#claims, this.turns, {
      space: (held, namespace) => this.#space(held, namespace),
      snapshot: (state, space, id) => this.snapshot(state, space, id),
      ended: (held) => this.#ended(held),
    });
  }

  open(address: CheckpointAddress, options: TakeOptions): Awaitable<Taken>;
  open(address: CheckpointAddress, options?: OpenOptions): Awaitable<Opened>;
  open(address: CheckpointAddress, { under, claim, crowded }: OpenOptions = {}): Awaitable<Opened> {
    const { threadId } = address;
    if (under !== undefined || claim === undefined)
      return this.turns.take(threadId, () => run(this.#read(address, under)));
    this.#claims.expect(crowded === true);
    const attempt = () => this.turns.take(threadId, () => run(this.#take(address, claim === "take")));
    return run(this.#claims.insist(threadId, patience(claim), attempt));
  }

  *#read(address: CheckpointAddress, claim: Claim | undefined): Steps<Opened> {
    const row = yield* wait(this.backend.find(address.threadId, address.namespace));
    if (row === undefined) return { checkpoint: undefined, headId: undefined, claim };
    return yield* this.#opened(address, this.thread(address.threadId, row), row, claim);
  }

  /** Undefined while a live run keeps the thread. */
  *#take(address: CheckpointAddress, fromOthers: boolean): Steps<Taken | undefined> {
    const { threadId, namespace } = address;
    const known = this.#remembered.row(threadId, namespace);
    let row = yield* this.#claims.take(threadId, namespace, fromOthers, known);
    // with its first claim a thread was made, and holds nothing
    if (row !== undefined && row.before !== 0 && (yield* removeRemains(this.backend, address, row)))
      row = yield* this.#claims.take(threadId, namespace, fromOthers);
    if (row === undefined) return undefined;
    const state = this.thread(threadId, row);
    const claim = new RunClaim(threadId, row, state);
    this.#claims.add(claim);
    try {
      const opened = yield* this.#opened(address, state, row, claim);
      // the first commit needs them, and may be one that is put off
      if (row.head !== null) yield* knowLanes(this.backend, state);
      state.isHeld = true;
      return opened;
    } catch (error) {
      try {
        yield* wait(this.release(claim));
      } catch {
        // the claim ends with its lease
      }
      throw error;
    }
  }

  /** Removes what an import left that was killed. @throws GraphError THREAD_CONFLICT while it goes on */
  *removeRemains(threadId: string): Steps<void> {
    const place = { threadId, namespace: "" };
    const row = yield* this.#claims.take(threadId, place.namespace, false);
    if (row === undefined) throw lostThread(threadId);
    if (!(yield* removeRemains(this.backend, place, row))) yield* wait(this.backend.release(row));
  }

  *#opened<Held extends Claim | undefined>(
    { namespace, checkpointId }: CheckpointAddress,
    state: ThreadState,
    row: HeadRow,
    claim: Held,
  ): Steps<Opened & { readonly claim: Held }> {
    const space = this.namespace(state, namespace, row);
    const snapshot = yield* this.snapshot(state, space, checkpointId);
    const checkpoint = snapshot && (yield* this.#stored(state, space, snapshot, row, claim !== undefined));
    return { checkpoint, headId: space.headId ?? undefined, claim };
  }

  /** What is remembered of a thread, as far as the row still confirms it (S1). */
  thread(threadId: string, row: HeadRow): ThreadState {
    return this.#remembered.thread(threadId, row);
  }

  namespace(state: ThreadState, name: string, row: HeadRow): NamespaceState {
    return namespaceOf(state, name, row);
  }

  /** A checkpoint with its channels; the head if no id is given. */
  *snapshot(state: ThreadState, space: NamespaceState, id: string | undefined): Steps<Snapshot | undefined> {
    const wanted = id ?? space.headId;
    if (wanted === null || space.nsid === null) return undefined;
    if (space.headId === null && !(yield* this.#shows(state.threadId, space.nsid))) return undefined;
    const known = space.snapshots.get(wanted);
    if (known !== undefined) return known;
    const seq = wanted === space.headId ? space.head : yield* wait(this.backend.locate(space.nsid, wanted));
    if (seq === undefined || seq === null) return undefined;
    const rows = yield* wait(this.backend.chain(space.nsid, seq));
    let snapshot: Snapshot;
    try {
      snapshot = foldRows(rows, seq, state.threadId);
    } catch (error) {
      throw yield* whyMissing(this.backend, state, error);
    }
    space.snapshots.keep(snapshot, space.headId);
    return snapshot;
  }

  /** Not while its thread is imported, nor when that was never finished. */
  *#shows(threadId: string, nsid: number): Steps<boolean> {
    return (yield* wait(this.backend.namespaces(threadId))).some((row) => row.nsid === nsid);
  }

  /** @param of - the checkpoint whose items are read: as long as it is there, they are */
  reader(state: ThreadState, of?: { readonly nsid: number; readonly id: string }): Reader {
    return new Reader(this.backend, this.codec, state, of);
  }

  *#stored(
    state: ThreadState,
    space: NamespaceState,
    snapshot: Snapshot,
    row: HeadRow,
    forRun: boolean,
  ): Steps<StoredCheckpoint> {
    const nsid = space.nsid as number;
    const reader = this.reader(state, { nsid, id: snapshot.id });
    const nothingPending = snapshot.seq === row.head && !row.pending;
    const pendingWrites = nothingPending ? [] : yield* reader.writes(nsid, snapshot.seq);
    // the run gets these very objects, and commits lists that hold them (C3)
    if (forRun && pendingWrites.length > 0) {
      const items = new Stage(this.codec, state, undefined);
      space.recorded.set(snapshot.seq, recordedByTask(this.codec, pendingWrites, items));
    }
    const channels = new Map<string, StoredChannel>();
    for (const [name, entry] of snapshot.folded.entries)
      channels.set(name, this.#images.image(space, name, entry, reader));
    return {
      id: snapshot.id,
      parentId: snapshot.parentId,
      ts: snapshot.ts,
      metadata: this.codec.decode(snapshot.metadata) as StoredCheckpoint["metadata"],
      channelVersions: recordOf(snapshot.folded.versions, same),
      versionsSeen: recordOf(snapshot.folded.seen, (seen, node) =>
        recordOf(pairsOf(seenPairs(node, seen)), same),
      ),
      channels,
      pendingWrites,
    };
  }

  record(claim: Claim, at: CheckpointAddress, writes: readonly TaskWrites[]): Awaitable<void> {
    this.#commits.close(claim.threadId);
    const { threadId, state, waiting } = this.held(claim);
    const isOnItsWay = waiting !== undefined || this.turns.isBusy(threadId);
    const rows = rowsNow(this.codec, state, writes, isOnItsWay);
    return this.turns.take(threadId, () => run(this.#record(claim, at, rows())));
  }

  *#record(claim: Claim, at: CheckpointAddress, told: readonly TaskRows[]): Steps<void> {
    const held = this.held(claim);
    assertStored(held);
    const { space, snapshot } = yield* this.#at(held, at);
    const [nsid, { state }] = [space.nsid as number, held];
    const after = state.last ?? { nsid, id: snapshot.id };
    const place = { nsid, seq: snapshot.seq, after, claim: held };
    if (yield* recordWrites(this, space, place, told)) return;
    state.isRefused = true;
    throw lostThread(claim.threadId);
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
    return this.#commits.commit(this.held(claim), change);
  }

  append(state: ThreadState, space: NamespaceState, draft: Draft, sent: Sending): Awaitable<Snapshot> {
    return this.#appender.append(state, space, draft, sent);
  }

  release(claim: Claim): Awaitable<void> {
    const held = claim as RunClaim;
    return held.waiting === undefined ? this.#release(held) : run(this.#releaseStored(held));
  }

  *#releaseStored(held: RunClaim): Steps<void> {
    yield* wait(this.#settled(held));
    yield* wait(this.#release(held));
    assertStored(held);
  }

  /** Stores what waits for the next commit of a run. */
  #settled({ threadId }: RunClaim): Awaitable<void> {
    return this.turns.take(threadId, () => undefined);
  }

  #release(held: RunClaim): Awaitable<void> {
    if (!this.#claims.remove(held)) return undefined;
    this.#ended(held);
    return this.backend.release(held);
  }

  #ended({ threadId, state }: RunClaim): void {
    state.isHeld = false;
    if (this.backend.inMemory === true && isShort(state)) this.forget(threadId, state);
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
    if (snapshot === undefined || entry === undefined) return { elements: [], before: undefined };
    const reader = this.reader(state, { nsid: space.nsid as number, id: snapshot.id });
    return yield* pageOf(entry, this.codec, reader, options);
  }

  /** Forgets what is known of a thread: the next call reads it anew. @param only - unless it is another state */
  forget(threadId: string, only?: ThreadState): void {
    // what is decoded of it would stay until others push it out
    for (const space of this.#remembered.forget(threadId, only)?.namespaces.values() ?? []) {
      for (const cached of space.decoded()) this.#cache.drop(cached);
    }
  }

  /** Gives all claims back: the saver is being closed. */
  *releaseAll(): Steps<void> {
    for (const claim of this.#claims.clear()) {
      yield* wait(this.#settled(claim));
      yield* wait(this.backend.release(claim));
    }
  }

  /** @throws GraphError INVALID_CONFIGURATION for what no saver has made */
  held(claim: Claim): RunClaim {
    if (claim instanceof RunClaim) return claim;
    throw new GraphError(
      "INVALID_CONFIGURATION",
      "The claim was not made by this saver. Commit with the claim that its own open returned.",
    );
  }
}

/** Milliseconds to go on trying to claim a thread. */
function patience(claim: NonNullable<OpenOptions["claim"]>): number {
  if (claim === "fail") return 0;
  return claim === "take" ? TAKE_MS : claim.waitMs;
}

const same = <Value>(value: Value): Value => value;
