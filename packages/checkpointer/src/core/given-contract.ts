import type { RunnableConfig } from "@langchain/core/runnables";
import type { Checkpoint, CheckpointListOptions, PendingWrite } from "@langchain/langgraph-checkpoint";
import { GraphError, shown } from "@skein/errors";
import { givenCount } from "./given.ts";

/** What `list` is told; null in it is as if it were not there. @throws GraphError INVALID_CONFIGURATION */
export function givenList(
  config: unknown,
  options: CheckpointListOptions | null | undefined,
): { readonly config: RunnableConfig; readonly options: CheckpointListOptions } {
  if (!isObject(config)) throw wrong("list", "a config, {} for the checkpoints of all threads", config);
  const { limit, before, filter } = options ?? {};
  const given: CheckpointListOptions = {};
  if (limit !== undefined && limit !== null) given.limit = givenCount(limit, "The limit");
  if (before !== undefined && before !== null) {
    if (!isObject(before)) throw wrong("list", "a config of a checkpoint as before", before);
    given.before = before;
  }
  if (filter !== undefined && filter !== null) {
    if (!isObject(filter)) throw wrong("list", "an object of metadata as filter", filter);
    given.filter = filter;
  }
  return { config, options: given };
}

/** @throws GraphError INVALID_CONFIGURATION for what is no checkpoint */
export function checkCheckpoint(checkpoint: Checkpoint): void {
  if (
    isObject(checkpoint) &&
    typeof checkpoint.id === "string" &&
    checkpoint.id !== "" &&
    isObject(checkpoint.channel_values) &&
    isObject(checkpoint.channel_versions)
  ) {
    const { v, ts, versions_seen: seen } = checkpoint as Partial<Checkpoint>;
    // older writers left these out
    if (v !== undefined && typeof v !== "number") throw wrong("put", "a number as the checkpoint's v", v);
    if (ts !== undefined && typeof ts !== "string")
      throw wrong("put", "an ISO date as the checkpoint's ts", ts);
    if (seen !== undefined && !isObject(seen)) throw wrong("put", "an object as versions_seen", seen);
    return;
  }
  throw wrong("put", "a checkpoint with id, channel_values and channel_versions", checkpoint);
}

/** @throws GraphError INVALID_CONFIGURATION for what are no metadata */
export function checkMetadata(metadata: unknown): void {
  if (!isObject(metadata)) throw wrong("put", "the metadata of a checkpoint", metadata);
}

/** @throws GraphError INVALID_CONFIGURATION for what are no writes of a task */
export function checkWrites(writes: readonly PendingWrite[], taskId: string): void {
  if (!Array.isArray(writes) || !writes.every(Array.isArray))
    throw wrong("putWrites", "a list of [channel, value]", writes);
  if (typeof taskId !== "string") throw wrong("putWrites", "the id of a task", taskId);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function wrong(verb: string, wanted: string, given: unknown): GraphError {
  return new GraphError(
    "INVALID_CONFIGURATION",
    `${verb}() takes ${wanted}; ${shown(given)} was given. Nothing was changed.`,
  );
}
