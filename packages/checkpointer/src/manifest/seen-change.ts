import { type Folded, seenPairs } from "./fold.ts";
import { type ChannelVersion, type Flat, pairsOf } from "./manifest.ts";
import { TRIGGER } from "./trigger.ts";

/** What has to be said of all versions that a node has seen, so that `folded` says the same; undefined: nothing. */
export function seenChange(
  folded: Folded,
  node: string,
  seen: Readonly<Record<string, ChannelVersion>>,
): number | Flat<ChannelVersion | null> | undefined {
  const old = folded.seen.get(node);
  const channels = Object.keys(seen);
  const [first] = channels;
  if (channels.length === 1 && isTrigger(node, first as string) && typeof (old ?? 0) === "number") {
    const version = seen[first as string];
    if (old === version) return undefined;
    if (typeof version === "number" && version > 0) return version;
  }
  const known = old === undefined ? undefined : new Map(pairsOf(seenPairs(node, old)));
  const pairs: (ChannelVersion | null)[] = [];
  for (const channel of channels) {
    const version = seen[channel] as ChannelVersion;
    if (known?.get(channel) !== version) pairs.push(channel, version);
  }
  for (const channel of known?.keys() ?? []) if (!Object.hasOwn(seen, channel)) pairs.push(channel, null);
  return pairs.length > 0 || old === undefined ? pairs : undefined;
}

const isTrigger = (node: string, channel: string): boolean =>
  channel.length === TRIGGER.length + node.length && channel.startsWith(TRIGGER) && channel.endsWith(node);
