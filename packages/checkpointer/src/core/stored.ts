import { run, type Steps } from "../awaitable.ts";
import type { StoredChannel } from "../changeset/types.ts";
import { PlainText } from "../codec/plain.ts";
import type { Codec } from "../codec/types.ts";
import type { ListEntry } from "../manifest/list-entry.ts";
import type { Entry } from "../manifest/manifest.ts";
import { readMap } from "./read-map.ts";
import type { Reader } from "./read.ts";

/** The image of a channel of which nothing is kept, decoded when somebody loads it. */
export function storedChannel(
  entry: Extract<Entry, { kind: "inline" | "item" | "log" }>,
  codec: Codec,
  reader: Reader,
): StoredChannel {
  switch (entry.kind) {
    case "inline":
      return { kind: "value", load: () => inlineValue(entry, codec) };
    case "item":
      return { kind: "value", load: () => run(reader.value(entry.lane, entry.ord)) };
    case "log":
      return {
        kind: "log",
        entries: entry.length,
        load: () => run(elements(entry, reader)),
        revisions: (ids) => run(revisions(entry, reader, ids)),
        hidden: () => run(hidden(entry, reader)),
      };
  }
}

function inlineValue(entry: Entry & { kind: "inline" }, codec: Codec): unknown {
  return entry instanceof PlainText ? entry.value : codec.decode(entry.text);
}

function* elements(entry: ListEntry, reader: Reader): Steps<unknown[]> {
  const ranges = yield* reader.ranges(entry);
  return yield* entry.kind === "list" ? reader.elements(ranges) : reader.log(ranges);
}

function* revisions(
  log: ListEntry<"log">,
  reader: Reader,
  ids: readonly string[],
): Steps<Map<string, unknown[]>> {
  const found = yield* reader.entriesUnder(yield* reader.ranges(log), ids);
  return new Map([...found].map(([id, entries]) => [id, entries.map(({ element }) => element)]));
}

function* hidden(log: ListEntry<"log">, reader: Reader): Steps<string[]> {
  return yield* reader.hidden(yield* reader.ranges(log));
}

/** The value of a channel, whatever its image is. */
export function* entryValue(entry: Entry, codec: Codec, reader: Reader): Steps<unknown> {
  if (entry.kind === "inline") return inlineValue(entry, codec);
  if (entry.kind === "item") return yield* reader.value(entry.lane, entry.ord);
  if (entry.kind === "map") return yield* readMap(entry, codec, reader);
  return yield* elements(entry, reader);
}
