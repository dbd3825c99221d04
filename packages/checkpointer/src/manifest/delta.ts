import { seenPairs, type ChannelVersion, type Entry, type Folded, type Manifest } from "./manifest.ts";
import { oneVersion } from "./text.ts";
import { ofTrigger, TRIGGER, triggerOf } from "./trigger.ts";

/** Names, each followed by what is said of it. */
export type Flat<Said> = readonly (string | Said)[];

/**
 * A manifest as a commit makes it and memory keeps it, flat: maps take ten times the memory, and text
 * takes as long to write as the rest of a step.
 */
export interface Delta {
  readonly entries: Flat<Entry | null>;
  /** One number where all of these channels got it (I1), else each channel's. */
  readonly versions: number | Flat<ChannelVersion | null>;
  /** A number is the version of the node's own trigger, where no other pair changed. */
  readonly seen: Flat<number | Flat<ChannelVersion | null> | null>;
  readonly format: number | undefined;
}

/** Applies a delta, in place. */
export function applyFlat(folded: Folded, { entries, versions, seen, format }: Delta): void {
  mergeFlat(folded.entries, entries);
  if (typeof versions !== "number") mergeFlat(folded.versions, versions);
  else for (let i = 0; i < entries.length; i += 2) folded.versions.set(entries[i] as string, versions);
  for (let i = 0; i < seen.length; i += 2) {
    const node = seen[i] as string;
    const said = seen[i + 1] as number | Flat<ChannelVersion | null> | null;
    const old = folded.seen.get(node);
    if (said === null) folded.seen.delete(node);
    else if (typeof said === "number" && typeof (old ?? 0) === "number") folded.seen.set(node, said);
    else {
      const pairs = new Map(old === undefined ? [] : seenPairs(node, old));
      if (typeof said === "number") pairs.set(triggerOf(node), said);
      else mergeFlat(pairs, said);
      folded.seen.set(node, pairs);
    }
  }
  folded.format = format ?? 4;
}

function mergeFlat<Said>(into: Map<string, Said>, flat: Flat<Said | null>): void {
  for (let i = 0; i < flat.length; i += 2) {
    const said = flat[i + 1] as Said | null;
    if (said === null) into.delete(flat[i] as string);
    else into.set(flat[i] as string, said);
  }
}

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
  const known = old === undefined ? undefined : seenPairs(node, old);
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

export function manifestOf({ entries, versions, seen, format }: Delta): Manifest {
  const pairs = new Map<string, ReadonlyMap<string, ChannelVersion | null> | null>();
  for (let i = 0; i < seen.length; i += 2) {
    const said = seen[i + 1] as number | Flat<ChannelVersion | null> | null;
    const node = seen[i] as string;
    pairs.set(node, said === null ? null : typeof said === "number" ? seenPairs(node, said) : mapOf(said));
  }
  const manifest = {
    entries: mapOf<Entry | null>(entries),
    versions:
      typeof versions === "number" ? mapOf(entries, versions) : mapOf<ChannelVersion | null>(versions),
    seen: pairs,
  };
  return format === undefined ? manifest : { ...manifest, format };
}

/** @param all - what is said of each name, in the place of what stands there */
function mapOf<Said>(flat: Flat<unknown>, all?: Said): Map<string, Said> {
  const map = new Map<string, Said>();
  for (let i = 0; i < flat.length; i += 2) map.set(flat[i] as string, all ?? (flat[i + 1] as Said));
  return map;
}

export function deltaOf(manifest: Manifest): Delta {
  const { entries, versions, seen, format } = manifest;
  const flatSeen: (string | number | Flat<ChannelVersion | null> | null)[] = [];
  for (const [node, pairs] of seen)
    flatSeen.push(node, pairs === null ? null : (ofTrigger(node, pairs) ?? flatOf(pairs)));
  return {
    entries: flatOf(entries),
    versions: oneVersion(manifest) ?? flatOf(versions),
    seen: flatSeen,
    format,
  };
}

function flatOf<Said>(map: ReadonlyMap<string, Said>): Flat<Said> {
  return [...map].flat() as (string | Said)[];
}
