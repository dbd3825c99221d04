import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { baseIsDue, weigh, type ChainWeight } from "../src/manifest/base.ts";
import {
  EMPTY_LIST,
  MAX_RANGES,
  spliceList,
  spliceTail,
  appendRanges,
  type ListImage,
  type LoadedList,
  type Piece,
} from "../src/manifest/list-image.ts";
import { applyDelta, asBase, copyFold, emptyFold, foldChain } from "../src/manifest/fold.ts";
import { listEntry } from "../src/manifest/list-entry.ts";
import type { Entry, Manifest } from "../src/manifest/manifest.ts";
import {
  eachOrdinal,
  placesIn,
  pushRange,
  pushSlice,
  type Ranges,
  rangesLength,
} from "../src/manifest/ranges.ts";
import { parseManifest, printManifest } from "../src/manifest/text.ts";
import { manifests, told, toldOfChain, toldOfFold } from "./support/manifests.ts";

/** The model of a list: its elements' ordinals, one by one. */
const flat = (ranges: Ranges): string[] => [...eachOrdinal(ranges)].map(([lane, ord]) => `${lane}:${ord}`);

const ranges = fc
  .array(fc.tuple(fc.nat(2), fc.nat(40), fc.integer({ min: 1, max: 6 })), { maxLength: 12 })
  .map((parts) => {
    const built: number[] = [];
    for (const [lane, from, size] of parts) pushRange(built, lane, from, from + size);
    return built;
  });

describe("ranges", () => {
  it("slice, measure and find like the array of their ordinals", () => {
    fc.assert(
      fc.property(ranges, fc.nat(80), fc.nat(80), (list, a, b) => {
        const model = flat(list);
        const [from, to] = [Math.min(a, b), Math.max(a, b)];
        const part: number[] = [];
        pushSlice(part, list, from, to);
        expect(flat(part)).toEqual(model.slice(from, to));
        expect(rangesLength(list)).toBe(model.length);
        const places = model.flatMap((at, place) => (at === `1:${a}` ? place : []));
        expect(placesIn(list, 1, a)).toEqual(places);
      }),
    );
  });
});

/** A store of chunks, and a reader of what was stored. */
class Chunks {
  readonly stored: Ranges[] = [];
  written = 0;
  readonly store = (chunk: Ranges): readonly [number, number] => {
    this.written += chunk.length / 3;
    return [9, this.stored.push(chunk) - 1];
  };
  load(image: ListImage): LoadedList {
    if (image.chunks === undefined) return { image, ranges: image.tail, chunkRanges: [], chunks: undefined };
    const chunks = this.load(image.chunks);
    const chunkRanges = [...eachOrdinal(chunks.ranges)].map(([, ord]) => this.stored[ord] as Ranges);
    const all: number[] = [];
    for (const part of [...chunkRanges, image.tail]) {
      for (let i = 0; i < part.length; i += 3)
        pushRange(all, part[i] as number, part[i + 1] as number, part[i + 2] as number);
    }
    return { image, ranges: all, chunkRanges, chunks };
  }
}

type Edit = { kind: "append" | "replace" | "remove" | "insert" | "last"; at: number; size: number };
const edit: fc.Arbitrary<Edit> = fc.record({
  kind: fc.constantFrom("append", "append", "replace", "replace", "remove", "insert", "last"),
  at: fc.nat(1_000_000),
  size: fc.integer({ min: 1, max: 3 }),
});

const keep = (from: number, to: number): Piece[] => (from < to ? [{ keep: [from, to] }] : []);

function piecesOf({ kind, at, size }: Edit, length: number, next: number): Piece[] {
  const place = length === 0 ? 0 : at % length;
  const items: Piece = { items: [0, next, next + size] };
  switch (kind) {
    case "append":
      return [...keep(0, length), items];
    case "last":
      return [...keep(0, Math.max(0, length - 1)), items];
    case "insert":
      return [...keep(0, place), items, ...keep(place, length)];
    case "replace":
      return [...keep(0, place), items, ...keep(Math.min(length, place + 1), length)];
    case "remove":
      return [...keep(0, place), ...keep(Math.min(length, place + size), length)];
  }
}

function applyPieces(model: string[], pieces: readonly Piece[]): string[] {
  return pieces.flatMap((piece) =>
    "keep" in piece ? model.slice(piece.keep[0], piece.keep[1]) : flat(piece.items),
  );
}

function loose(image: ListImage): number {
  return image.tail.length / 3 + (image.chunks === undefined ? 0 : loose(image.chunks));
}

const levels = ({ chunks }: ListImage): number => 1 + (chunks === undefined ? 0 : levels(chunks));

describe("list images", () => {
  it("hold what the array holds, after any edits, and at most 16 ranges a level", () => {
    fc.assert(
      fc.property(fc.array(edit, { minLength: 1, maxLength: 400, size: "max" }), (edits) => {
        const chunks = new Chunks();
        let image = EMPTY_LIST;
        let model: string[] = [];
        let next = 0;
        for (const one of edits) {
          const pieces = piecesOf(one, model.length, next);
          next += one.size + 1;
          image = spliceList(chunks.load(image), pieces, chunks.store);
          model = applyPieces(model, pieces);
          expect(image.length).toBe(model.length);
          for (let level: ListImage | undefined = image; level !== undefined; level = level.chunks) {
            expect(level.tail.length / 3).toBeLessThanOrEqual(MAX_RANGES);
          }
        }
        expect(flat(chunks.load(image).ranges)).toEqual(model);
      }),
      { numRuns: 25 },
    );
  });

  it("change near their end without a chunk being read, to the same list", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 300 }),
        fc.array(edit, { maxLength: 20, size: "max" }),
        (before, edits) => {
          const chunks = new Chunks();
          let image = EMPTY_LIST;
          for (let i = 0; i < before; i += 1)
            image = appendRanges(image, [0, i * 2, i * 2 + 1], chunks.store);
          let model = flat(chunks.load(image).ranges);
          expect(model).toHaveLength(before);
          let next = 10_000;
          for (const one of edits) {
            const pieces = piecesOf(
              { ...one, kind: one.kind === "append" ? "append" : "last" },
              model.length,
              next,
            );
            next += one.size + 1;
            image = spliceTail(image, pieces, chunks.store);
            model = applyPieces(model, pieces);
          }
          expect(flat(chunks.load(image).ranges)).toEqual(model);
        },
      ),
    );
  });

  it("cost the same to change however ragged they are", () => {
    const chunks = new Chunks();
    let image = EMPTY_LIST;
    for (let i = 0; i < 20_000; i += 1) image = appendRanges(image, [0, i * 2, i * 2 + 1], chunks.store);
    expect(loose(image)).toBeLessThan(4 * MAX_RANGES);
    const written: number[] = [];
    for (let i = 0; i < 200; i += 1) {
      const before = chunks.written;
      const at = (i * 7919) % 20_000;
      image = spliceList(
        chunks.load(image),
        [{ keep: [0, at] }, { items: [0, 100_000 + i * 2, 100_001 + i * 2] }, { keep: [at + 1, 20_000] }],
        chunks.store,
      );
      written.push(chunks.written - before);
    }
    expect(image.length).toBe(20_000);
    expect(Math.max(...written)).toBeLessThan(6 * MAX_RANGES);
  });

  it.each([0, 1, 40])("cost the same to change when they grow at one place: %i", (place) => {
    const chunks = new Chunks();
    let image = appendRanges(EMPTY_LIST, [0, 0, place], chunks.store);
    const written: number[] = [];
    for (let i = 0; i < 500; i += 1) {
      const before = chunks.written;
      const items: Piece = { items: [1, i * 2, i * 2 + 1] };
      const pieces = [...keep(0, place), items, ...keep(place, image.length)];
      image = spliceList(chunks.load(image), pieces, chunks.store);
      written.push(chunks.written - before);
    }
    expect(levels(image)).toBeLessThan(6);
    expect(Math.max(...written)).toBeLessThan(6 * MAX_RANGES);
  });
});

const entry: fc.Arbitrary<Entry | null> = fc.oneof(
  fc.constant(null),
  fc.jsonValue().map((value): Entry => ({ kind: "inline", text: JSON.stringify(value) })),
  fc.tuple(fc.nat(3), fc.nat(99)).map(([lane, ord]): Entry => ({ kind: "item", lane, ord })),
  fc.nat(99).map((from): Entry => ({ kind: "map", lane: 1, from, to: from + 7 })),
  fc
    .tuple(fc.constantFrom("list" as const, "log" as const), ranges, fc.option(ranges))
    .map(([kind, tail, up]): Entry => {
      const chunks = up === null ? undefined : { length: rangesLength(up), tail: up, chunks: undefined };
      return listEntry(kind, { length: 5, tail, chunks });
    }),
);
const name = fc.oneof(
  fc.constantFrom("a", "b", "branch:to:x", "__proto__", "constructor", '"', "\u0000"),
  fc.string(),
);
const version = fc.oneof(fc.nat(9), fc.string(), fc.constant(null));
const manifest = manifests({ name, entry: fc.option(entry), version });

const set = (channel: string, size: number): Manifest => ({
  entries: [channel, { kind: "inline", text: `"${"x".repeat(size)}"` }],
  versions: 1,
  seen: [],
  format: undefined,
});

describe("manifests", () => {
  it("are read as they were written, whatever channels are called", () => {
    fc.assert(
      fc.property(manifest, (one) => {
        expect(told(parseManifest(printManifest(one)))).toEqual(told(one));
      }),
    );
  });

  it("fold to what they say one after another", () => {
    fc.assert(
      fc.property(fc.array(manifest, { maxLength: 8 }), (chain) => {
        expect(toldOfFold(foldChain(chain))).toEqual(toldOfChain(chain));
      }),
    );
  });

  it("fold to the same channels from a base as from the whole chain", () => {
    fc.assert(
      fc.property(fc.array(manifest, { maxLength: 8 }), fc.nat(7), (chain, at) => {
        const whole = toldOfFold(foldChain(chain));
        const base = foldChain(chain.slice(0, at));
        const untouched = copyFold(base);
        const rest = [asBase(base), ...chain.slice(at)];
        expect(toldOfFold(foldChain(rest))).toEqual(whole);
        // changing one must not reach the other: entries, versions and what every node has seen
        for (const node of base.seen.keys()) {
          const seen = [node, ["another channel", 1]];
          applyDelta(base, { entries: ["new", null], versions: ["new", 1], seen, format: undefined });
        }
        expect(untouched).toEqual(foldChain(chain.slice(0, at)));
      }),
    );
  });

  it("take at most about twice the deltas and one base in total", () => {
    const folded = emptyFold();
    for (let i = 0; i < 1000; i += 1) applyDelta(folded, set(`channel-${i}`, 20));
    const base = weigh(asBase(folded));
    let weight: ChainWeight = { base, deltas: 0 };
    let [deltas, total] = [0, 0];
    for (let i = 0; i < 20_000; i += 1) {
      const delta = set("channel-5", 20);
      applyDelta(folded, delta);
      deltas += weigh(delta);
      weight = { base: weight.base, deltas: weight.deltas + weigh(delta) };
      if (baseIsDue(weight)) {
        weight = { base: weigh(asBase(folded)), deltas: 0 };
        total += weight.base;
      } else total += weigh(delta);
    }
    expect(total).toBeLessThanOrEqual(2 * deltas + base);
  });
});
