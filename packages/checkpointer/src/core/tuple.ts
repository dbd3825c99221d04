import type {
  ChannelVersions,
  Checkpoint,
  CheckpointMetadata,
  CheckpointTuple,
} from "@langchain/langgraph-checkpoint";
import type { RunnableConfig } from "@langchain/core/runnables";
import { highestVersion, TASKS } from "../base/checkpoint.ts";
import { setOwn } from "../codec/own.ts";
import { run, wait, type Steps } from "../awaitable.ts";
import type { ItemLog } from "./item-log.ts";
import { configOf, type Place } from "./places.ts";
import { setLazily } from "./records.ts";
import { seenPairs } from "../manifest/fold.ts";
import { pairsOf } from "../manifest/manifest.ts";
import type { Snapshot, ThreadState } from "./state.ts";
import { entryValue } from "./stored.ts";

/**
 * A stored checkpoint as the contract gives it, complete.
 *
 * @param asked - a config that named the checkpoint is given back as it is
 */
export function* tupleOf(
  log: ItemLog,
  state: ThreadState,
  { threadId, namespace, checkpointId }: Place,
  nsid: number,
  snapshot: Snapshot,
  asked?: RunnableConfig,
): Steps<CheckpointTuple> {
  const { codec } = log;
  const reader = log.reader(state, { nsid, id: snapshot.id });
  const checkpoint: Checkpoint = {
    v: snapshot.folded.format,
    id: snapshot.id,
    ts: snapshot.ts,
    channel_values: {},
    channel_versions: {},
    versions_seen: {},
  };
  for (const [channel, entry] of snapshot.folded.entries) {
    if (entry.kind === "log" && log.backend.synchronous === true) {
      setLazily(checkpoint.channel_values, channel, () => run(entryValue(entry, codec, reader)));
    } else setOwn(checkpoint.channel_values, channel, yield* entryValue(entry, codec, reader));
  }
  for (const [channel, version] of snapshot.folded.versions)
    setOwn(checkpoint.channel_versions, channel, version);
  for (const [node, seen] of snapshot.folded.seen) {
    const versions: ChannelVersions = {};
    for (const [channel, version] of pairsOf(seenPairs(node, seen))) setOwn(versions, channel, version);
    setOwn(checkpoint.versions_seen, node, versions);
  }
  if (checkpoint.v < 4) yield* addPendingSends(log, state, nsid, snapshot, checkpoint);
  const pendingWrites = yield* reader.writes(nsid, snapshot.seq);
  const tuple: CheckpointTuple = {
    config:
      checkpointId !== undefined && asked !== undefined ? asked : configOf(threadId, namespace, snapshot.id),
    checkpoint,
    metadata: codec.decode(snapshot.metadata) as CheckpointMetadata,
    pendingWrites,
  };
  if (snapshot.parentId !== undefined) tuple.parentConfig = configOf(threadId, namespace, snapshot.parentId);
  return tuple;
}

/** Before format 4, what was sent in a step stood in the writes of the parent only. */
function* addPendingSends(
  log: ItemLog,
  state: ThreadState,
  nsid: number,
  snapshot: Snapshot,
  checkpoint: Checkpoint,
): Steps<void> {
  if (snapshot.parentId === undefined) return;
  const parent = yield* wait(log.backend.locate(nsid, snapshot.parentId));
  if (parent === undefined) return;
  const writes = yield* log.reader(state).writes(nsid, parent);
  const sends = writes.filter(([, channel]) => channel === TASKS).map(([, , value]) => value);
  const versions = Object.values(checkpoint.channel_versions);
  checkpoint.channel_values[TASKS] = sends;
  checkpoint.channel_versions[TASKS] = highestVersion(versions) ?? 1;
}
