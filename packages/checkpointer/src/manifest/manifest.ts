import type { ChannelVersions } from "@langchain/langgraph-checkpoint";
import type { ListImage } from "./list-image.ts";
import { triggerOf } from "./trigger.ts";

export type ChannelVersion = ChannelVersions[string];

/** Where the value of a channel is. */
export type Entry =
  /** In the manifest itself, encoded. */
  | { readonly kind: "inline"; readonly text: string }
  /** One longer value, an item. */
  | { readonly kind: "item"; readonly lane: number; readonly ord: number }
  | { readonly kind: "list"; readonly list: ListImage }
  /** An archive: entries, to be resolved by id. */
  | { readonly kind: "log"; readonly list: ListImage }
  | MapEntry;

/** A record: items `[from, to)` of a lane, the first of which is the whole, the others what changed since. */
export interface MapEntry {
  readonly kind: "map";
  readonly lane: number;
  readonly from: number;
  readonly to: number;
}

export type SeenVersions = ReadonlyMap<string, ChannelVersion>;

/**
 * What a checkpoint says about the channels: a delta against its parent, or, as a base, all of it.
 * In a delta null means: gone.
 */
export interface Manifest {
  readonly entries: ReadonlyMap<string, Entry | null>;
  readonly versions: ReadonlyMap<string, ChannelVersion | null>;
  /** Per node, the pairs that changed. */
  readonly seen: ReadonlyMap<string, ReadonlyMap<string, ChannelVersion | null> | null>;
  /** Version of the checkpoint format, where it is not 4. */
  readonly format?: number;
}

/** The state of all channels at a checkpoint: a chain of manifests, folded. */
export interface Folded {
  readonly entries: Map<string, Entry>;
  readonly versions: Map<string, ChannelVersion>;
  /** The inner maps are never changed, but replaced. A number: its own trigger's version, and no more. */
  readonly seen: Map<string, number | SeenVersions>;
  format: number;
}

export function emptyFold(): Folded {
  return { entries: new Map(), versions: new Map(), seen: new Map(), format: 4 };
}

export function copyFold(folded: Folded): Folded {
  return {
    entries: new Map(folded.entries),
    versions: new Map(folded.versions),
    seen: new Map(folded.seen),
    format: folded.format,
  };
}

/** Applies a delta, in place. */
export function applyDelta(folded: Folded, delta: Manifest): void {
  merge(folded.entries, delta.entries);
  merge(folded.versions, delta.versions);
  for (const [node, pairs] of delta.seen) {
    if (pairs === null) {
      folded.seen.delete(node);
      continue;
    }
    const old = folded.seen.get(node);
    folded.seen.set(node, mergedPairs(old === undefined ? undefined : seenPairs(node, old), pairs));
  }
  folded.format = delta.format ?? 4;
}

/** The versions that a node has seen. */
export function seenPairs(node: string, seen: number | SeenVersions): SeenVersions {
  return typeof seen === "number" ? new Map([[triggerOf(node), seen]]) : seen;
}

/** The pairs themselves where they say everything, as they do of a node that has seen its trigger only. */
function mergedPairs(
  old: ReadonlyMap<string, ChannelVersion> | undefined,
  pairs: ReadonlyMap<string, ChannelVersion | null>,
): ReadonlyMap<string, ChannelVersion> {
  if (saysAll(old, pairs)) return pairs as ReadonlyMap<string, ChannelVersion>;
  const seen = new Map(old);
  merge(seen, pairs);
  return seen;
}

function saysAll(
  old: ReadonlyMap<string, unknown> | undefined,
  pairs: ReadonlyMap<string, unknown>,
): boolean {
  let known = 0;
  for (const [channel, version] of pairs) {
    if (version === null) return false;
    if (old?.has(channel) === true) known += 1;
  }
  return known === (old?.size ?? 0);
}

function merge<Value>(into: Map<string, Value>, from: ReadonlyMap<string, Value | null>): void {
  for (const [key, value] of from) {
    if (value === null) into.delete(key);
    else into.set(key, value);
  }
}

/** Folds a chain: a base, then deltas, oldest first. */
export function foldChain(chain: readonly Manifest[]): Folded {
  const folded = emptyFold();
  for (const manifest of chain) applyDelta(folded, manifest);
  return folded;
}

export function asBase(folded: Folded): Manifest {
  return {
    entries: new Map(folded.entries),
    versions: new Map(folded.versions),
    seen: new Map([...folded.seen].map(([node, seen]) => [node, seenPairs(node, seen)])),
    ...(folded.format === 4 ? {} : { format: folded.format }),
  };
}
