import type { Steps } from "../awaitable.ts";
import type { Page, PageOptions } from "../changeset/types.ts";
import type { Codec } from "../codec/types.ts";
import type { Entry } from "../manifest/manifest.ts";
import { slice, type Ranges } from "../manifest/ranges.ts";
import type { Reader } from "./read.ts";
import { entryValue } from "./stored.ts";

/**
 * One page of a channel, read from its end backwards. Of a log, positions count its entries, so
 * that `before` stays what it was while the log grows; entries that hide or revise take a position
 * and give no element. A page may then be filled from further back.
 */
export function* pageOf(entry: Entry, codec: Codec, reader: Reader, options: PageOptions): Steps<Page> {
  const limit = Math.max(0, options.limit);
  if (entry.kind !== "list" && entry.kind !== "log") {
    const value = yield* entryValue(entry, codec, reader);
    const all = Array.isArray(value) ? (value as unknown[]) : [];
    const end = Math.min(options.before ?? all.length, all.length);
    const start = Math.max(0, end - limit);
    return { elements: all.slice(start, end), before: start > 0 ? start : undefined };
  }
  const ranges = yield* reader.ranges(entry);
  const end = Math.max(0, Math.min(options.before ?? entry.length, entry.length));
  if (entry.kind === "log") return yield* new LogPage(reader, ranges).read(end, limit);
  const start = Math.max(0, end - limit);
  return {
    elements: yield* reader.elements(slice(ranges, start, end)),
    before: start > 0 ? start : undefined,
  };
}

class LogPage {
  readonly #reader: Reader;
  readonly #ranges: Ranges;

  constructor(reader: Reader, ranges: Ranges) {
    this.#reader = reader;
    this.#ranges = ranges;
  }

  *read(end: number, limit: number): Steps<Page> {
    let elements: unknown[] = [];
    let start = end;
    while (start > 0 && elements.length < limit) {
      const to = start;
      start = Math.max(0, to - (limit - elements.length));
      elements = [...(yield* this.#between(start, to)), ...elements];
    }
    return { elements, before: start > 0 ? start : undefined };
  }

  /** The elements whose first entry stands at `[from, to)`, with the content of their last one. */
  *#between(from: number, to: number): Steps<unknown[]> {
    const found = yield* this.#reader.entries(slice(this.#ranges, from, to));
    const ids = found.flatMap(({ id }) => id ?? []);
    const others = yield* this.#reader.entriesUnder(this.#ranges, ids, 2);
    const elements: unknown[] = [];
    for (const { place, id, element } of found) {
      const entries = id === undefined ? undefined : others.get(id);
      if (entries === undefined) elements.push(element);
      else if (entries[0]?.place === from + place) elements.push(entries.at(-1)?.element);
    }
    return elements;
  }
}
