import { damaged, parse } from "../codec/parse.ts";
import type { Dictionary, Name } from "./dictionary.ts";
import type { ChannelVersion, Entry, Flat, Manifest } from "./manifest.ts";
import { parseEntry, parseManifest, printEntry } from "./text.ts";

/**
 * A manifest as a database keeps it: `[versions, entries, seen, format]`, each of the lists flat, a
 * name followed by what is said of it. Names are numbers of the database's dictionary, or stand there
 * themselves. Versions, entries and pairs mean what they mean in `printManifest`; what is empty at the
 * end is left out.
 */
export function printCompact({ entries, versions, seen, format }: Manifest, names: Dictionary): string {
  // put together with +, not joined: a step prints one, and arrays take longer than what stands in them
  let stored = "";
  for (let i = 0; i < entries.length; i += 2) {
    const entry = printEntry(entries[i + 1] as Entry | null);
    stored += `${i === 0 ? "" : ","}${names.print(entries[i] as string)},${entry}`;
  }
  let nodes = "";
  for (let i = 0; i < seen.length; i += 2) {
    const said = seen[i + 1] as number | Flat<ChannelVersion | null> | null;
    nodes += `${i === 0 ? "" : ","}${names.print(seen[i] as string)},${said === null ? 0 : printSaid(said, names)}`;
  }
  const last =
    nodes === "" && format === undefined ? "" : `,[${nodes}]${format === undefined ? "" : `,${format}`}`;
  return `[${printSaid(versions, names)},[${stored}]${last}]`;
}

function printSaid(said: number | Flat<ChannelVersion | null>, names: Dictionary): string {
  if (typeof said === "number") return String(said);
  let text = "";
  for (let i = 0; i < said.length; i += 2) {
    text += `${i === 0 ? "" : ","}${names.print(said[i] as string)},${JSON.stringify(said[i + 1])}`;
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
  const entries: Manifest["entries"][number][] = [];
  for (let i = 0; i < stored.length; i += 2)
    entries.push(names.text(stored[i] as Name), parseEntry(stored[i + 1]));
  const seen: Manifest["seen"][number][] = [];
  for (let i = 0; i < nodes.length; i += 2) {
    const said = nodes[i + 1] as number | Pairs;
    seen.push(names.text(nodes[i] as Name), said === 0 ? null : parseSaid(said, names));
  }
  return { entries, versions: parseSaid(version, names), seen, format };
}

function parseSaid(said: number | Pairs, names: Dictionary): number | Flat<ChannelVersion | null> {
  if (typeof said === "number") return said;
  const flat: (ChannelVersion | null)[] = [];
  for (let i = 0; i < said.length; i += 2)
    flat.push(names.text(said[i] as Name), said[i + 1] as ChannelVersion | null);
  return flat;
}
