import type { RunnableConfig } from "@langchain/core/runnables";
import type {
  BaseCheckpointSaver,
  Checkpoint,
  CheckpointTuple,
  PendingWrite,
} from "@langchain/langgraph-checkpoint";
import type { Awaitable, Claim } from "@skein/checkpointer";
import type { BaseChannel } from "../channels/base.ts";
import type { Snapshot, Version } from "../engine/snapshot.ts";
import { TASKS } from "../ids/names.ts";
import { reviveSend } from "../program/send.ts";
import { ControlCodec } from "./codec.ts";
import type { Address, Commit, Session, Stored, TaskOutput } from "./storage.ts";

/** The config by which the savers' contract names a checkpoint. */
export function configOf(address: Address): RunnableConfig {
  const { threadId, namespace, checkpointId } = address;
  return {
    configurable: {
      thread_id: threadId,
      checkpoint_ns: namespace,
      ...(checkpointId === undefined ? {} : { checkpoint_id: checkpointId }),
    },
  };
}

/** Opens a thread in any saver, through the contract of complete v4 checkpoints. */
export async function openContract(saver: BaseCheckpointSaver, address: Address): Promise<Session> {
  const tuple = await saver.getTuple(configOf(address));
  if (address.checkpointId === undefined) return contractSession(saver, address, tuple, tuple?.checkpoint.id);
  const head = await saver.getTuple(configOf({ ...address, checkpointId: undefined }));
  return contractSession(saver, address, tuple, head?.checkpoint.id);
}

/** A session over a checkpoint that is already in hand. */
export function contractSession(
  saver: BaseCheckpointSaver,
  address: Address,
  tuple: CheckpointTuple | undefined,
  headId: string | undefined,
): Session {
  return new ContractSession(saver, address, tuple, headId);
}

class ContractSession implements Session {
  readonly address: Address;
  readonly stored: Stored | undefined;
  readonly headId: string | undefined;
  readonly claim: Claim | undefined = undefined;
  readonly #saver: BaseCheckpointSaver;
  readonly #values: Readonly<Record<string, unknown>>;
  readonly #codec = new ControlCodec();

  constructor(
    saver: BaseCheckpointSaver,
    address: Address,
    tuple: CheckpointTuple | undefined,
    headId: string | undefined,
  ) {
    this.address = address;
    this.headId = headId;
    this.#saver = saver;
    this.#values = tuple?.checkpoint.channel_values ?? {};
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
    if (!Object.hasOwn(this.#values, name)) return undefined;
    const value = this.#values[name];
    return definition.fromCheckpoint(name === TASKS ? (value as unknown[]).map(reviveSend) : value);
  }
  async record(checkpointId: string, outputs: readonly TaskOutput[], snapshot: Snapshot): Promise<void> {
    const config = configOf({ ...this.address, checkpointId });
    for (const { taskId, writes } of outputs) {
      const stored = this.#codec.encode(writes, snapshot) as PendingWrite[];
      if (stored.length > 0) await this.#saver.putWrites(config, stored, taskId);
    }
  }
  commit(commit: Commit, snapshot: Snapshot): () => Awaitable<void> {
    const checkpoint = this.#image(commit, snapshot);
    const newVersions: Record<string, Version> = {};
    for (const { name, version } of snapshot.changed) {
      if (version !== undefined) newVersions[name] = version;
    }
    const outputs = commit.outputs;
    return async () => {
      if (commit.parentId !== undefined) await this.record(commit.parentId, outputs, snapshot);
      const config = configOf({ ...this.address, checkpointId: commit.parentId });
      await this.#saver.put(config, checkpoint, commit.metadata, newVersions as Record<string, number>);
    };
  }
  release(): undefined {
    return undefined;
  }
  #image(commit: Commit, snapshot: Snapshot): Checkpoint {
    const values: Record<string, unknown> = {};
    const versions: Record<string, Version> = { ...snapshot.sourceVersions };
    for (const name of snapshot.program.channels.keys()) {
      const slot = snapshot.slot(name);
      if (slot === undefined) continue;
      if (slot.version !== undefined) versions[name] = slot.version;
      if (!slot.channel.tracked) continue;
      const stored = slot.channel.stored();
      if (stored === undefined) continue;
      values[name] =
        name === TASKS ? (stored as unknown[]).map((send) => this.#codec.encodeSend(send, snapshot)) : stored;
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
