import type { RunnableConfig } from "@langchain/core/runnables";
import type {
  BaseCheckpointSaver,
  Checkpoint,
  CheckpointTuple,
  PendingWrite,
} from "@langchain/langgraph-checkpoint";
import { GraphError, shown } from "@skein/errors";
import { CHANGE_SETS, OWN_CONTRACT } from "../changeset/types.ts";
import type { Codec } from "../codec/types.ts";
import { givenNewThreadId, givenOptions, givenThreadId } from "../core/given.ts";
import { requireSaver } from "../core/given-saver.ts";
import type { ItemLog } from "../core/item-log.ts";
import { ItemLogSaver } from "../core/saver.ts";
import { MemorySaver } from "../memory/index.ts";
import { changedVersions, CopiedStates } from "./copied-states.ts";
import { Interned } from "./interned.ts";

/** What is copied, and under which id. */
export interface MigrateOptions {
  /** Id of the thread in the saver that it is copied from. */
  readonly threadId: string;
  /** Id of the thread in the other saver. Default: the same. */
  readonly as?: string;
  /**
   * Told after every checkpoint that was taken over; between two savers of this package
   * once, at the end. Default: nobody.
   */
  readonly onProgress?: (progress: MigrateProgress) => void;
}

/** How far a migration is. */
export interface MigrateProgress {
  /** How many were taken over. */
  readonly checkpoints: number;
  /** How many there are. */
  readonly of: number;
}

/**
 * Copies a thread from any LangGraph checkpointer to another, oldest checkpoint first, with its
 * branches, subgraphs and pending writes. If it fails, nothing of it stays. A saver of this package shows
 * the thread when all of it is stored, so a migration whose process is killed can be done again; in
 * another saver, what was stored until then stays, and has to be deleted first. What comes from another
 * saver is in memory until it is whole, each message once.
 *
 * @throws GraphError UNKNOWN_THREAD when `from` has none with that id; INVALID_CONFIGURATION when
 *   `to` has one already; STORAGE_CORRUPT when `from` gives something that is no checkpoint
 * @example
 * await migrateThread(LangGraphSaver.fromConnString("old.db"), SqliteSaver.fromConnString("new.db"), { threadId: "t" });
 */
export async function migrateThread(
  from: BaseCheckpointSaver,
  to: BaseCheckpointSaver,
  options: MigrateOptions,
): Promise<MigrateProgress> {
  requireSaver(from);
  requireSaver(to);
  const { onProgress } = givenOptions(options, "migrateThread");
  const threadId = givenThreadId(options.threadId);
  const given: unknown = options.as ?? undefined;
  const as = given === undefined ? threadId : givenNewThreadId(given);
  if (isOwn(from) && isOwn(to)) {
    const { checkpoints } = await to.importThread(from.exportThread(threadId), { as });
    onProgress?.({ checkpoints, of: checkpoints });
    return { checkpoints, of: checkpoints };
  }
  const listed = await checkpointsOf(from, threadId);
  const of = listed.length;
  if (of === 0) {
    throw new GraphError(
      "UNKNOWN_THREAD",
      `The saver to migrate from has no thread "${threadId}". Nothing was changed; check the id and the saver.`,
      { details: { threadId } },
    );
  }
  if ((await to.getTuple({ configurable: { thread_id: as } })) !== undefined) {
    throw new GraphError(
      "INVALID_CONFIGURATION",
      `There is a thread "${as}" already in the saver to migrate to; nothing was changed. Give another id, or delete that thread first.`,
      { details: { threadId: as } },
    );
  }
  const copy: Copy = { from, as, listed, onProgress };
  return {
    checkpoints: await (isOwn(to) ? copyWhole(to, copy) : copyInPlace(to, copy)),
    of,
  };
}

/** Whether it is a saver of ours that nobody stands before, who would see or change what passes. */
function isOwn(saver: BaseCheckpointSaver): saver is ItemLogSaver {
  return saver instanceof ItemLogSaver && saver[OWN_CONTRACT] === saver;
}

/** The codec of a saver of ours, also of one that somebody stands before. */
function codecOf(saver: BaseCheckpointSaver): Codec | undefined {
  return saver instanceof ItemLogSaver ? (saver[CHANGE_SETS] as ItemLog).codec : undefined;
}

/** A checkpoint of the thread that is copied. */
type Listed = Pick<CheckpointTuple, "config" | "parentConfig">;

const namespaceOf = ({ configurable }: RunnableConfig): string =>
  String(configurable?.["checkpoint_ns"] ?? "");
const parentOf = (parentConfig: RunnableConfig | undefined): unknown =>
  parentConfig?.configurable?.["checkpoint_id"];

interface Copy {
  readonly from: BaseCheckpointSaver;
  readonly as: string;
  readonly listed: readonly Listed[];
  readonly onProgress: MigrateOptions["onProgress"];
}

/** Checkpoints that are put become visible one by one: they are put together elsewhere, and imported. */
async function copyWhole(to: ItemLogSaver, copy: Copy): Promise<number> {
  const { codec } = to[CHANGE_SETS] as ItemLog;
  const whole = new MemorySaver({ codec });
  const checkpoints = await copyAll(whole, copy);
  await to.importThread(whole.exportThread(copy.as));
  return checkpoints;
}

async function copyInPlace(to: BaseCheckpointSaver, copy: Copy): Promise<number> {
  try {
    return await copyAll(to, copy);
  } catch (error) {
    // half a thread would be taken for the whole one, and stand in the way of the next attempt
    await to.deleteThread(copy.as).catch(() => {});
    throw error;
  }
}

/** @returns how many were there */
async function copyAll(to: BaseCheckpointSaver, { from, as, listed, onProgress }: Copy): Promise<number> {
  const interned = new Interned(codecOf(to) ?? codecOf(from));
  const states = new CopiedStates();
  for (const { config, parentConfig } of listed) states.expect(namespaceOf(config), parentOf(parentConfig));
  let checkpoints = 0;
  for (const { config, parentConfig } of listed) {
    const tuple = await from.getTuple(config);
    if (tuple === undefined) {
      // removed meanwhile: what it followed is not kept for it
      states.take(namespaceOf(config), parentOf(parentConfig));
      continue;
    }
    requireCheckpoint(tuple);
    await copyCheckpoint(to, as, tuple, interned, states);
    checkpoints += 1;
    onProgress?.({ checkpoints, of: listed.length });
  }
  return checkpoints;
}

/** LangGraph's serializer stores a text in the place of a whole checkpoint that it cannot print. */
function requireCheckpoint({ config, checkpoint }: CheckpointTuple): void {
  const { channel_values: values, channel_versions: versions } = Object(checkpoint) as Partial<Checkpoint>;
  if (typeof values === "object" && typeof versions === "object") return;
  const { thread_id: threadId, checkpoint_id: checkpointId } = config.configurable ?? {};
  throw new GraphError(
    "STORAGE_CORRUPT",
    `Checkpoint "${String(checkpointId)}" of thread "${String(threadId)}" is none: the saver to migrate from gives ${shown(checkpoint)}. LangGraph's savers store that for a state that they cannot print, such as one with a bigint. Nothing was changed; delete that checkpoint there, or migrate from a backup.`,
    { details: { threadId, checkpointId } },
  );
}

/** All checkpoints, in the order of their ids: a parent comes before its children. */
async function checkpointsOf(saver: BaseCheckpointSaver, threadId: string): Promise<Listed[]> {
  const found: (Listed & { readonly id: string })[] = [];
  for await (const { config, parentConfig } of saver.list({ configurable: { thread_id: threadId } })) {
    // who puts a tenant before the id does so again when it is asked for
    const configurable = { ...config.configurable, thread_id: threadId };
    const id = String(config.configurable?.["checkpoint_id"]);
    found.push({ id, config: { ...config, configurable }, ...(parentConfig && { parentConfig }) });
  }
  return found.sort((a, b) => (a.id < b.id ? -1 : 1));
}

async function copyCheckpoint(
  to: BaseCheckpointSaver,
  threadId: string,
  { config, checkpoint, metadata, parentConfig, pendingWrites }: CheckpointTuple,
  interned: Interned,
  states: CopiedStates,
): Promise<void> {
  const [namespace, parent] = [namespaceOf(config), parentOf(parentConfig)];
  const place = { thread_id: threadId, checkpoint_ns: namespace };
  const before = states.take(namespace, parent);
  const values = interned.values(namespace, checkpoint.channel_values, before.values);
  const state = { versions: checkpoint.channel_versions, values };
  states.add(namespace, checkpoint.id, state);
  await to.put(
    { configurable: { ...place, ...(parent === undefined ? {} : { checkpoint_id: parent }) } },
    { ...checkpoint, channel_values: values },
    metadata ?? { source: "update", step: -1, parents: {} },
    changedVersions(before, state),
  );
  const tasks = new Map<string, PendingWrite[]>();
  for (const [task, channel, value] of pendingWrites ?? []) {
    tasks.set(task, [...(tasks.get(task) ?? []), [channel, interned.value(namespace, channel, value)]]);
  }
  const stored = { configurable: { ...place, checkpoint_id: checkpoint.id } };
  for (const [task, writes] of tasks) await to.putWrites(stored, writes, task);
}
