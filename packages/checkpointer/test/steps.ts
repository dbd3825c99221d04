import { CHANGE_SETS, type Awaitable, type ChannelChange, type Claim } from "../src/index.ts";
import type { Saver } from "./savers.ts";

/** Puts a checkpoint whose only channel is `n`, as LangGraph would. */
export async function putValue(
  saver: Saver,
  threadId: string,
  id: string,
  n: unknown,
  namespace = "",
): Promise<void> {
  await saver.put(
    { configurable: { thread_id: threadId, checkpoint_ns: namespace } },
    {
      v: 4,
      id,
      ts: "2026-01-01T00:00:00.000Z",
      channel_values: { n },
      channel_versions: { n: 1 },
      versions_seen: {},
    },
    { source: "update", step: 0, parents: {} },
    { n: 1 },
  );
}

/** Commits a checkpoint whose only channel is `n`, as Skein's engine would. */
export function commitValue(
  saver: Saver,
  claim: Claim,
  id: string,
  parentId: string | undefined,
  n: unknown = id,
): Awaitable<void> {
  return commitChannels(saver, claim, id, parentId, { n: { op: "set", value: n } });
}

/** Commits a checkpoint with what is said of its channels, of one version. */
export function commitChannels(
  saver: Saver,
  claim: Claim,
  id: string,
  parentId: string | undefined,
  channels: Readonly<Record<string, ChannelChange>>,
  { namespace = "", version = 1 }: { readonly namespace?: string; readonly version?: number } = {},
): Awaitable<void> {
  return saver[CHANGE_SETS].commit(claim, {
    namespace,
    parentId,
    expectedHead: parentId,
    checkpoint: {
      id,
      ts: "2026-01-01T00:00:00.000Z",
      metadata: { source: "loop", step: 0, parents: {} },
      channelVersions: Object.fromEntries(Object.keys(channels).map((channel) => [channel, version])),
      versionsSeen: {},
    },
    channels: new Map(Object.entries(channels)),
    writes: [],
  });
}
