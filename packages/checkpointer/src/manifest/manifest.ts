import type { ChannelVersions } from "@langchain/langgraph-checkpoint";
import type { ListEntry } from "./list-entry.ts";

export type ChannelVersion = ChannelVersions[string];

/** Where the value of a channel is. */
export type Entry =
  /** In the manifest itself, encoded. */
  | { readonly kind: "inline"; readonly text: string }
  /** One longer value, an item. */
  | { readonly kind: "item"; readonly lane: number; readonly ord: number }
  | ListEntry<"list">
  | ListEntry<"log">
  | MapEntry;

/** A record: items `[from, to)` of a lane, the first of which is the whole, the others what changed since. */
export interface MapEntry {
  readonly kind: "map";
  readonly lane: number;
  readonly from: number;
  readonly to: number;
}

/** Names, each followed by what is said of it. */
export type Flat<Said> = readonly (string | Said)[];

/**
 * What a checkpoint says about the channels: a delta against its parent, or, as a base, all of it.
 * In a delta null means: gone. It is flat because memory keeps it as it is, and maps take ten times as much.
 */
export interface Manifest {
  readonly entries: Flat<Entry | null>;
  /** One number where all of these channels got it (I1), else each channel's. */
  readonly versions: number | Flat<ChannelVersion | null>;
  /** Per node, the pairs that changed. A number is the version of its own trigger, where no other did. */
  readonly seen: Flat<number | Flat<ChannelVersion | null> | null>;
  /** Version of the checkpoint format, where it is not 4. */
  readonly format: number | undefined;
}

export function* pairsOf<Said>(flat: Flat<Said>): Generator<readonly [name: string, said: Said]> {
  for (let i = 0; i < flat.length; i += 2) yield [flat[i] as string, flat[i + 1] as Said];
}
