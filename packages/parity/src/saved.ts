import type {
  ChannelVersions,
  CheckpointTuple,
  CheckpointPendingWrite,
} from "@langchain/langgraph-checkpoint";
import { type Ids, isUuid, type Plain, plain, sortedBy } from "./normalise.ts";

const NULL_TASK = "00000000-0000-0000-0000-000000000000";

/**
 * Checkpoints as they stand in a saver, without what is not part of the contract: numbers of
 * versions (docs/decisions/2026-11-21-one-version-per-step.md), copies of an answer that no task
 * reads (docs/decisions/2026-11-21-answers-are-saved-with-their-task.md), and commands to the parent
 * as errors (docs/decisions/2026-11-21-parent-command-is-no-error.md).
 */
export function plainCheckpoints(tuples: readonly CheckpointTuple[], ids: Ids): Plain {
  const ranks = ranksOf(tuples);
  return byNamespace(tuples, ids).map((tuple) => plainTuple(tuple, ranks(tuple), ids));
}

const namespaceOf = ({ config }: CheckpointTuple): string => String(config.configurable?.["checkpoint_ns"]);

/**
 * Namespaces of parallel subgraphs interleave by time; within one, the order is the contract. Two
 * that a node was sent to differ by an id only: what stands in them orders them.
 */
function byNamespace(tuples: readonly CheckpointTuple[], ids: Ids): CheckpointTuple[] {
  const groups = [...new Set(tuples.map(namespaceOf))].map((namespace) => ({
    namespace,
    own: tuples.filter((tuple) => namespaceOf(tuple) === namespace),
  }));
  return sortedBy(groups, ({ namespace, own }) => {
    const values = own.map(({ checkpoint }) => plain(checkpoint.channel_values));
    return `${ids.masked(namespace)} ${ids.masked(values)}`;
  }).flatMap(({ own }) => own);
}

/** Of a checkpoint: of each channel, its versions in order, as far as the checkpoint descends from them. */
type Ranks = ReadonlyMap<string, readonly (string | number)[]>;
type Versions = ReadonlyMap<string, ReadonlySet<string | number>>;

/** Branches count their versions apart: only along one line of descent do they have an order. */
function ranksOf(tuples: readonly CheckpointTuple[]): (tuple: CheckpointTuple) => Ranks {
  const byPlace = new Map(tuples.map((tuple) => [placeOf(tuple.config), tuple]));
  const known = new Map<CheckpointTuple, Versions>();
  const versionsOf = (tuple: CheckpointTuple): Versions => {
    const found = known.get(tuple);
    if (found !== undefined) return found;
    const named = tuple.parentConfig && byPlace.get(placeOf(tuple.parentConfig));
    // a run of durability exit that made no step stores LangGraph's checkpoint as its own parent
    const parent = named === tuple ? undefined : named;
    const versions = new Map(parent === undefined ? [] : versionsOf(parent));
    const { channel_versions, versions_seen } = tuple.checkpoint;
    for (const some of [channel_versions, ...Object.values(versions_seen)]) {
      for (const [channel, version] of Object.entries(some)) {
        versions.set(channel, new Set([...(versions.get(channel) ?? []), version]));
      }
    }
    known.set(tuple, versions);
    return versions;
  };
  return (tuple) =>
    new Map(
      [...versionsOf(tuple)].map(([channel, found]) => [
        channel,
        [...found].sort((a, b) => (a < b ? -1 : 1)),
      ]),
    );
}

const placeOf = ({ configurable }: CheckpointTuple["config"]): string =>
  JSON.stringify([configurable?.["checkpoint_ns"], configurable?.["checkpoint_id"]]);

function plainTuple(tuple: CheckpointTuple, ranks: Ranks, ids: Ids): Plain {
  const ranked = (versions: ChannelVersions): ChannelVersions =>
    Object.fromEntries(
      Object.entries(versions).map(([channel, version]) => [
        channel,
        1 + (ranks.get(channel) ?? []).indexOf(version),
      ]),
    );
  const { channel_versions, versions_seen, ...checkpoint } = tuple.checkpoint;
  return {
    config: plain(tuple.config),
    checkpoint: plain(checkpoint),
    channel_versions: plain(ranked(channel_versions)),
    versions_seen: plain(
      Object.fromEntries(Object.entries(versions_seen).map(([node, seen]) => [node, ranked(seen)])),
    ),
    metadata: plain(tuple.metadata),
    parent: plain(tuple.parentConfig),
    writes: plainWrites(
      (tuple.pendingWrites ?? []).filter((write) => isRead(write, namespaceOf(tuple))).map(withoutMark),
      ids,
    ),
  };
}

/**
 * Whether a task reads a write: not so an answer under an interrupt's id, a subgraph's copy of one,
 * or the "error" with which a command left for the parent.
 */
function isRead([task, channel, value]: CheckpointPendingWrite, namespace: string): boolean {
  if (channel === "__error__") return (value as { name?: unknown } | undefined)?.name !== "ParentCommand";
  if (channel !== "__resume__") return true;
  return /^[0-9a-f]{32}$/.test(task) ? false : task !== NULL_TASK || namespace === "";
}

/** A question without the mark that a command has answered it (docs/decisions/2026-11-23-what-is-stored.md). */
function withoutMark(write: CheckpointPendingWrite): CheckpointPendingWrite {
  const [task, channel, value] = write;
  if (channel !== "__interrupt__") return write;
  const { answered: _, ...question } = value as { answered?: unknown };
  return [task, channel, question];
}

/** A task's own writes are in order; which task finished first is not part of the contract. */
function plainWrites(writes: readonly CheckpointPendingWrite[], ids: Ids): Plain {
  const byTask = new Map<string, CheckpointPendingWrite[]>();
  for (const write of writes) byTask.set(write[0], [...(byTask.get(write[0]) ?? []), write]);
  // LangGraph notes that a task wrote nothing only where no answer stands for it
  const compared = [...byTask.values()].map((task) =>
    task.some(([, channel]) => channel === "__resume__")
      ? task.filter(([, channel]) => channel !== "__no_writes__")
      : task,
  );
  return sortedBy(
    compared.map((writes) => withoutMadeUpIds(plain(writes))),
    (task) => ids.masked(task),
  );
}

/**
 * Without ids that an engine gave to messages: ours stand in the write already, theirs only in the
 * list (docs/decisions/2026-11-21-message-ids-when-recorded.md). Ids that programs gave stay.
 */
function withoutMadeUpIds(value: Plain): Plain {
  if (Array.isArray(value)) return value.map(withoutMadeUpIds);
  if (value === null || typeof value !== "object") return value;
  const madeUp = "$message" in value && isUuid(value["id"]);
  const kept = Object.entries(value).filter(([key]) => !(madeUp && key === "id"));
  return Object.fromEntries(kept.map(([key, field]) => [key, withoutMadeUpIds(field)]));
}
