import { wait, type Steps } from "../awaitable.ts";
import type { Page, PageOptions } from "../changeset/types.ts";
import type { Codec } from "../codec/codec.ts";
import type { Entry } from "../manifest/manifest.ts";
import { coversOrdinal, eachOrdinal, pushSlice, type Ranges } from "../manifest/ranges.ts";
import type { Backend } from "./backend.ts";
import { hash53, idOf } from "./hash.ts";
import { isHideText } from "./entries.ts";
import type { Reader } from "./read.ts";

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
  if (entry.kind === "inline" || entry.kind === "item") {
    const value =
      entry.kind === "inline" ? codec.decode(entry.text) : yield* reader.value(entry.lane, entry.ord);
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
    const part = slice(this.#ranges, from, to);
    const rows = yield* this.#reader.rows(part);
    const places = [...eachOrdinal(part)];
    const found: { lane: number; ord: number; id: string | undefined; element: unknown }[] = [];
    for (const [i, row] of rows.entries()) {
      if (isHideText(row.body)) continue;
      const [lane, ord] = places[i] as readonly [number, number];
      const [element] = yield* this.#reader.elements([lane, ord, ord + 1]);
      found.push({ lane, ord, id: idOf(element), element });
    }
    const others = yield* this.#entriesOf(found);
    const elements: unknown[] = [];
    for (const { lane, ord, id, element } of found) {
      const entries = id === undefined ? undefined : others.get(id);
      if (entries === undefined) elements.push(element);
      else if (isFirst(entries, lane, ord)) elements.push(entries.at(-1)?.element);
    }
    return elements;
  }

  /** All entries of the log with the ids of these, where an id has more than one, in log order. */
  *#entriesOf(found: readonly { lane: number; id: string | undefined }[]): Steps<Map<string, LogPlace[]>> {
    const wanted = new Map<number, Map<number, string>>();
    for (const { lane, id } of found) {
      if (id === undefined) continue;
      const keys = wanted.get(lane) ?? new Map<number, string>();
      wanted.set(lane, keys.set(hash53(id), id));
    }
    const entries = new Map<string, LogPlace[]>();
    for (const [lane, keys] of wanted) {
      const rows = yield* wait(this.#backend.itemsByKey(this.#tid, lane, [...keys.keys()]));
      const counts = new Map<number, number>();
      for (const { key } of rows) counts.set(key, (counts.get(key) ?? 0) + 1);
      for (const { key, ord } of rows) {
        if (counts.get(key) === 1 || !coversOrdinal(this.#ranges, lane, ord)) continue;
        const [element] = yield* this.#reader.elements([lane, ord, ord + 1]);
        const id = idOf(element);
        // a hash that several ids share finds entries of other elements, too
        if (id === undefined || id !== keys.get(key)) continue;
        entries.set(id, [...(entries.get(id) ?? []), { lane, ord, element }]);
      }
    }
    for (const list of entries.values()) list.sort((a, b) => this.#position(a) - this.#position(b));
    return entries;
  }

  #position({ lane, ord }: LogPlace): number {
    let at = 0;
    for (let i = 0; i < this.#ranges.length; i += 3) {
      const [of, from, to] = [this.#ranges[i], this.#ranges[i + 1] as number, this.#ranges[i + 2] as number];
      if (of === lane && ord >= from && ord < to) return at + ord - from;
      at += to - from;
    }
    return -1;
  }
}

interface LogPlace {
  readonly lane: number;
  readonly ord: number;
  readonly element: unknown;
}

function isFirst(entries: readonly LogPlace[], lane: number, ord: number): boolean {
  const [first] = entries;
  return first === undefined || (first.lane === lane && first.ord === ord);
}

function slice(ranges: Ranges, from: number, to: number): Ranges {
  const part: number[] = [];
  pushSlice(part, ranges, from, to);
  return part;
}
