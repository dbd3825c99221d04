import type { KnownMap } from "./known-map.ts";
import type { Draft } from "./plan.ts";
import { SparseMap, type ReadonlySparseMap } from "./sparse-map.ts";
import type { NamespaceState, Snapshot, StoredValue } from "./state.ts";
import type { TakenChange } from "./taken.ts";
import { textOf } from "./write-rows.ts";

export const NO_VALUES: ReadonlySparseMap<string, StoredValue> = new SparseMap();
export const NO_MAPS: ReadonlySparseMap<string, KnownMap> = new SparseMap();

/** What a change set asks to be appended. Writes of tasks that were recorded before are not stored again. */
export function draftOf(
  space: NamespaceState,
  parent: Snapshot | undefined,
  basis: Snapshot | undefined,
  change: TakenChange,
): Draft {
  const onHead = basis === undefined && (parent?.seq ?? null) === space.head;
  const already = parent === undefined ? undefined : space.recorded.get(parent.seq);
  const { id, ts, metadata, channelVersions, versionsSeen } = change.checkpoint;
  return {
    id,
    ts,
    metadata,
    parent,
    parentId: change.parentId,
    basis,
    onHead,
    channels: change.channels,
    channelVersions,
    versionsSeen,
    writes:
      already === undefined
        ? change.writes
        : change.writes.filter((task) => !already.has(textOf(task.taskId))),
    recorded: already === undefined ? [] : [...already.values()],
    values: onHead ? space.values : NO_VALUES,
    maps: onHead ? space.maps : NO_MAPS,
    told: change.told,
  };
}
