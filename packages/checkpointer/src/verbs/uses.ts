import { wait, type Steps } from "../awaitable.ts";
import { damaged, parse } from "../codec/parse.ts";
import type { Backend, LaneRow } from "../core/backend.ts";
import { VALUES } from "../core/stage.ts";
import { mayRefer, references } from "../core/write-rows.ts";
import type { ListImage } from "../manifest/list-image.ts";
import { type Manifest, pairsOf } from "../manifest/manifest.ts";
import { eachOrdinal, type Ranges } from "../manifest/ranges.ts";
import { eachItem } from "./stored-thread.ts";

export interface Span {
  readonly from: number;
  readonly to: number;
}

/** Which items of a thread are needed: by manifests, by chunks of lists, by references. */
export class ItemUses {
  readonly #backend: Backend;
  readonly #tid: number;
  readonly #spans = new Map<number, Map<string, Span>>();
  readonly #chunks = new Map<string, Ranges>();
  readonly #counted = new Set<string>();

  constructor(backend: Backend, tid: number) {
    this.#backend = backend;
    this.#tid = tid;
  }

  *manifest(manifest: Manifest): Steps<void> {
    for (const [, entry] of pairsOf(manifest.entries)) {
      if (entry?.kind === "item") this.#add(entry.lane, entry.ord, entry.ord + 1);
      else if (entry?.kind === "map") this.#add(entry.lane, entry.from, entry.to);
      else if (entry?.kind === "list" || entry?.kind === "log") yield* this.#list(entry);
    }
  }

  /** Encoded text that may hold references. */
  text(body: string): void {
    if (!mayRefer(body)) return;
    for (const [lane, from, count] of references(parse(body))) this.reference(lane, from, count);
  }

  reference(lane: number, from: number, count: number): void {
    this.#add(lane, from, from + count);
  }

  /** The chunks of a list are items themselves, and hold ranges of its elements. */
  *#list(list: ListImage): Steps<void> {
    this.#ranges(list.tail);
    if (list.chunks === undefined) return;
    for (const [lane, ord] of yield* this.#chunkItems(list.chunks)) {
      if (this.#counted.has(`${lane}:${ord}`)) continue;
      this.#counted.add(`${lane}:${ord}`);
      this.#ranges(yield* this.#chunk(lane, ord));
    }
  }

  /** The elements of a list of chunks, which may have chunks itself. All are needed. */
  *#chunkItems(chunks: ListImage): Steps<(readonly [lane: number, ord: number])[]> {
    const items = [...eachOrdinal(chunks.tail)];
    if (chunks.chunks !== undefined) {
      for (const [lane, ord] of yield* this.#chunkItems(chunks.chunks)) {
        items.push(...eachOrdinal(yield* this.#chunk(lane, ord)));
      }
    }
    for (const [lane, ord] of items) this.#add(lane, ord, ord + 1);
    return items;
  }

  *#chunk(lane: number, ord: number): Steps<Ranges> {
    const key = `${lane}:${ord}`;
    let ranges = this.#chunks.get(key);
    if (ranges === undefined) {
      const [body] = yield* wait(this.#backend.items(this.#tid, lane, ord, ord + 1));
      if (body === undefined) throw damaged("a list's chunk");
      ranges = parse(body) as unknown as Ranges;
      this.#chunks.set(key, ranges);
    }
    return ranges;
  }

  #ranges(ranges: Ranges): void {
    for (let i = 0; i < ranges.length; i += 3) {
      this.#add(ranges[i] as number, ranges[i + 1] as number, ranges[i + 2] as number);
    }
  }

  #add(lane: number, from: number, to: number): void {
    const spans = this.#spans.get(lane) ?? new Map<string, Span>();
    this.#spans.set(lane, spans);
    spans.set(`${from}:${to}`, { from, to });
  }

  /** What longer values refer to: they count only where the value itself is needed. */
  *values(lanes: readonly LaneRow[]): Steps<void> {
    const values = lanes.find(({ name }) => name === VALUES);
    if (values === undefined) return;
    const used = this.#merged(values.lane);
    yield* eachItem(this.#backend, this.#tid, values.lane, ({ ord, body }) => {
      if (used.some((span) => ord >= span.from && ord < span.to)) this.text(body);
    });
  }

  /** What is needed of a lane, ascending. */
  needed(lane: number): readonly Span[] {
    return this.#merged(lane);
  }

  /** What is needed of lanes that are not among these. */
  without(lanes: readonly Pick<LaneRow, "lane">[]): (Span & { readonly lane: number })[] {
    const there = new Set(lanes.map(({ lane }) => lane));
    const others = [...this.#spans.keys()].filter((lane) => !there.has(lane));
    return others.flatMap((lane) => this.#merged(lane).map((span) => ({ lane, ...span })));
  }

  /** Keeps what is needed, and forgets how often it was told. */
  compact(): void {
    for (const lane of this.#spans.keys())
      this.#spans.set(lane, new Map(this.#merged(lane).map((span) => [`${span.from}:${span.to}`, span])));
  }

  /** What nothing needs. */
  unused({ lane, next }: LaneRow): { lane: number; from: number; to: number }[] {
    const gaps: { lane: number; from: number; to: number }[] = [];
    let at = 0;
    for (const { from, to } of this.#merged(lane)) {
      if (from > at) gaps.push({ lane, from: at, to: from });
      at = Math.max(at, to);
    }
    if (next > at) gaps.push({ lane, from: at, to: next });
    return gaps;
  }

  #merged(lane: number): Span[] {
    const spans = [...(this.#spans.get(lane)?.values() ?? [])].sort((a, b) => a.from - b.from);
    const merged: Span[] = [];
    for (const span of spans) {
      const last = merged.at(-1);
      if (last === undefined || span.from > last.to) merged.push(span);
      else if (span.to > last.to) merged[merged.length - 1] = { from: last.from, to: span.to };
    }
    return merged;
  }
}
