import type { Entry, Manifest } from "./manifest.ts";

/** A base is not written before the deltas since the last one have this many bytes. */
const SMALLEST_BASE = 2048;

/** How much has been written since the last base of a chain. */
export interface ChainWeight {
  readonly base: number;
  readonly deltas: number;
}

/**
 * Whether the next manifest shall be a base: when the deltas outweigh one. So all manifests
 * together take at most twice the deltas and one base, and a chain is short to read.
 */
export function baseIsDue(weight: ChainWeight): boolean {
  return weight.deltas > Math.max(SMALLEST_BASE, weight.base);
}

/** About the bytes that a manifest takes, without printing it. */
export function weigh(manifest: Manifest): number {
  let bytes = 16;
  for (const [channel, entry] of manifest.entries) bytes += channel.length + weighEntry(entry);
  bytes += manifest.versions.size === manifest.entries.size ? 8 : manifest.versions.size * 16;
  for (const [node, pairs] of manifest.seen) {
    bytes += node.length + 6;
    for (const channel of pairs?.keys() ?? []) bytes += channel.length + 6;
  }
  return bytes;
}

function weighEntry(entry: Entry | null): number {
  if (entry === null) return 4;
  if (entry.kind === "inline") return entry.text.length + 8;
  if (entry.kind === "item") return 14;
  if (entry.kind === "map") return 20;
  let bytes = 16;
  for (let list = entry.list; ; list = list.chunks) {
    bytes += list.tail.length * 5;
    if (list.chunks === undefined) return bytes;
  }
}
