import { GraphError } from "@skein/errors";
import { wait, type Steps } from "../awaitable.ts";
import type { CheckpointPendingWrite } from "@langchain/langgraph-checkpoint";
import { parse, type Codec } from "../codec/codec.ts";
import type { Json, Resolve } from "../codec/decode.ts";
import type { ListImage, LoadedList } from "../manifest/list-image.ts";
import { pushRange, type Ranges } from "../manifest/ranges.ts";
import type { Backend, ItemRow } from "./backend.ts";
import { idOf } from "./hash.ts";
import { isHideText } from "./entries.ts";
import { knownItem, knownOld, type Known } from "./known.ts";
import { keptElement, type CachedElement } from "./list-cache.ts";
import type { ThreadState } from "./state.ts";
import { references, revivedWrites } from "./write-rows.ts";

/** Reads items of one thread and turns them into values. */
export class Reader {
  readonly #backend: Backend;
  readonly #codec: Codec;
  readonly #state: ThreadState;
  /** Objects of this thread that are items. */
  readonly identity: WeakMap<object, Known>;

  constructor(backend: Backend, codec: Codec, state: ThreadState) {
    this.#backend = backend;
    this.#codec = codec;
    this.#state = state;
    this.identity = state.identity;
  }

  /** The value of one item. */
  *value(lane: number, ord: number): Steps<unknown> {
    const [row] = yield* this.rows([lane, ord, ord + 1]);
    const { body } = row as ItemRow;
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

  /** The elements of a list, each known by identity from now on. */
  *elements(ranges: Ranges): Steps<unknown[]> {
    const elements: unknown[] = [];
    for (let i = 0; i < ranges.length; i += 3) {
      const lane = ranges[i] as number;
      for (const row of yield* this.rows(ranges.slice(i, i + 3))) elements.push(this.#element(lane, row));
    }
    return elements;
  }

  /** The elements of a list, and what a `CachedList` keeps of them. */
  *forCache(ranges: Ranges): Steps<{ values: unknown[]; elements: CachedElement[] }> {
    const values: unknown[] = [];
    const elements: CachedElement[] = [];
    for (let i = 0; i < ranges.length; i += 3) {
      const lane = ranges[i] as number;
      for (const row of yield* this.rows(ranges.slice(i, i + 3))) {
        const value = this.#codec.decode(row.body);
        values.push(value);
        const isObject = typeof value === "object" && value !== null;
        const known = isObject ? knownItem(value, lane, row.ord, row.body) : undefined;
        if (known !== undefined) this.identity.set(value as object, known);
        elements.push(keptElement(value, known));
      }
    }
    return { values, elements };
  }

  #element(lane: number, row: ItemRow): unknown {
    const value = this.#codec.decode(row.body);
    if (typeof value === "object" && value !== null) {
      this.identity.set(value, knownOld(value, lane, row.ord, row.body));
    }
    return value;
  }

  /** An archive: elements at the place of their first entry, with the content of their last one. */
  *log(ranges: Ranges): Steps<unknown[]> {
    const elements: unknown[] = [];
    const places = new Map<string, number>();
    for (let i = 0; i < ranges.length; i += 3) {
      const lane = ranges[i] as number;
      for (const row of yield* this.rows(ranges.slice(i, i + 3))) {
        if (isHideText(row.body)) continue;
        const element = this.#element(lane, row);
        const id = idOf(element);
        const place = id === undefined ? undefined : places.get(id);
        if (place !== undefined) elements[place] = element;
        else if (id === undefined) elements.push(element);
        else places.set(id, elements.push(element) - 1);
      }
    }
    return elements;
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
    const rows = yield* this.rows(chunks.ranges);
    const chunkRanges = rows.map((row) => parse(row.body) as unknown as Ranges);
    const ranges: number[] = [];
    for (const part of [...chunkRanges, list.tail]) {
      for (let i = 0; i < part.length; i += 3) {
        pushRange(ranges, part[i] as number, part[i + 1] as number, part[i + 2] as number);
      }
    }
    return { image: list, ranges, chunkRanges, chunks };
  }

  /** The items in ranges, in their order. */
  *rows(ranges: Ranges): Steps<readonly ItemRow[]> {
    let all: readonly ItemRow[] = [];
    for (let i = 0; i < ranges.length; i += 3) {
      const [lane, from, to] = [ranges[i] as number, ranges[i + 1] as number, ranges[i + 2] as number];
      const rows = yield* wait(this.#backend.items(this.#state.tid, lane, from, to));
      if (rows.length !== to - from) throw missingItems(this.#state.threadId, lane, from, to, rows.length);
      all = all.length === 0 ? rows : [...all, ...rows];
    }
    return all;
  }

  /** The writes under a checkpoint, references resolved. */
  *writes(nsid: number, seq: number): Steps<CheckpointPendingWrite[]> {
    const rows = yield* wait(this.#backend.writes(nsid, seq));
    const trees = rows.filter((row) => mayRefer(row.body)).map((row) => parse(row.body));
    const resolve = yield* this.#resolver(trees);
    return rows.flatMap((row) => revivedWrites(this.#codec, row, resolve));
  }
}

function mayRefer(text: string): boolean {
  return text.includes('{"$":"item"');
}

function missingItems(threadId: string, lane: number, from: number, to: number, found: number): GraphError {
  return new GraphError(
    "STORAGE_CORRUPT",
    `Thread "${threadId}" refers to ${to - from} stored items of which only ${found} are there. ` +
      "The storage was damaged or changed by another program; restore it from a backup, or fork the thread from an older checkpoint.",
    { details: { threadId, lane, from, to, found } },
  );
}
