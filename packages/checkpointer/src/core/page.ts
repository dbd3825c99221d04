import { wait, type Steps } from "../awaitable.ts";
import type { Page, PageOptions } from "../changeset/types.ts";
import type { Codec } from "../codec/types.ts";
import type { Entry } from "../manifest/manifest.ts";
import { coversOrdinal, pushSlice, type Ranges } from "../manifest/ranges.ts";
import type { Backend } from "./backend.ts";
import { hash53 } from "./hash.ts";
import type { LogEntryAt, Reader } from "./read.ts";
import { entryValue } from "./stored.ts";

/**
 * One page of a channel, read from its end backwards. Of a log, positions count its entries, so
 * that `before` stays what it was while the log grows; entries that hide or revise take a position
 * and give no element. A page may then be filled from further back.
 */
export function* pageOf(
  entry: Entry,
  codec: Codec,
  reader: Reader,
  backend: Backend,
  tid: number,
  options: PageOptions,
): Steps<Page> {
  const limit = Math.max(0, options.limit);
  if (entry.kind !== "list" && entry.kind !== "log") {
    const value = yield* entryValue(entry, codec, reader);
    const all = Array.isArray(value) ? (value as unknown[]) : [];
    const end = Math.min(options.before ?? all.length, all.length);
    const start = Math.max(0, end - limit);
    return { elements: all.slice(start, end), before: start > 0 ? start : undefined };
  }
  const ranges = yield* reader.ranges(entry.list);
  const end = Math.max(0, Math.min(options.before ?? entry.list.length, entry.list.length));
  if (entry.kind === "log") return yield* new LogPage(reader, backend, tid, ranges).read(end, limit);
  const start = Math.max(0, end - limit);
  return {
    elements: yield* reader.elements(slice(ranges, start, end)),
    before: start > 0 ? start : undefined,
  };
}

class LogPage {
  readonly #reader: Reader;
  readonly #backend: Backend;
  readonly #tid: number;
  readonly #ranges: Ranges;

  constructor(reader: Reader, backend: Backend, tid: number, ranges: Ranges) {
    this.#reader = reader;
    this.#backend = backend;
    this.#tid = tid;
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
    const others = yield* this.#otherEntries(found);
    const elements: unknown[] = [];
    for (const { lane, ord, id, element } of found) {
      const entries = id === undefined ? undefined : others.get(id);
      if (entries === undefined) elements.push(element);
      else if (isFirst(entries, lane, ord)) elements.push(entries.at(-1)?.element);
    }
    return elements;
  }

  /** All entries of the log, in its order, with ids of these, where an id may have more than one. */
  *#otherEntries(found: readonly LogEntryAt[]): Steps<Map<string, LogEntryAt[]>> {
    const wanted = new Map<number, Set<number>>();
    for (const { lane, id } of found) {
      if (id === undefined) continue;
      const keys = wanted.get(lane) ?? new Set<number>();
      wanted.set(lane, keys.add(hash53(id)));
    }
    const entries = new Map<string, LogEntryAt[]>();
    for (const [lane, keys] of wanted) {
      const rows = yield* wait(this.#backend.itemsByKey(this.#tid, lane, [...keys]));
      const counts = new Map<number, number>();
      for (const { key } of rows) counts.set(key, (counts.get(key) ?? 0) + 1);
      for (const { key, ord } of rows) {
        if (counts.get(key) === 1 || !coversOrdinal(this.#ranges, lane, ord)) continue;
        const [entry] = yield* this.#reader.entries([lane, ord, ord + 1]);
        // by the id itself: several ids may share a hash
        if (entry?.id !== undefined) entries.set(entry.id, [...(entries.get(entry.id) ?? []), entry]);
      }
    }
    for (const list of entries.values()) list.sort((a, b) => this.#position(a) - this.#position(b));
    return entries;
  }

  #position({ lane, ord }: LogEntryAt): number {
    let at = 0;
    for (let i = 0; i < this.#ranges.length; i += 3) {
      const [of, from, to] = [this.#ranges[i], this.#ranges[i + 1] as number, this.#ranges[i + 2] as number];
      if (of === lane && ord >= from && ord < to) return at + ord - from;
      at += to - from;
    }
    return -1;
  }
}

function isFirst(entries: readonly LogEntryAt[], lane: number, ord: number): boolean {
  const [first] = entries;
  return first === undefined || (first.lane === lane && first.ord === ord);
}

function slice(ranges: Ranges, from: number, to: number): Ranges {
  const part: number[] = [];
  pushSlice(part, ranges, from, to);
  return part;
}
