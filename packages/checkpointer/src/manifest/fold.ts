import { type ChannelVersion, type Entry, type Flat, type Manifest, pairsOf } from "./manifest.ts";
import { ofTrigger, triggerOf } from "./trigger.ts";

/** Flat, because a map takes ten times as much; never changed, but replaced. */
export type SeenVersions = Flat<ChannelVersion>;

/** The state of all channels at a checkpoint: a chain of manifests, folded. */
export interface Folded {
  readonly entries: Map<string, Entry>;
  readonly versions: Map<string, ChannelVersion>;
  /** A number: its own trigger's version, and no more. */
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

/** Folds a chain: a base, then deltas, oldest first. */
export function foldChain(chain: readonly Manifest[]): Folded {
  const folded = emptyFold();
  for (const manifest of chain) applyDelta(folded, manifest);
  return folded;
}

/** Applies a delta, in place. */
export function applyDelta(folded: Folded, { entries, versions, seen, format }: Manifest): void {
  merge(folded.entries, entries);
  if (typeof versions !== "number") merge(folded.versions, versions);
  else for (let i = 0; i < entries.length; i += 2) folded.versions.set(entries[i] as string, versions);
  for (let i = 0; i < seen.length; i += 2) {
    const node = seen[i] as string;
    const said = seen[i + 1] as number | Flat<ChannelVersion | null> | null;
    const old = folded.seen.get(node);
    if (said === null) folded.seen.delete(node);
    else if (typeof said === "number" && typeof (old ?? 0) === "number") folded.seen.set(node, said);
    else folded.seen.set(node, seenAfter(old === undefined ? NOTHING : seenPairs(node, old), node, said));
  }
  folded.format = format ?? 4;
}

const NOTHING: SeenVersions = [];

function seenAfter(
  old: SeenVersions,
  node: string,
  said: number | Flat<ChannelVersion | null>,
): SeenVersions {
  if (old.length === 0 && typeof said !== "number" && !said.includes(null)) return said as SeenVersions;
  const pairs = new Map(pairsOf(old));
  if (typeof said === "number") pairs.set(triggerOf(node), said);
  else merge(pairs, said);
  return flatOf(pairs);
}

function merge<Said>(into: Map<string, Said>, flat: Flat<Said | null>): void {
  for (let i = 0; i < flat.length; i += 2) {
    const said = flat[i + 1] as Said | null;
    if (said === null) into.delete(flat[i] as string);
    else into.set(flat[i] as string, said);
  }
}

/** The versions that a node has seen. */
export function seenPairs(node: string, seen: number | SeenVersions): SeenVersions {
  return typeof seen === "number" ? [triggerOf(node), seen] : seen;
}

/** A manifest that says everything. */
export function asBase(folded: Folded): Manifest {
  const seen: Manifest["seen"][number][] = [];
  for (const [node, pairs] of folded.seen)
    seen.push(node, typeof pairs === "number" ? pairs : (ofTrigger(node, pairs) ?? pairs));
  return {
    entries: flatOf(folded.entries),
    versions: oneVersion(folded) ?? flatOf(folded.versions),
    seen,
    format: folded.format === 4 ? undefined : folded.format,
  };
}

/** One number where every channel has it. */
function oneVersion({ versions, entries }: Folded): number | undefined {
  const first = versions.values().next().value;
  if (versions.size !== entries.size || typeof first !== "number") return undefined;
  for (const [channel, version] of versions) {
    if (version !== first || !entries.has(channel)) return undefined;
  }
  return first;
}

function flatOf<Said>(map: ReadonlyMap<string, Said>): Flat<Said> {
  return [...map].flat() as (string | Said)[];
}
