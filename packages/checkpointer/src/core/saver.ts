import type {
  Checkpoint,
  CheckpointListOptions,
  CheckpointMetadata,
  CheckpointTuple,
  ChannelVersions,
  PendingWrite,
} from "@langchain/langgraph-checkpoint";
import type { RunnableConfig } from "@langchain/core/runnables";
import { run } from "../awaitable.ts";
import { BaseCheckpointSaver } from "../base/saver.ts";
import { CHANGE_SETS, type ChangeSets, type Claim, OWN_CONTRACT, type Page } from "../changeset/types.ts";
import { defaultCodec } from "../codec/codec.ts";
import type { Backend, SizesRow, ThreadRow } from "./backend.ts";
import { Contract } from "./contract.ts";
import {
  givenCount,
  givenId,
  givenNewThreadId,
  givenOptions,
  givenPageLimit,
  givenPosition,
  givenText,
  givenThreadId,
  knownOptions,
} from "./given.ts";
import { checkCheckpoint, checkMetadata, checkWrites, givenList } from "./given-contract.ts";
import { ItemLog } from "./item-log.ts";
import { required } from "./places.ts";
import type { SaverOptions } from "./saver-options.ts";
import { keepSerializer } from "./serializer.ts";
import type { CheckpointInfo } from "../verbs/infos.ts";
import type { EraseOptions, EraseReport } from "../verbs/erase.ts";
import { historyPage, PAGING, type HistoryOptions } from "../verbs/history.ts";
import type { ImportOptions, ImportReport } from "../verbs/import.ts";
import type { PruneOptions } from "../verbs/keep.ts";
import type { PruneReport } from "../verbs/remove.ts";
import type { Search, SearchOptions, SearchPage } from "../verbs/search.ts";
import { startSweeper, sweep, type SweeperOptions, type SweepOptions } from "../verbs/sweep.ts";
import { listThreads, type ListThreadsOptions } from "../verbs/threads.ts";

/** What a run needs none of is loaded when it is called: a fifth of the package's text. */
const verbs = (): Promise<typeof import("../verbs/index.ts")> => import("../verbs/index.ts");

/**
 * What the savers share: the contract of LangGraph's checkpointers, and the change sets that
 * Skein's engine commits, both over one item log.
 */
export abstract class ItemLogSaver extends BaseCheckpointSaver {
  readonly [CHANGE_SETS]: ChangeSets;
  readonly #log: ItemLog;
  readonly #contract: Contract;
  readonly #backend: Backend;
  #search: Search | undefined;

  constructor(backend: Backend, options: SaverOptions) {
    super();
    keepSerializer(this);
    this.#backend = backend;
    this.#log = new ItemLog(backend, options.codec ?? defaultCodec, options.cacheBytes ?? 67_108_864);
    this.#contract = new Contract(this.#log);
    this[CHANGE_SETS] = this.#log;
  }

  /** Read through a proxy it is not that proxy, or the methods are not these. */
  get [OWN_CONTRACT](): this | false {
    const { getTuple, put, putWrites } = ItemLogSaver.prototype;
    const isOwn = this.getTuple === getTuple && this.put === put && this.putWrites === putWrites;
    return isOwn && this;
  }

  override async getTuple(config: RunnableConfig): Promise<CheckpointTuple | undefined> {
    return this.#contract.getTuple(config);
  }

  /** Newest first. `filter` is compared with the metadata as data; no value of it reaches a query. */
  override async *list(
    config: RunnableConfig,
    options?: CheckpointListOptions,
  ): AsyncGenerator<CheckpointTuple> {
    const given = givenList(config, options);
    yield* this.#contract.list(given.config, given.options);
  }

  override async put(
    config: RunnableConfig,
    checkpoint: Checkpoint,
    metadata: CheckpointMetadata,
    newVersions?: ChannelVersions,
  ): Promise<RunnableConfig> {
    checkCheckpoint(checkpoint);
    checkMetadata(metadata);
    return this.#contract.put(config, checkpoint, metadata, newVersions ?? checkpoint.channel_versions);
  }

  override async putWrites(config: RunnableConfig, writes: PendingWrite[], taskId: string): Promise<void> {
    checkWrites(writes, taskId);
    return this.#contract.putWrites(config, writes, taskId);
  }

  /**
   * Removes a thread with everything that belongs to it, and does nothing where there is none. Copies
   * of it stay. `cleanUp` removes what may still be readable in the files of the storage.
   */
  override async deleteThread(threadId: string): Promise<void> {
    const id = givenThreadId(threadId);
    await this.#backend.delete(id);
    this.#log.forget(id);
  }

  /** Threads that hold something, the one that was written to last first. */
  async listThreads(options?: ListThreadsOptions | null): Promise<readonly ThreadRow[]> {
    const { limit, before } = givenOptions(options ?? {}, "listThreads");
    const count = givenCount(limit ?? 100, "The limit");
    return run(listThreads(this.#backend, count, givenPosition(before ?? undefined)));
  }

  /** Bytes that a thread takes, beside those of the whole database; undefined for an unknown thread. */
  async storageReport(threadId: string): Promise<SizesRow | undefined> {
    return this.#backend.sizes(givenThreadId(threadId));
  }

  /** The checkpoints of a thread's root graph in the order in which they were stored. Reads no channel. */
  async checkpoints(threadId: string): Promise<CheckpointInfo[]> {
    const id = givenThreadId(threadId);
    const { checkpointInfos } = await verbs();
    return run(checkpointInfos(this.#log, id));
  }

  /**
   * Copies a thread with all checkpoints, branches and pending writes, in one transaction. The copy
   * shares nothing with it, but `eraseMessage` follows from one to the other.
   *
   * @throws GraphError UNKNOWN_THREAD, or INVALID_CONFIGURATION when there is a thread `to` already
   */
  async copyThread(from: string, to: string): Promise<void> {
    const ids = [givenThreadId(from), givenNewThreadId(to)] as const;
    const { copyThread } = await verbs();
    await run(copyThread(this.#log, ...ids));
  }

  /**
   * Removes checkpoints of a thread that no option keeps, and the items that only they needed. Heads,
   * tips of branches, forks and pending interrupts stay in any case.
   *
   * @throws GraphError UNKNOWN_THREAD, INVALID_CONFIGURATION, or THREAD_CONFLICT while a run holds the
   *   thread
   * @example
   * await saver.prune("thread", { keepTurnBoundaries: true, maxAge: 7 * 86_400_000 });
   */
  async prune(threadId: string, options: PruneOptions): Promise<PruneReport> {
    const id = givenThreadId(threadId);
    const { prune, PRUNING } = await verbs();
    return run(prune(this.#log, id, knownOptions(options, "prune", PRUNING)));
  }

  /**
   * Takes what a message says out of its thread, out of copies and out of what the thread was copied
   * from: every revision, writes, inputs, other texts that quote 32 characters of it or more. A
   * tombstone with its id keeps its place. Call `cleanUp` then: until that the old bytes may still
   * stand in free space of the storage's files. What others said in words of their own is no quote:
   * `derived` follows the message into summaries, `texts` names what is too short for a quote. Where no
   * message has the id, whatever else has it, `threads` of the report is empty.
   *
   * @throws GraphError UNKNOWN_THREAD, INVALID_CONFIGURATION, or THREAD_CONFLICT while a run holds one
   *   of the threads; nothing was changed then, or the message says in which threads it was
   * @example
   * await saver.eraseMessage(config, "m7", { derived: summaryDerivations(), texts: ["4711"] });
   */
  async eraseMessage(
    config: RunnableConfig,
    messageId: string,
    given?: EraseOptions | null,
  ): Promise<EraseReport> {
    const options = given ?? {};
    const { threadId } = required(config, "erase a message");
    // everything without an id would be the message else
    const id = givenId(messageId, "The id of a message");
    const { eraseMessage } = await verbs();
    return run(eraseMessage(this.#log, threadId, id, options));
  }

  /** Removes what was deleted or erased from the files of the storage. Takes as long as copying them. */
  async cleanUp(): Promise<void> {
    await this.#backend.cleanUp();
  }

  /**
   * A thread as lines of JSON, line ends included.
   *
   * @throws GraphError UNKNOWN_THREAD, or THREAD_CONFLICT when part of it is removed meanwhile
   * @example
   * await pipeline(saver.exportThread("thread"), createWriteStream("thread.jsonl"));
   */
  exportThread(threadId: string): AsyncGenerator<string> {
    return this.#export(givenThreadId(threadId));
  }

  async *#export(threadId: string): AsyncGenerator<string> {
    const { exportThread } = await verbs();
    yield* exportThread(this.#log, threadId);
  }

  /**
   * Stores a thread that `exportThread` wrote, of this saver or of another one of this package.
   *
   * @throws GraphError INVALID_INPUT, STORAGE_NEWER, INVALID_CONFIGURATION when there is a thread with
   *   that id, or THREAD_CONFLICT when there is one by the time that the lines end; nothing was stored then
   */
  async importThread(
    lines: AsyncIterable<string | Uint8Array> | Iterable<string | Uint8Array>,
    options: ImportOptions = {},
  ): Promise<ImportReport> {
    const { importThread } = await verbs();
    return importThread(this.#log, lines, options);
  }

  /** Deletes threads that nobody wrote to for `ttl` milliseconds; gives their ids. */
  async sweep(options: SweepOptions): Promise<string[]> {
    return sweep(this.#log, options);
  }

  /** Sweeps every minute, or as told, until the function that it returns is called. */
  startSweeper(options: SweeperOptions): () => void {
    return startSweeper(this.#log, options);
  }

  /**
   * One page of a list or archive: by default of the history, else of the messages; the last page first.
   *
   * @throws GraphError INVALID_CONFIGURATION for a limit of 0, after which no page would come
   * @example
   * const { elements, before } = await saver.history(config, { limit: 50 });
   */
  async history(config: RunnableConfig, options: HistoryOptions): Promise<Page> {
    const place = required(config, "read a history");
    const { limit, before } = knownOptions(options, "history", PAGING);
    if (before !== undefined) givenCount(before, "before");
    return run(historyPage(this.#log, place, { ...options, limit: givenPageLimit(limit) }));
  }

  /**
   * Full-text search over the messages of a thread, and over the elements of its other lists unless
   * `channels` names those to search; best first. Words are found whatever their case and accents;
   * Chinese, Japanese, Korean and Thai from one character on. Nothing of a query is an operator.
   *
   * @example
   * const { hits, cursor } = await saver.search({ configurable: { thread_id: "t" } }, "東京 hotel");
   */
  async search(config: RunnableConfig, query: string, given?: SearchOptions | null): Promise<SearchPage> {
    const options = given ?? {};
    const text = givenText(query, "What is searched for");
    const place = required(config, "search");
    const { Search, SEARCHING } = await verbs();
    const search = (this.#search ??= new Search(this.#log));
    const asked = knownOptions(options, "search", SEARCHING);
    return this.#log.turns.take(place.threadId, () => run(search.search(place, text, asked)));
  }

  /**
   * Makes an earlier checkpoint, or the tip of another branch, the head of its thread. Nothing is lost.
   *
   * @throws GraphError UNKNOWN_THREAD, UNKNOWN_CHECKPOINT, or THREAD_CONFLICT while a run holds the thread
   */
  async moveHead(threadId: string, checkpointId: string): Promise<void> {
    const ids = [givenThreadId(threadId), givenId(checkpointId, "The id of a checkpoint")] as const;
    const { moveHead } = await verbs();
    await run(moveHead(this.#log, ...ids));
  }

  /**
   * Removes the branch that ends at a checkpoint, back to where it began.
   *
   * @throws GraphError UNKNOWN_THREAD, UNKNOWN_CHECKPOINT, THREAD_CONFLICT, or INVALID_CONFIGURATION when
   *   the head is on it or the checkpoint is no tip
   */
  async deleteBranch(threadId: string, tip: string): Promise<PruneReport> {
    const ids = [givenThreadId(threadId), givenId(tip, "The id of a checkpoint")] as const;
    const { deleteBranch } = await verbs();
    return run(deleteBranch(this.#log, ...ids));
  }

  /**
   * Takes a thread back, for who holds it: removes what was stored between its head and an earlier
   * checkpoint, which becomes the head. Other branches stay.
   *
   * @param claim - of the thread, made by `open` of this saver's change sets
   * @param checkpointId - undefined: to before everything
   * @param options - `unanswered`: the checkpoint is left with its questions as they were before the last
   *   answer, and without what came of that one, unless subgraphs have stored something under it. Default:
   *   false, all writes under it stay
   * @throws GraphError THREAD_CONFLICT when the claim was lost, UNKNOWN_CHECKPOINT when the head does not
   *   go back to that one; nothing was changed
   */
  async rewind(
    claim: Claim,
    checkpointId: string | undefined,
    options: { readonly unanswered?: boolean } = {},
  ): Promise<void> {
    const id = checkpointId === undefined ? undefined : givenId(checkpointId, "The id of a checkpoint");
    const { rewind } = await verbs();
    await run(rewind(this.#log, claim, id, options.unanswered === true));
  }

  /** Gives back the threads that runs of this saver still hold. */
  protected async releaseAll(): Promise<void> {
    await run(this.#log.releaseAll());
  }
}
