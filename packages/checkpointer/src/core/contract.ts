import type {
  ChannelVersions,
  Checkpoint,
  CheckpointListOptions,
  CheckpointMetadata,
  CheckpointTuple,
  PendingWrite,
} from "@langchain/langgraph-checkpoint";
import type { RunnableConfig } from "@langchain/core/runnables";
import { GraphError } from "@skein/errors";
import { run, wait, type Steps } from "../awaitable.ts";
import { checkpointIdOf, NULL_TASK } from "../base/checkpoint.ts";
import type { Awaitable } from "../changeset/types.ts";
import { addWrites, remember } from "./add-writes.ts";
import type { CheckpointRow, HeadRow, NamespaceRow } from "./backend.ts";
import { detachChildren } from "./detach.ts";
import { diffChannels } from "./diff.ts";
import { NO_MAPS, NO_VALUES } from "./draft.ts";
import type { ItemLog } from "./item-log.ts";
import { pause } from "./pause.ts";
import { configOf, placeOf, required, type Place } from "./places.ts";
import { isRemains } from "./remains.ts";
import { foldRows } from "./snapshots.ts";
import type { Draft } from "./plan.ts";
import type { NamespaceState, Snapshot, ThreadState } from "./state.ts";
import { tupleOf } from "./tuple.ts";
import { partsIn, writeRows } from "./write-rows.ts";

/** Checkpoints that `list` reads at a time. */
const LIST_PAGE = 64;
/** How often a put tries to be faster than puts of other processes on its thread. */
const PUT_ATTEMPTS = 30;

/** How often writes look for their checkpoint while nothing is under way on their thread: 45 ms at least. */
const WRITES_PATIENCE = 10;

/**
 * LangGraph's checkpointer contract over the item log: complete checkpoints in, complete
 * checkpoints out. It takes no claim: a plain put is compared with the head by the id only.
 */
export class Contract {
  readonly #log: ItemLog;

  constructor(log: ItemLog) {
    this.#log = log;
  }

  getTuple(config: RunnableConfig): Awaitable<CheckpointTuple | undefined> {
    const place = placeOf(config);
    if (place === undefined) return undefined;
    return this.#log.turns.take(place.threadId, () => run(this.#getTuple(config, place)));
  }

  *#getTuple(config: RunnableConfig, place: Place): Steps<CheckpointTuple | undefined> {
    const row = yield* wait(this.#log.backend.find(place.threadId, place.namespace));
    if (row === undefined) return undefined;
    const state = this.#log.thread(place.threadId, row);
    const space = this.#log.namespace(state, place.namespace, row);
    const snapshot = yield* this.#log.snapshot(state, space, place.checkpointId);
    if (snapshot === undefined) return undefined;
    return yield* tupleOf(this.#log, state, place, space.nsid as number, snapshot, config);
  }

  async *list(config: RunnableConfig, options: CheckpointListOptions): AsyncGenerator<CheckpointTuple> {
    const { thread_id: threadId, checkpoint_ns: namespace } = (config.configurable ?? {}) as Record<
      string,
      unknown
    >;
    const only = config.configurable === undefined ? "" : checkpointIdOf(config);
    const before = options.before === undefined ? undefined : checkpointIdOf(options.before) || undefined;
    let left = options.limit ?? Number.POSITIVE_INFINITY;
    for (const space of await this.#log.backend.namespaces(
      threadId === undefined ? undefined : String(threadId),
    )) {
      if (namespace !== undefined && space.namespace !== namespace) continue;
      for await (const tuple of this.#checkpoints(space, before, only, options.filter)) {
        if (left <= 0) return;
        left -= 1;
        yield tuple;
      }
    }
  }

  async *#checkpoints(
    space: NamespaceRow,
    before: string | undefined,
    only: string,
    filter: Record<string, unknown> | undefined,
  ): AsyncGenerator<CheckpointTuple> {
    const { backend, codec } = this.#log;
    for (let from = before; ;) {
      const rows = await backend.checkpoints(space.nsid, from, LIST_PAGE);
      for (const row of rows) {
        if (only !== "" && row.id !== only) continue;
        if (!matches(codec.decode(row.metadata), filter)) continue;
        const tuple = await this.#log.turns.take(space.threadId, () => run(this.#listed(space, row)));
        if (tuple !== undefined) yield tuple;
      }
      if (rows.length < LIST_PAGE) return;
      from = (rows.at(-1) as CheckpointRow).id;
    }
  }

  *#listed(space: NamespaceRow, row: CheckpointRow): Steps<CheckpointTuple | undefined> {
    const head = yield* wait(this.#log.backend.find(space.threadId, space.namespace));
    if (head === undefined || head.tid !== space.tid) return undefined;
    const chain = yield* wait(this.#log.backend.chain(space.nsid, row.seq));
    // removed since the page was read, and the number may be given again
    if (!chain.some(({ seq, id }) => seq === row.seq && id === row.id)) return undefined;
    const snapshot = foldRows(chain, row.seq, space.threadId);
    const place = { threadId: space.threadId, namespace: space.namespace, checkpointId: undefined };
    return yield* tupleOf(this.#log, this.#log.thread(space.threadId, head), place, space.nsid, snapshot);
  }

  put(
    config: RunnableConfig,
    checkpoint: Checkpoint,
    metadata: CheckpointMetadata,
    newVersions: ChannelVersions,
  ): Awaitable<RunnableConfig> {
    const place = required(config, "put a checkpoint");
    return this.#log.turns.take(place.threadId, () =>
      run(this.#putInsistently(place, checkpoint, metadata, newVersions)),
    );
  }

  *#putInsistently(
    place: Place,
    checkpoint: Checkpoint,
    metadata: CheckpointMetadata,
    newVersions: ChannelVersions,
  ): Steps<RunnableConfig> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        yield* this.#put(place, checkpoint, metadata, newVersions, attempt > 1);
        return configOf(place.threadId, place.namespace, checkpoint.id);
      } catch (error) {
        // another process moved the head between reading and writing: the contract has no conflict
        if (attempt === PUT_ATTEMPTS || !GraphError.is(error, "THREAD_CONFLICT")) throw error;
      }
      // for a time by chance, so that those who were in each other's way are not again
      yield* wait(pause(Math.random() * attempt));
    }
  }

  *#put(
    place: Place,
    checkpoint: Checkpoint,
    metadata: CheckpointMetadata,
    newVersions: ChannelVersions,
    isRetry: boolean,
  ): Steps<void> {
    const row = yield* this.#thread(place);
    const state = this.#log.thread(place.threadId, row);
    const space = this.#log.namespace(state, place.namespace, row);
    // behind the head there is none, unless the head was moved back: storing it fails then, and is tried again
    const isNew =
      space.nsid === null || (!isRetry && (space.headId === null || checkpoint.id > space.headId));
    const existing = isNew
      ? undefined
      : yield* wait(this.#log.backend.locate(space.nsid as number, checkpoint.id));
    if (existing !== undefined && (yield* detachChildren(this.#log.backend, place, row, existing)))
      return yield* this.#put(place, checkpoint, metadata, newVersions, isRetry);
    const { parentId, parent, basis } = yield* this.#under(place, checkpoint.id, state, space);
    const keepHead = space.headId !== null && checkpoint.id <= space.headId;
    const isUpdate = metadata.source === "update";
    const diff = yield* diffChannels(this.#log, state, basis ?? parent, checkpoint, newVersions, isUpdate);
    const stored = this.#log.append(
      state,
      space,
      {
        id: checkpoint.id,
        ts: checkpoint.ts,
        metadata,
        parent,
        parentId,
        basis,
        onHead: parent !== undefined && parent.seq === space.head && existing === undefined && !keepHead,
        ...diff,
        format: checkpoint.v,
        writes: [],
        recorded: recordedUnder(space, parent),
        values: parent !== undefined && parent.seq === space.head ? space.values : NO_VALUES,
        maps: parent !== undefined && parent.seq === space.head ? space.maps : NO_MAPS,
      },
      {
        claim: undefined,
        namespace: place.namespace,
        release: false,
        keepHead,
        ...(existing === undefined ? {} : { replaces: existing }),
      },
    );
    yield* wait(stored);
  }

  /**
   * What a checkpoint is put under. LangGraph puts some of durability "exit" once more, under themselves:
   * a change of what they are, which keeps its parent.
   */
  *#under(
    { checkpointId }: Place,
    id: string,
    state: ThreadState,
    space: NamespaceState,
  ): Steps<Pick<Draft, "parentId" | "parent" | "basis">> {
    const snapshot = (of: string | undefined): Steps<Snapshot | undefined> =>
      this.#log.snapshot(state, space, of);
    const given = checkpointId === undefined ? undefined : yield* snapshot(checkpointId);
    if (checkpointId !== id) return { parentId: checkpointId, parent: given };
    const parentId = given?.parentId;
    return { parentId, parent: parentId === undefined ? undefined : yield* snapshot(parentId), basis: given };
  }

  /**
   * The row of a thread, which is created if there is none.
   *
   * @throws GraphError THREAD_CONFLICT while it is imported
   */
  *#thread(place: Place): Steps<HeadRow> {
    const { threadId, namespace } = place;
    const { backend } = this.#log;
    for (;;) {
      const found = yield* wait(backend.find(threadId, namespace));
      if (found !== undefined && !(yield* isRemains(backend, place, found))) return found;
      if (found !== undefined) yield* this.#log.removeRemains(threadId);
      yield* wait(backend.create(threadId, Date.now()));
    }
  }

  async putWrites(config: RunnableConfig, writes: readonly PendingWrite[], taskId: string): Promise<void> {
    const place = required(config, "put writes");
    if (place.checkpointId === undefined) {
      throw new GraphError(
        "UNKNOWN_CHECKPOINT",
        'Writes cannot be put: the config has no "checkpoint_id". Pass the config that put returned.',
      );
    }
    const { turns } = this.#log;
    for (let idle = 0; idle < WRITES_PATIENCE;) {
      if (await turns.take(place.threadId, () => run(this.#putWrites(place, writes, taskId)))) return;
      // LangGraph puts writes before their checkpoint, which it puts when the one before is stored:
      // in between, nothing is under way on the thread
      await pause(idle);
      idle = turns.isBusy(place.threadId) ? 0 : idle + 1;
    }
    throw checkpointMissing(place);
  }

  /** False: there is no such checkpoint. */
  *#putWrites(place: Place, writes: readonly PendingWrite[], taskId: string): Steps<boolean> {
    const { backend } = this.#log;
    const row = yield* wait(backend.find(place.threadId, place.namespace));
    // LangGraph writes down a command that begins a thread under a checkpoint that it never stores
    if (taskId === NULL_TASK && (row?.head ?? null) === null) return true;
    const state = row && this.#log.thread(place.threadId, row);
    const space = row && state && this.#log.namespace(state, place.namespace, row);
    const snapshot = space && (yield* this.#log.snapshot(state, space, place.checkpointId));
    if (snapshot === undefined || space === undefined) return false;
    const nsid = space.nsid as number;
    const nothingPending = snapshot.seq === row?.head && !row.pending;
    const already = nothingPending ? [] : yield* wait(backend.writes(nsid, snapshot.seq));
    const { seq } = snapshot;
    const task = { taskId, writes };
    const rows = writeRows(this.#log.codec, task);
    const under = { nsid, seq, after: { nsid, id: snapshot.id }, claim: undefined };
    if (!(yield* addWrites(this.#log, under, { task, rows }, already))) return false;
    const stands = already.some(({ task, slot }) => task === taskId && slot === 0);
    // what stands there and is not known is not for us to move
    if (!stands || space.recorded.get(seq)?.has(taskId) === true) remember(space, seq, task, partsIn(rows));
    return true;
  }
}

function checkpointMissing({ threadId, checkpointId }: Place): GraphError {
  return new GraphError(
    "UNKNOWN_CHECKPOINT",
    `Writes cannot be put: thread "${threadId}" has no checkpoint "${checkpointId}". Put the checkpoint first.`,
    { details: { threadId, checkpointId } },
  );
}

function recordedUnder(space: NamespaceState, parent: Snapshot | undefined) {
  return parent === undefined ? [] : [...(space.recorded.get(parent.seq)?.values() ?? [])];
}

function matches(metadata: unknown, filter: Record<string, unknown> | undefined): boolean {
  const of = metadata as Record<string, unknown>;
  return Object.entries(filter ?? {}).every(
    ([key, value]) => (Object.hasOwn(of, key) ? of[key] : undefined) === value,
  );
}
