import type {
  BaseCheckpointSaver,
  Checkpoint,
  CheckpointMetadata,
  CheckpointTuple,
  PendingWrite,
} from "@langchain/langgraph-checkpoint";
import type { Awaitable, Claim } from "@skein/checkpointer";
import { emptyCheckpoint } from "@skein/checkpointer/base";
import type { BaseChannel } from "../channels/base.ts";
import { exitDeltaTaskId } from "../channels/checkpoints.ts";
import type { Snapshot, Version } from "../engine/snapshot.ts";
import { NULL_TASK_ID } from "../ids/names.ts";
import type { Program } from "../program/program.ts";
import { isDoneSoon } from "./breathe.ts";
import { ControlCodec, decodeValue } from "./codec.ts";
import { putInPlace } from "./command-places.ts";
import { saverConfigOf } from "./config-of.ts";
import {
  countersOf,
  countStep,
  type DeltaCounters,
  type DeltaHistories,
  loadHistories,
  noteCounters,
  replayed,
  wholes,
} from "./deltas.ts";
import { noCheckpoint } from "./no-checkpoint.ts";
import { NO_OUTPUT } from "./pending.ts";
import type { Address, Commit, Session, Stored, TaskOutput } from "./storage.ts";

/** Opens a thread in any saver, through the contract of complete v4 checkpoints. */
export async function openContract(
  saver: BaseCheckpointSaver,
  program: Program,
  address: Address,
  anew?: boolean,
): Promise<Session> {
  const tuple = await saver.getTuple(saverConfigOf(address));
  if (anew) return contractSession(saver, program, address, undefined, tuple?.checkpoint.id);
  if (address.checkpointId === undefined) {
    return contractSession(saver, program, address, tuple, tuple?.checkpoint.id);
  }
  const head = await saver.getTuple(saverConfigOf({ ...address, checkpointId: undefined }));
  return contractSession(saver, program, address, tuple, head?.checkpoint.id);
}

/** A session over a checkpoint that is already in hand. */
export async function contractSession(
  saver: BaseCheckpointSaver,
  program: Program,
  address: Address,
  tuple: CheckpointTuple | undefined,
  headId: string | undefined,
): Promise<Session> {
  if (tuple === undefined) return new ContractSession(saver, program, address, undefined, headId, {});
  const holds = (name: string): boolean => Object.hasOwn(tuple.checkpoint.channel_values, name);
  const { id, channel_versions: versions } = tuple.checkpoint;
  const histories = await loadHistories(saver, program, address, { id, versions, holds });
  return new ContractSession(saver, program, address, tuple, headId, histories);
}

class ContractSession implements Session {
  readonly address: Address;
  readonly stored: Stored | undefined;
  readonly noCheckpoint: string | undefined;
  readonly headId: string | undefined;
  readonly keepsOrder = false;
  readonly claim: Claim | undefined = undefined;
  #committed = false;
  readonly #saver: BaseCheckpointSaver;
  readonly #program: Program;
  readonly #values: Readonly<Record<string, unknown>>;
  readonly #histories: DeltaHistories;
  #counters: DeltaCounters;
  readonly #codec = new ControlCodec();

  constructor(
    saver: BaseCheckpointSaver,
    program: Program,
    address: Address,
    tuple: CheckpointTuple | undefined,
    headId: string | undefined,
    histories: DeltaHistories,
  ) {
    this.address = address;
    this.headId = headId;
    this.#saver = saver;
    this.#program = program;
    this.noCheckpoint = tuple && noCheckpoint(tuple.checkpoint);
    this.#values = tuple?.checkpoint.channel_values ?? {};
    this.#histories = histories;
    this.#counters = countersOf(tuple?.metadata);
    const parentId = tuple?.parentConfig?.configurable?.["checkpoint_id"] as string | undefined;
    this.stored = tuple && {
      id: tuple.checkpoint.id,
      parentId,
      ts: tuple.checkpoint.ts,
      metadata: tuple.metadata ?? { source: "loop", step: -1, parents: {} },
      versions: tuple.checkpoint.channel_versions as Record<string, Version>,
      seen: tuple.checkpoint.versions_seen as Record<string, Record<string, Version>>,
      pendingWrites: tuple.pendingWrites ?? [],
    };
  }
  nextVersion(current: Version | undefined): Version {
    return this.#saver.getNextVersion(current as number | undefined) as Version;
  }
  restore(name: string, definition: BaseChannel): BaseChannel | undefined {
    const history = Object.hasOwn(this.#histories, name) ? this.#histories[name] : undefined;
    if (history !== undefined) return replayed(definition, history);
    if (!Object.hasOwn(this.#values, name)) return undefined;
    return definition.fromCheckpoint(decodeValue(name, this.#values[name], this.#program));
  }
  async record(checkpointId: string, outputs: readonly TaskOutput[], snapshot: Snapshot): Promise<void> {
    const config = saverConfigOf({ ...this.address, checkpointId });
    const puts = outputs.flatMap((output) =>
      output.taskId === NULL_TASK_ID ? putInPlace(this.stored?.pendingWrites ?? [], output.writes) : output,
    );
    const encoded = puts.map(({ writes }) => this.#codec.encode(writes, snapshot) as PendingWrite[]);
    const calls: Promise<void>[] = [];
    // async: a saver that throws at once must not leave the calls before unheard
    const put = async (writes: PendingWrite[], id: string): Promise<void> =>
      this.#saver.putWrites(config, writes, id);
    let isQuick = true;
    for (const [at, { taskId }] of puts.entries()) {
      const writes = encoded[at] as PendingWrite[];
      if (writes.length === 0) continue;
      const before = calls.at(-1);
      if (isQuick && before instanceof Promise) isQuick = await isDoneSoon(before);
      calls.push(put(writes, textOf(taskId)));
    }
    await Promise.all(calls);
  }
  count(metadata: CheckpointMetadata, snapshot: Snapshot): void {
    if ((snapshot.program.replayed ?? []).length === 0) return;
    this.#counters = countStep(this.#counters, snapshot);
    noteCounters(metadata, this.#counters);
  }
  commit(commit: Commit, snapshot: Snapshot): (called?: () => void) => Awaitable<void> {
    const whole = this.#wholes(commit, snapshot);
    const checkpoint = this.#image(commit, snapshot, whole);
    const newVersions: Record<string, Version> = {};
    for (const { name, version } of snapshot.changed) {
      if (version !== undefined) newVersions[name] = version;
    }
    const outputs = this.#branches(commit) ? without(commit.outputs, whole) : commit.outputs;
    this.#committed = true;
    // savers serialize when they are called: before a node can edit in place what it is given
    return async (called) => {
      const { parentId, skipped } = commit;
      const put = async (at: string | undefined): Promise<void> => {
        const config = saverConfigOf({ ...this.address, checkpointId: at });
        const stored = this.#saver.put(
          config,
          checkpoint,
          commit.metadata,
          newVersions as Record<string, number>,
        );
        called?.();
        await stored;
      };
      const recorded = parentId && outputs.length > 0 ? this.record(parentId, outputs, snapshot) : undefined;
      // a checkpoint without the writes that it is read from would lose them (I4)
      if (commit.outputsFirst || snapshot.program.replayed) await recorded;
      else if (recorded) await isDoneSoon(recorded);
      const stored = skipped === undefined ? put(parentId) : this.#anchor(commit, snapshot, whole).then(put);
      await Promise.all([recorded, stored]);
    };
  }
  release(): undefined {
    return undefined;
  }
  /** Channels to store as a whole. Their counters start anew, in the metadata too. */
  #wholes(commit: Commit, snapshot: Snapshot): Set<string> {
    if ((snapshot.program.replayed ?? []).length === 0) return new Set();
    const branches = this.#branches(commit);
    const changed = new Set([...snapshot.changed].map(({ name }) => name));
    const rootless = commit.parentId === undefined && commit.skipped === undefined;
    // what skipped steps wrote is filed under the parent, too, and would be replayed before what its tasks wrote
    const leaves = (branches || commit.skipped !== undefined) && this.#isHalfDone;
    // a copy follows what the original follows, and holds what that held
    const held = commit.basedOn === undefined ? {} : this.#values;
    const whole = wholes(
      snapshot,
      this.#counters,
      (name) =>
        leaves ||
        ((branches || rootless) && changed.has(name)) ||
        commit.skipped?.given.has(name) ||
        Object.hasOwn(held, name),
    );
    if (whole.size === 0) return whole;
    this.#counters = Object.fromEntries(Object.entries(this.#counters).filter(([name]) => !whole.has(name)));
    noteCounters(commit.metadata, this.#counters);
    // a version of its own for a value that a saver may store by version
    for (const name of whole) {
      const slot = snapshot.slot(name);
      if (slot !== undefined && !changed.has(name)) {
        const before = slot.version;
        slot.version = this.nextVersion(before);
        snapshot.changed.add(slot);
        // the value is what it was: it wakes nobody
        for (const node of snapshot.program.triggers.get(name) ?? []) {
          const seen = snapshot.seenOf(node.name);
          if (seen.get(name) === before) seen.set(name, slot.version);
        }
      }
    }
    return whole;
  }
  /** Whether writes under the parent belong to another branch, or to tasks that were given up. */
  #branches({ metadata: { source }, skipped }: Commit): boolean {
    if (this.#committed || this.stored === undefined) return false;
    const { checkpointId } = this.address;
    const isOld = checkpointId !== undefined && checkpointId !== this.headId;
    if (skipped !== undefined) return isOld || skipped.began === "fork";
    return isOld || source === "fork" || source === "input" || (source === "update" && this.#isHalfDone);
  }
  /**
   * Whether something was written under the checkpoint that the session was opened at, or is to be by several
   * tasks. A single one that waits, or failed, writes with its commit, which is a branch if the thread has gone on.
   */
  get #isHalfDone(): boolean {
    const pending = this.stored?.pendingWrites ?? [];
    return pending.some(([task, channel]) => task !== pending[0]?.[0] || !NO_OUTPUT.has(channel));
  }
  /** Stores what skipped steps wrote, where a replay finds it, and says under which checkpoint. */
  async #anchor(
    { parentId, skipped }: Commit,
    snapshot: Snapshot,
    whole: ReadonlySet<string>,
  ): Promise<string | undefined> {
    const replays = new Set(snapshot.program.replayed);
    const kept = (skipped?.outputs ?? []).flatMap(({ step, taskId, writes }) => {
      const some = writes.filter(([channel]) => replays.has(channel) && !whole.has(channel));
      return some.length === 0 ? [] : [{ taskId: exitDeltaTaskId(step, textOf(taskId)), writes: some }];
    });
    if (skipped === undefined || kept.length === 0) return parentId;
    if (parentId === undefined) {
      await this.#saver.put(
        saverConfigOf(this.address),
        { ...emptyCheckpoint(), id: skipped.anchorId },
        { source: "loop", step: -2, parents: {} },
        {},
      );
    }
    const anchorId = parentId ?? skipped.anchorId;
    await this.record(anchorId, kept, snapshot);
    return anchorId;
  }
  #image(commit: Commit, snapshot: Snapshot, whole: ReadonlySet<string>): Checkpoint {
    const values: Record<string, unknown> = {};
    const versions: Record<string, Version> = { ...snapshot.sourceVersions };
    for (const name of snapshot.program.channels.keys()) {
      const slot = snapshot.slot(name);
      if (slot === undefined) continue;
      if (slot.version !== undefined) versions[name] = slot.version;
      if (!slot.channel.tracked) continue;
      if (whole.has(name)) values[name] = slot.channel.snapshot();
      const stored = slot.channel.stored();
      if (stored === undefined) continue;
      values[name] = this.#codec.encodeValue(name, stored, snapshot);
    }
    const seen: Record<string, Record<string, Version>> = {};
    for (const [node, of] of snapshot.seen) seen[node] = Object.fromEntries(of);
    return {
      v: 4,
      id: commit.id,
      ts: commit.ts,
      channel_values: values,
      channel_versions: versions as Record<string, number>,
      versions_seen: seen as Record<string, Record<string, number>>,
    };
  }
}

function textOf(taskId: TaskOutput["taskId"]): string {
  return typeof taskId === "string" ? taskId : taskId.text;
}

function without(outputs: readonly TaskOutput[], channels: ReadonlySet<string>): TaskOutput[] {
  return outputs.map(({ taskId, writes }) => ({
    taskId,
    writes: writes.filter(([channel]) => !channels.has(channel)),
  }));
}
