import type { RunnableConfig } from "@langchain/core/runnables";
import { v6 } from "@langchain/core/utils/uuid";
import type { Checkpoint, ReadonlyCheckpoint } from "@langchain/langgraph-checkpoint";
import { isoTime } from "./iso-time.ts";

/** Channel of pending `Send`s. */
export const TASKS = "__pregel_tasks";

/** Channel of an input, whose keys are channels. */
export const INPUT = "__start__";

/** Slots of the writes that are signals: below 0, so that none takes the slot of a regular write. */
export const SIGNAL_SLOTS: ReadonlyMap<string, number> = new Map([
  ["__error__", -1],
  ["__scheduled__", -2],
  ["__interrupt__", -3],
  ["__resume__", -4],
]);

/** Under this id stands what a command writes. */
export const NULL_TASK = "00000000-0000-0000-0000-000000000000";

type Version = number | string;

/**
 * A new id of a checkpoint, a UUID of version 6. Those of one process sort in the order in which they
 * were made.
 *
 * @param step - stands in the clock sequence, as in LangGraph; it does not decide the order
 */
export function newCheckpointId(step: number): string {
  const id = v6();
  const sequence = (0x8000 | (step & 0x3fff)).toString(16);
  return `${id.slice(0, 19)}${sequence}${id.slice(23)}`;
}

/** A checkpoint of format v4 with nothing in it. */
export function emptyCheckpoint(): Checkpoint {
  return {
    v: 4,
    id: newCheckpointId(0),
    ts: isoTime(Date.now()),
    channel_values: {},
    channel_versions: {},
    versions_seen: {},
  };
}

/** A checkpoint whose records are its own; the values of the channels are the same objects. */
export function copyCheckpoint(checkpoint: ReadonlyCheckpoint): Checkpoint {
  const { v, id, ts, channel_values: values, channel_versions: versions, versions_seen: seen } = checkpoint;
  return {
    v,
    id,
    ts,
    channel_values: { ...values },
    channel_versions: { ...versions },
    versions_seen: Object.fromEntries(Object.entries(seen ?? {}).map(([node, of]) => [node, { ...of }])),
  };
}

/** The checkpoint that a config names; "" for one that names none. `thread_ts` is its name of old. */
export function checkpointIdOf(config: RunnableConfig): string {
  const { checkpoint_id: id, thread_ts: old } = (config.configurable ?? {}) as Record<string, unknown>;
  return String(id || old || "");
}

/** The highest of some versions, numbers or texts; undefined for none. */
export function highestVersion<V extends Version>(versions: readonly V[]): V | undefined {
  const isAbove = (a: Version, b: Version): boolean =>
    typeof a === "number" && typeof b === "number" ? a > b : String(a).localeCompare(String(b)) > 0;
  let highest: V | undefined;
  for (const version of versions) if (highest === undefined || isAbove(version, highest)) highest = version;
  return highest;
}
