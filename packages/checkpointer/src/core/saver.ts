import {
  BaseCheckpointSaver,
  type Checkpoint,
  type CheckpointListOptions,
  type CheckpointMetadata,
  type CheckpointTuple,
  type ChannelVersions,
  type PendingWrite,
} from "@langchain/langgraph-checkpoint";
import type { RunnableConfig } from "@langchain/core/runnables";
import { run } from "../awaitable.ts";
import { CHANGE_SETS, type ChangeSets } from "../changeset/types.ts";
import { defaultCodec } from "../codec/codec.ts";
import type { Codec } from "../codec/types.ts";
import type { Backend, SizesRow, ThreadPosition, ThreadRow } from "./backend.ts";
import { Contract } from "./contract.ts";
import { ItemLog } from "./item-log.ts";

export interface SaverOptions {
  /** How values become text. Default: `defaultCodec`. A database has to be read with the tags it was written with. */
  readonly codec?: Codec;
  /**
   * Bytes, roughly, that decoded messages may take which are kept between runs, so that the next
   * run of a thread need not read them. Default: 67,108,864 (64 Mi).
   */
  readonly cacheBytes?: number;
  /**
   * Whose threads these are. A saver sees and touches only threads of its tenant, whatever thread
   * ids, checkpoint ids or filters it is given. Default: "", the tenant of those who name none.
   */
  readonly tenant?: string;
}

export interface ListThreadsOptions {
  /** Most threads to return. Default: 100. */
  readonly limit?: number;
  /** The last thread of the page before. */
  readonly before?: ThreadPosition;
}

/**
 * What the savers share: the contract of LangGraph's checkpointers, and the change sets that
 * Skein's engine commits, both over one item log.
 */
export abstract class ItemLogSaver extends BaseCheckpointSaver {
  readonly [CHANGE_SETS]: ChangeSets;
  readonly #log: ItemLog;
  readonly #contract: Contract;
  readonly #backend: Backend;

  constructor(backend: Backend, options: SaverOptions) {
    super();
    this.#backend = backend;
    this.#log = new ItemLog(backend, options.codec ?? defaultCodec, options.cacheBytes ?? 67_108_864);
    this.#contract = new Contract(this.#log);
    this[CHANGE_SETS] = this.#log;
  }

  override async getTuple(config: RunnableConfig): Promise<CheckpointTuple | undefined> {
    return this.#contract.getTuple(config);
  }

  /** Newest first. `filter` is compared with the metadata as data; no value of it reaches a query. */
  override async *list(
    config: RunnableConfig,
    options: CheckpointListOptions = {},
  ): AsyncGenerator<CheckpointTuple> {
    yield* this.#contract.list(config, options);
  }

  override async put(
    config: RunnableConfig,
    checkpoint: Checkpoint,
    metadata: CheckpointMetadata,
    newVersions: ChannelVersions,
  ): Promise<RunnableConfig> {
    return this.#contract.put(config, checkpoint, metadata, newVersions);
  }

  override async putWrites(config: RunnableConfig, writes: PendingWrite[], taskId: string): Promise<void> {
    return this.#contract.putWrites(config, writes, taskId);
  }

  /** Removes a thread with everything that belongs to it. Does nothing where there is none. */
  override async deleteThread(threadId: string): Promise<void> {
    await this.#log.turns.take(threadId, () => this.#backend.delete(threadId));
    this.#log.forget(threadId);
  }

  /** Threads, the one that was written to last first. */
  async listThreads(options: ListThreadsOptions = {}): Promise<readonly ThreadRow[]> {
    return this.#backend.threads(options.limit ?? 100, options.before);
  }

  /** Bytes that a thread takes, beside those of the whole database; undefined for an unknown thread. */
  async storageReport(threadId: string): Promise<SizesRow | undefined> {
    return this.#backend.sizes(threadId);
  }

  /** Gives back the threads that runs of this saver still hold. */
  protected async releaseAll(): Promise<void> {
    await run(this.#log.releaseAll());
  }
}
