import { damaged, parse } from "../codec/parse.ts";
import type { Dictionary, Name } from "./dictionary.ts";
import type { ChannelVersion, Entry, Manifest } from "./manifest.ts";
import { oneVersion, parseEntry, parseManifest, printEntry } from "./text.ts";
import { ofTrigger, triggerOf } from "./trigger.ts";

/**
 * A manifest as a database keeps it: `[versions, entries, seen, format]`, each of the lists flat, a
 * name followed by what is said of it. Names are numbers of the database's dictionary, or stand there
 * themselves. Versions, entries and pairs mean what they mean in `printManifest`; what is empty at the
 * end is left out.
 */
export function printCompact(manifest: Manifest, names: Dictionary): string {
  // put together with +, not joined: a step prints one, and arrays take longer than what stands in them
  let entries = "";
  for (const [channel, entry] of manifest.entries) {
    entries += `${entries === "" ? "" : ","}${names.print(channel)},${printEntry(entry)}`;
  }
  let seen = "";
  for (const [node, pairs] of manifest.seen) {
    const value = pairs === null ? 0 : (ofTrigger(node, pairs) ?? printPairs(pairs, names));
    seen += `${seen === "" ? "" : ","}${names.print(node)},${value}`;
  }
  const versions = oneVersion(manifest) ?? printPairs(manifest.versions, names);
  const format = manifest.format === undefined ? "" : `,${manifest.format}`;
  const last = seen === "" && format === "" ? "" : `,[${seen}]${format}`;
  return `[${versions},[${entries}]${last}]`;
}

function printPairs(pairs: ReadonlyMap<string, ChannelVersion | null>, names: Dictionary): string {
  let text = "";
  for (const [name, version] of pairs) {
    text += `${text === "" ? "" : ","}${names.print(name)},${JSON.stringify(version)}`;
  }
  return `[${text}]`;
}

type Pairs = readonly (Name | ChannelVersion | null)[];
type Seen = readonly (Name | Pairs)[];
type Parsed = readonly [number | Pairs, readonly unknown[], Seen?, number?];

/** Reads what `printCompact` wrote, and what `printManifest` wrote. */
export function parseStored(text: string, names: Dictionary): Manifest {
  if (!text.startsWith("[")) return parseManifest(text);
  const [version, stored, nodes = [], format] = parse(text) as unknown as Parsed;
  if (!Array.isArray(stored)) throw damaged("a manifest");
  const entries = new Map<string, Entry | null>();
  for (let i = 0; i < stored.length; i += 2)
    entries.set(names.text(stored[i] as Name), parseEntry(stored[i + 1]));
  const versions = new Map<string, ChannelVersion | null>();
  if (typeof version === "number") for (const channel of entries.keys()) versions.set(channel, version);
  else readPairs(version, names, versions);
  const seen = new Map<string, ReadonlyMap<string, ChannelVersion | null> | null>();
  for (let i = 0; i < nodes.length; i += 2) {
    const node = names.text(nodes[i] as Name);
    const pairs = nodes[i + 1] as number | Pairs;
    if (typeof pairs !== "number") seen.set(node, readPairs(pairs, names, new Map()));
    else seen.set(node, pairs === 0 ? null : new Map([[triggerOf(node), pairs]]));
  }
  return format === undefined ? { entries, versions, seen } : { entries, versions, seen, format };
}

function readPairs(
  pairs: Pairs,
  names: Dictionary,
  into: Map<string, ChannelVersion | null>,
): Map<string, ChannelVersion | null> {
  for (let i = 0; i < pairs.length; i += 2)
    into.set(names.text(pairs[i] as Name), pairs[i + 1] as ChannelVersion | null);
  return into;
}
