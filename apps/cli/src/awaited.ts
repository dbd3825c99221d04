import type { StoredCheckpoint } from "@skein/checkpointer";

/** What starts a node, in LangGraph's threads as in ours. */
const TRIGGER = "branch:to:";

/**
 * The nodes that a checkpoint says are next, whoever has them: those whose trigger is there and newer than
 * what they have seen. A graph without a node cannot tell that it is one of them.
 */
export function awaitedNodes({ channels, channelVersions, versionsSeen }: StoredCheckpoint): string[] {
  return [...channels.keys()].flatMap((channel) => {
    if (!channel.startsWith(TRIGGER)) return [];
    const node = channel.slice(TRIGGER.length);
    const version = channelVersions[channel];
    const seen = versionsSeen[node]?.[channel];
    return version !== undefined && (seen === undefined || version > seen) ? [node] : [];
  });
}
