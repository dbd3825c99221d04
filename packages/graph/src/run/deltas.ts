import type {
  BaseCheckpointSaver as Saver,
  CheckpointMetadata,
  DeltaChannelHistory,
} from "@langchain/langgraph-checkpoint";
import type { Awaitable } from "@skein/checkpointer";
import type { BaseChannel } from "../channels/base.ts";
import { deltaHistories, isSnapshotDue } from "../channels/checkpoints.ts";
import type { Snapshot } from "../engine/snapshot.ts";
import type { Program } from "../program/program.ts";
import { decodeStoredWrite } from "./codec.ts";
import { saverConfigOf } from "./config-of.ts";
import type { Address } from "./storage.ts";

/** Updates, and supersteps, since a channel was last stored as a whole. */
export type DeltaCounters = Record<string, [updates: number, steps: number]>;

export function countersOf(metadata: CheckpointMetadata | undefined): DeltaCounters {
  return metadata?.counters_since_delta_snapshot ?? {};
}

/** Writes the counters that are not zero into the metadata. */
export function noteCounters(metadata: CheckpointMetadata, counters: DeltaCounters): void {
  const some = Object.entries(counters).filter(([, [updates, steps]]) => updates + steps > 0);
  if (some.length > 0) metadata.counters_since_delta_snapshot = Object.fromEntries(some);
  else delete metadata.counters_since_delta_snapshot;
}

/** The counters after a step. */
export function countStep(before: DeltaCounters, snapshot: Snapshot): DeltaCounters {
  const names = snapshot.program.replayed ?? [];
  return Object.fromEntries(
    names.map((name) => {
      const [updates, steps] = before[name] ?? [0, 0];
      return [name, [updates + (snapshot.updated?.has(name) ? 1 : 0), steps + 1]];
    }),
  );
}

/**
 * Names of the channels that a checkpoint is to hold as a whole.
 *
 * @param unreplayable - whether a replay to this checkpoint would not give the channel's value
 */
export function wholes(
  snapshot: Snapshot,
  counters: DeltaCounters,
  unreplayable: (name: string) => boolean,
): Set<string> {
  const due = (name: string): boolean => {
    const channel = snapshot.slot(name)?.channel;
    if (channel === undefined || !channel.isAvailable()) return false;
    const [updates, steps] = counters[name] ?? [0, 0];
    return isSnapshotDue(channel, updates, steps) || channel.overwritten || unreplayable(name);
  };
  return new Set((snapshot.program.replayed ?? []).filter(due));
}

/** A live channel of what a saver found of it. */
export function replayed(definition: BaseChannel, { seed, writes }: DeltaChannelHistory): BaseChannel {
  return definition.replay(
    seed,
    writes.map(([, , write]) => decodeStoredWrite(definition, write)),
  );
}

export type DeltaHistories = Readonly<Record<string, DeltaChannelHistory>>;

/** The writes to replay for the channels that a checkpoint does not hold, though they were written. */
export function loadHistories(
  saver: Saver,
  program: Program,
  address: Address,
  found: { readonly id: string; readonly versions: object; readonly holds: (name: string) => boolean },
): Awaitable<DeltaHistories> {
  const channels = (program.replayed ?? []).filter(
    (name) => !found.holds(name) && Object.hasOwn(found.versions, name),
  );
  if (channels.length === 0) return {};
  return deltaHistories(saver, { config: saverConfigOf({ ...address, checkpointId: found.id }), channels });
}
