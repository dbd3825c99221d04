import { wait, type Steps } from "../awaitable.ts";
import type { CheckpointPendingWrite } from "@langchain/langgraph-checkpoint";
import { parse } from "../codec/parse.ts";
import type { Codec, Json, Resolve } from "../codec/types.ts";
import type { ListImage, LoadedList } from "../manifest/list-image.ts";
import { placesIn, pushRange, rangesLength, slice, type Ranges } from "../manifest/ranges.ts";
import type { Backend } from "./backend.ts";
import { hash53, idOf } from "./hash.ts";
import { hideOf, isHideText } from "./entries.ts";
import { knownOld, type Known } from "./known.ts";
import { FRESH, type CachedList } from "./list-cache.ts";
import { ItemTexts } from "./item-texts.ts";
import type { ReadGroups } from "./read-groups.ts";
import type { ThreadState } from "./state.ts";
import { mayRefer, references, revivedWrites } from "./write-rows.ts";

/** An entry of an archive, and where it stands. */
export interface LogEntryAt {
  readonly lane: number;
  readonly ord: number;
  /** Where it stands in the ranges that are read. */
  readonly place: number;
  readonly id: string | undefined;
  readonly element: unknown;
}

/** Reads items of one thread and turns them into values. */
export class Reader {
  readonly #backend: Backend;
  readonly #codec: Codec;
  readonly #state: ThreadState;
  readonly #texts: ItemTexts;

  /** @param of - the checkpoint whose items are read */
  constructor(backend: Backend, codec: Codec, state: ThreadState, of?: { nsid: number; id: string }) {
    this.#backend = backend;
    this.#codec = codec;
    this.#state = state;
    this.#texts = new ItemTexts(backend, state, of);
  }

  /** Objects of this thread that are items. */
  get identity(): WeakMap<object, Known> {
    return this.#state.identity;
  }

  /** The value of one item. */
  *value(lane: number, ord: number): Steps<unknown> {
    const [body] = (yield* this.bodies([lane, ord, ord + 1])) as [string];
    if (!mayRefer(body)) return this.#codec.decode(body);
    const tree = parse(body);
    return this.#codec.revive(tree, yield* this.#resolver([tree]));
  }

  /** Reads the items that parsed text refers to. */
  *#resolver(trees: readonly Json[]): Steps<Resolve> {
    const items = new Map<string, unknown>();
    for (const [lane, from, count] of references(trees as Json[])) {
      const elements = yield* this.elements([lane, from, from + count]);
      elements.forEach((element, i) => items.set(`${lane}:${from + i}`, element));
    }
    return (lane, ord) => items.get(`${lane}:${ord}`);
  }

  /** The texts of items, in their order. */
  bodies(ranges: Ranges): Steps<string[]> {
    return this.#texts.bodies(ranges);
  }

  /** The elements of a list, each known by identity from now on. */
  *elements(ranges: Ranges): Steps<unknown[]> {
    const elements: unknown[] = [];
    yield* this.#texts.each(ranges, (body, lane, ord, mayCut) =>
      elements.push(this.#element(body, lane, ord, mayCut)),
    );
    return elements;
  }

  /** The elements of a list, which a `CachedList` keeps as well. */
  *into(list: CachedList, ranges: Ranges): Steps<unknown[]> {
    const values: unknown[] = [];
    const last = rangesLength(ranges) - FRESH;
    yield* this.#texts.each(ranges, (body, lane, ord, mayCut) => {
      const value = this.#codec.decode(body, mayCut);
      if (typeof value !== "object" || value === null) list.push(undefined, value);
      else if (values.length >= last || !list.pushMessage(value)) {
        const known = knownOld(value, lane, ord, body);
        this.identity.set(value, known);
        list.push(known, known.text === undefined ? value : undefined);
        if (values.length >= last) known.text = ownText(body);
      }
      values.push(value);
    });
    list.filled(ranges, this.identity);
    return values;
  }

  /** To be called when a list that was filled is kept: its messages become known when somebody asks. */
  keeps(list: CachedList): void {
    this.#state.keeps(list);
  }

  #element(
    body: string,
    lane: number,
    ord: number,
    mayCut: boolean,
    add?: ReturnType<ReadGroups["adder"]>,
  ): unknown {
    const value = this.#codec.decode(body, mayCut);
    if (typeof value === "object" && value !== null && add?.(value, lane, ord) !== true)
      this.identity.set(value, knownOld(value, lane, ord, body));
    return value;
  }

  /** An archive: elements at the place of their first entry, with the content of their last one. */
  *log(ranges: Ranges): Steps<unknown[]> {
    const elements: unknown[] = [];
    const ids = new Set<string>();
    const revised = new Map<string, unknown>();
    const add = this.#state.groups.adder();
    yield* this.#texts.each(ranges, (body, lane, ord, mayCut) => {
      if (isHideText(body)) return;
      const element = this.#element(body, lane, ord, mayCut, add);
      const id = idOf(element);
      // one look at the ids for each: it is a tenth of reading them
      if (id !== undefined && ids.size === ids.add(id).size) revised.set(id, element);
      else elements.push(element);
    });
    if (revised.size === 0) return elements;
    return elements.map((element) => {
      const id = idOf(element);
      return id === undefined ? element : (revised.get(id) ?? element);
    });
  }

  /** The entries of an archive that hold elements, one by one. */
  *entries(ranges: Ranges): Steps<LogEntryAt[]> {
    const entries: LogEntryAt[] = [];
    let at = 0;
    yield* this.#texts.each(ranges, (body, lane, ord, mayCut) => {
      const place = at++;
      if (isHideText(body)) return;
      const element = this.#element(body, lane, ord, mayCut);
      entries.push({ lane, ord, place, id: idOf(element), element });
    });
    return entries;
  }

  /**
   * The entries of an archive under some ids, each id's in the order of the log.
   *
   * @param least - ids of fewer entries are left out, which saves reading the only one that is known
   */
  *entriesUnder(ranges: Ranges, ids: Iterable<string>, least = 1): Steps<Map<string, LogEntryAt[]>> {
    const wanted = new Set(ids);
    const keys = [...new Set([...wanted].map(hash53))];
    const lanes = new Set(ranges.filter((_, i) => i % 3 === 0));
    const places: number[] = [];
    for (const lane of keys.length === 0 ? [] : lanes) {
      const rows = yield* wait(this.#backend.itemsByKey(this.#state.tid, lane, keys));
      const there = rows.map(({ key, ord }) => ({ key, ord, times: placesIn(ranges, lane, ord).length }));
      const counts = new Map<number, number>();
      for (const { key, times } of there) counts.set(key, (counts.get(key) ?? 0) + times);
      const read = there.filter(({ key, times }) => times > 0 && (counts.get(key) ?? 0) >= least);
      for (const { ord } of read.sort((a, b) => a.ord - b.ord)) pushRange(places, lane, ord, ord + 1);
    }
    const found = new Map<string, LogEntryAt[]>();
    for (const entry of yield* this.entries(places)) {
      // by the id itself: several ids may share a hash
      if (entry.id === undefined || !wanted.has(entry.id)) continue;
      const list = found.get(entry.id) ?? [];
      found.set(entry.id, list);
      // one that left the context and came back as it was is stored once
      for (const place of placesIn(ranges, entry.lane, entry.ord)) list.push({ ...entry, place });
    }
    for (const list of found.values()) list.sort((a, b) => a.place - b.place);
    return found;
  }

  /** Ids that an archive hides at its end. */
  *hidden(ranges: Ranges): Steps<string[]> {
    let hidden = new Set<string>();
    let kept: readonly string[] | undefined;
    let cleared = 0;
    let at = 0;
    yield* this.#texts.each(ranges, (body, lane, ord) => {
      at += 1;
      if (!isHideText(body)) {
        if (hidden.size > 0) hidden.delete(idOf(this.#element(body, lane, ord, false)) ?? "");
        return;
      }
      const { hide, keep } = hideOf(body);
      if (keep !== undefined) [hidden, kept, cleared] = [new Set(), keep, at];
      for (const id of hide) hidden.add(id);
    });
    return kept === undefined ? [...hidden] : yield* this.#cleared(ranges, cleared, kept, hidden);
  }

  /** With what a clear of the context hides: all before it but what was kept, unless it came again since. */
  *#cleared(ranges: Ranges, at: number, kept: readonly string[], since: Set<string>): Steps<string[]> {
    const hidden = new Set<string>();
    const add = ({ id }: LogEntryAt): void => void (id !== undefined && hidden.add(id));
    (yield* this.entries(slice(ranges, 0, at))).forEach(add);
    for (const id of kept) hidden.delete(id);
    for (const { id } of yield* this.entries(slice(ranges, at, rangesLength(ranges))))
      hidden.delete(id ?? "");
    for (const id of since) hidden.add(id);
    return [...hidden];
  }

  /** All ranges of a list. */
  *ranges(list: ListImage): Steps<Ranges> {
    return list.chunks === undefined ? list.tail : (yield* this.chunked(list)).ranges;
  }

  /** A list with its chunks read. */
  *chunked(list: ListImage): Steps<LoadedList> {
    if (list.chunks === undefined)
      return { image: list, ranges: list.tail, chunkRanges: [], chunks: undefined };
    const chunks = yield* this.chunked(list.chunks);
    const bodies = yield* this.bodies(chunks.ranges);
    const chunkRanges = bodies.map((body) => parse(body) as unknown as Ranges);
    const ranges: number[] = [];
    for (const part of [...chunkRanges, list.tail]) {
      for (let i = 0; i < part.length; i += 3) {
        pushRange(ranges, part[i] as number, part[i + 1] as number, part[i + 2] as number);
      }
    }
    return { image: list, ranges, chunkRanges, chunks };
  }

  /** The writes under a checkpoint, references resolved. */
  *writes(nsid: number, seq: number): Steps<CheckpointPendingWrite[]> {
    const rows = yield* wait(this.#backend.writes(nsid, seq));
    const trees = rows.filter((row) => mayRefer(row.body)).map((row) => parse(row.body));
    const resolve = yield* this.#resolver(trees);
    return rows.flatMap((row) => revivedWrites(this.#codec, row, resolve));
  }
}

/** A copy: the text that was read may be part of that of a whole page, and keep it in memory. */
function ownText(body: string): string {
  return JSON.parse(JSON.stringify(body)) as string;
}
