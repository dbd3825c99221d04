import { run, wait, type Steps } from "../awaitable.ts";
import type { Awaitable, ChangeSet, ChannelChange } from "../changeset/types.ts";
import type { Codec } from "../codec/types.ts";
import type { ListEntry } from "../manifest/list-entry.ts";
import type { LoadedList } from "../manifest/list-image.ts";
import type { Entry } from "../manifest/manifest.ts";
import type { Backend, CommitOutcome, CommitRow } from "./backend.ts";
import { lostThread, type RunClaim } from "./claims.ts";
import { CachedList, type ListCache } from "./list-cache.ts";
import type { KnownMap } from "./known-map.ts";
import { imageOf, needsChunks } from "./entries.ts";
import { MetadataTexts } from "./metadata.ts";
import { asPlanned } from "./as-planned.ts";
import { basisOf, foldOf, planCommit, type Draft, type LoadedLists, type Plan } from "./plan.ts";
import { Reader } from "./read.ts";
import { SparseMap } from "./sparse-map.ts";
import type { NamespaceState, Snapshot, ThreadState } from "./state.ts";
import { codecOf, taken, type TakenChange } from "./taken.ts";
import { together, type Staged } from "./together.ts";

/** How a checkpoint is appended. */
export interface Sending {
  /** Undefined for a plain put. */
  readonly claim: RunClaim | undefined;
  readonly namespace: string;
  readonly release: boolean;
  /** The head stays where it is. */
  readonly keepHead?: boolean;
  /** Sequence number of the checkpoint whose place it takes. */
  readonly replaces?: number;
}

const ATTEMPTS = 3;
const NO_LISTS: LoadedLists = new Map();

/** Appends checkpoints: plans one, sends it, and remembers it once it is stored (S2). */
export class Appender {
  readonly #backend: Backend;
  readonly #codec: Codec;
  readonly #cache: ListCache;
  readonly #metadata: MetadataTexts;

  constructor(backend: Backend, codec: Codec, cache: ListCache) {
    this.#backend = backend;
    this.#codec = codec;
    this.#cache = cache;
    this.#metadata = new MetadataTexts(codec);
  }

  /** What a change set says now, for one that is planned later. */
  take(change: ChangeSet): TakenChange {
    return { ...change, told: taken(this.#codec, change) };
  }

  /** @throws GraphError THREAD_CONFLICT; nothing was stored then */
  append(state: ThreadState, space: NamespaceState, draft: Draft, sent: Sending): Awaitable<Snapshot> {
    // the common case has nothing to read, and waits for nothing
    if (state.lanes === undefined || needsReading(basisOf(draft), draft.channels))
      return run(this.#append(state, space, draft, sent));
    const plan = this.#plan(state, draft, sent.replaces ?? space.next, NO_LISTS);
    const outcome = this.#backend.commit(commitRow(state, space, plan, sent));
    const follow = (known: CommitOutcome): Awaitable<Snapshot> =>
      known.done
        ? this.#settle(state, space, plan, draft, sent, known.nsid)
        : run(this.#append(state, space, draft, sent, { plan, outcome: known }));
    return outcome instanceof Promise ? outcome.then(follow) : follow(outcome);
  }

  /**
   * Plans a commit that is to be sent with those before it, and remembers it as if it were stored: whoever
   * sends it makes the thread forget where it is not. Undefined, and nothing was changed, for one that has
   * to go alone.
   */
  stage(
    state: ThreadState,
    space: NamespaceState,
    draft: Draft,
    sent: Sending,
    before: readonly CommitRow[],
  ): Staged | undefined {
    if (state.lanes === undefined || needsReading(basisOf(draft), draft.channels)) return undefined;
    const plan = this.#plan(state, draft, space.next, NO_LISTS);
    const rows = together(before, commitRow(state, space, plan, sent));
    const row = rows.at(-1) as CommitRow;
    if (this.#backend.joins?.(row) !== true) return undefined;
    this.#settle(state, space, plan, draft, sent, row.nsid as number);
    return { rows, told: () => asPlanned(draft, plan).told };
  }

  *#append(
    state: ThreadState,
    space: NamespaceState,
    given: Draft,
    sent: Sending,
    under?: { plan: Plan; outcome: Awaitable<CommitOutcome> },
  ): Steps<Snapshot> {
    let [draft, current] = [given, under];
    for (let attempt = 1; ; attempt += 1) {
      current ??= yield* this.#send(state, space, draft, sent);
      const outcome = yield* wait(current.outcome);
      if (outcome.done) return this.#settle(state, space, current.plan, draft, sent, outcome.nsid);
      if (outcome.why === "conflict") state.isRefused = true;
      if (outcome.why === "conflict" || attempt === ATTEMPTS) throw lostThread(state.threadId);
      draft = asPlanned(draft, current.plan);
      // a plain put from another process has taken ordinals without claiming the thread
      state.lanes = undefined;
      const row = yield* wait(this.#backend.find(state.threadId, sent.namespace));
      if (row !== undefined) space.next = row.next;
      current = undefined;
    }
  }

  *#send(
    state: ThreadState,
    space: NamespaceState,
    draft: Draft,
    sent: Sending,
  ): Steps<{ plan: Plan; outcome: Awaitable<CommitOutcome> }> {
    yield* knowLanes(this.#backend, state);
    const loaded = new Map<string, LoadedList>();
    for (const [channel, change] of draft.channels) {
      const entry = basisOf(draft)?.folded.entries.get(channel);
      if (!needsChunks(change, entry)) continue;
      const reader = new Reader(this.#backend, this.#codec, state);
      loaded.set(channel, yield* reader.chunked(entry as ListEntry));
    }
    const plan = this.#plan(state, draft, sent.replaces ?? space.next, loaded);
    return { plan, outcome: this.#backend.commit(commitRow(state, space, plan, sent)) };
  }

  #plan(state: ThreadState, draft: Draft, seq: number, loaded: LoadedLists): Plan {
    const codec = draft.told === undefined ? this.#codec : codecOf(this.#codec, draft.told);
    return planCommit(codec, state, draft, seq, loaded, this.#metadata.of(draft.metadata));
  }

  #settle(
    state: ThreadState,
    space: NamespaceState,
    plan: Plan,
    draft: Draft,
    sent: Sending,
    nsid: number,
  ): Snapshot {
    plan.stage.settle();
    state.last = { nsid, id: draft.id };
    space.nsid = nsid;
    if (sent.replaces === undefined) space.next = plan.row.seq + 1;
    else space.snapshots.clear();
    const { parent } = draft;
    if (parent !== undefined) {
      if (draft.onHead) space.snapshots.delete(parent.id);
      space.recorded.delete(parent.seq);
    }
    if (!draft.onHead) {
      for (const cached of space.decoded()) this.#cache.drop(cached);
      space.lists.clear();
      space.values.clear();
      space.maps.clear();
    }
    this.#follow(space, plan, draft);
    // from here on the channels before it may be those after it
    const snapshot: Snapshot = {
      seq: plan.row.seq,
      id: draft.id,
      parentId: draft.parentId,
      ts: draft.ts,
      metadata: plan.row.metadata,
      folded: foldOf(draft, plan),
      base: plan.row.base,
      weight: plan.weight,
    };
    if (sent.keepHead !== true) {
      space.head = snapshot.seq;
      space.headId = snapshot.id;
    }
    space.snapshots.keep(snapshot, space.headId);
    return snapshot;
  }

  #follow(space: NamespaceState, plan: Plan, draft: Draft): void {
    const { entries } = plan.delta;
    let at = 0;
    for (const [channel, change] of draft.channels) {
      // channels that were empty already are left out
      const isNamed = entries[at] === channel;
      const entry = isNamed ? (entries[at + 1] as Entry | null) : undefined;
      if (isNamed) at += 2;
      if (draft.onHead) this.#followList(space, plan, channel, change, entry);
      followValue(space, plan, channel, change, entry);
      this.#followMap(space, channel, plan.maps.get(channel));
    }
  }

  #followMap(space: NamespaceState, channel: string, stored: KnownMap | undefined): void {
    const old = space.maps.get(channel);
    if (old === stored) return;
    if (old !== undefined) this.#cache.drop(old);
    if (stored === undefined) space.maps.delete(channel);
    else {
      space.maps.set(channel, stored);
      this.#cache.touch(stored);
    }
  }

  #followList(
    space: NamespaceState,
    plan: Plan,
    channel: string,
    change: ChannelChange,
    entry: Entry | null | undefined,
  ): void {
    const list = space.lists.get(channel);
    if (list === undefined && change.op !== "list") return;
    const added = plan.added.get(channel);
    const isList = change.op === "list" && added !== undefined && entry?.kind === "list";
    if (
      isList &&
      list !== undefined &&
      !list.evicted &&
      list.image === imageOf(plan.old.entries.get(channel))
    ) {
      list.follow(change.segments, added, entry);
      this.#cache.touch(list);
      return;
    }
    if (list !== undefined) this.#cache.drop(list);
    if (isList && change.segments.every((segment) => "add" in segment)) {
      const fresh = CachedList.of(entry, added);
      space.lists.set(channel, fresh);
      this.#cache.touch(fresh);
    } else space.lists.delete(channel);
  }
}

function followValue(
  space: NamespaceState,
  { stage }: Plan,
  channel: string,
  change: ChannelChange,
  entry: Entry | null | undefined,
): void {
  const value = change.op === "set" && entry?.kind === "item" ? change.value : undefined;
  if (entry?.kind === "item" && typeof value === "object" && value !== null) {
    const { lane, ord } = entry;
    space.values.set(channel, { lane, ord, value, text: stage.textAt(lane, ord) as string });
  } else space.values.delete(channel);
}

/** Reads the lanes of a thread, unless they are known. */
export function* knowLanes(backend: Backend, state: ThreadState): Steps<void> {
  if (state.lanes !== undefined) return;
  const rows = yield* wait(backend.lanes(state.tid));
  state.lanes = new SparseMap();
  for (const { name, lane, next } of rows) state.lanes.set(name, { lane, next });
}

/** Whether chunks of lists have to be read before a change can be planned. */
export function needsReading(basis: Snapshot | undefined, channels: Draft["channels"]): boolean {
  if (basis === undefined) return false;
  for (const [channel, change] of channels) {
    if (change.op === "list" && needsChunks(change, basis.folded.entries.get(channel))) return true;
  }
  return false;
}

function commitRow(state: ThreadState, space: NamespaceState, plan: Plan, sent: Sending): CommitRow {
  return {
    tid: state.tid,
    claim: sent.claim,
    generation: state.generation,
    namespace: sent.namespace,
    nsid: space.nsid,
    expected: space.head,
    after: state.last,
    head: sent.keepHead === true ? space.head : plan.row.seq,
    checkpoint: plan.row,
    replaces: sent.replaces !== undefined,
    lanes: plan.stage.newLanes,
    items: plan.stage.items,
    writes: plan.writes,
    rewrites: plan.rewrites,
    moved: plan.moved,
    release: sent.release,
  };
}
