import { PlainText } from "../codec/plain.ts";
import type { ListImage } from "./list-image.ts";
import type { Entry, Manifest } from "./manifest.ts";
import { TRIGGER } from "./trigger.ts";

/** A base is not written before the deltas since the last one have this many bytes. */
const SMALLEST_BASE = 2048;

/** What a plain value takes beside its characters. */
const PLAIN_BYTES = 10;

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
export function weigh({ entries, versions, seen }: Manifest): number {
  let bytes = 16 + (typeof versions === "number" ? 8 : versions.length * 8);
  for (let i = 0; i < entries.length; i += 2) {
    bytes += (entries[i] as string).length + weighEntry(entries[i + 1] as Entry | null);
  }
  for (let i = 0; i < seen.length; i += 2) {
    const [node, said] = [seen[i] as string, seen[i + 1]];
    bytes += node.length + 6;
    if (typeof said === "number") bytes += node.length + TRIGGER.length + 6;
    else
      for (let at = 0; at < (said?.length ?? 0); at += 2)
        bytes += ((said as string[])[at] as string).length + 6;
  }
  return bytes;
}

function weighEntry(entry: Entry | null): number {
  if (entry === null) return 4;
  if (entry instanceof PlainText)
    return PLAIN_BYTES + (typeof entry.value === "string" ? entry.value.length : 0);
  if (entry.kind === "inline") return entry.text.length + 8;
  if (entry.kind === "item") return 14;
  if (entry.kind === "map") return 20;
  let bytes = 16;
  for (let list: ListImage = entry; ; list = list.chunks) {
    bytes += list.tail.length * 5;
    if (list.chunks === undefined) return bytes;
  }
}
