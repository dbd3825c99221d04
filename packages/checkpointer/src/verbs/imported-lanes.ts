import type { Json } from "../codec/types.ts";
import type { NewItem } from "../core/backend.ts";
import { isHideText } from "../core/entries.ts";
import { RECORDS } from "../core/maps.ts";
import { CHUNKS, VALUES } from "../core/stage.ts";
import { mayRefer } from "../core/write-rows.ts";
import { isRanges, type Ranges } from "../manifest/ranges.ts";
import type { ImportedValues } from "./imported-values.ts";
import type { Line } from "./lines.ts";
import type { ItemUses, Span } from "./uses.ts";

/** A lane that came in. */
interface ImportedLane {
  readonly lane: number;
  readonly name: string;
  /** Ordinals of its items, ascending. */
  readonly spans: { from: number; to: number }[];
  /** Ordinals of items that are no elements of lists, ascending: of values that refer to others, of what hides messages. */
  readonly apart: number[];
  /** Of a lane of records: ordinals of items that are no change of the one before them, ascending. */
  readonly wholes: number[];
  /** Of the lane of chunks: what they hold. */
  readonly chunks: Map<number, Ranges>;
}

/** Reads the lines of lanes and items, and remembers which were there. */
export class ImportedLanes {
  readonly #values: ImportedValues;
  readonly #lanes = new Map<number, ImportedLane>();
  readonly #names = new Set<string>();
  #current: ImportedLane | undefined;

  constructor(values: ImportedValues) {
    this.#values = values;
  }

  lane(line: Line): { lane: number; name: string } {
    const [lane, name] = [line.count("lane"), line.text("name")];
    if (this.#lanes.has(lane) || this.#names.has(name)) throw line.wrong("is a lane that there is already");
    this.#current = { lane, name, spans: [], apart: [], wholes: [], chunks: new Map() };
    this.#lanes.set(lane, this.#current);
    this.#names.add(name);
    return { lane, name };
  }

  item(line: Line): NewItem {
    if (this.#current === undefined) throw line.wrong("is an item and stands before the first lane");
    const { lane, spans } = this.#current;
    const [ord, key, body] = [line.count("ord"), line.countOrNull("key"), line.encoded("body")];
    const last = spans.at(-1);
    if (last !== undefined && ord < last.to)
      throw line.wrong("is an item that does not come behind the one before it");
    if (last?.to === ord) last.to += 1;
    else spans.push({ from: ord, to: ord + 1 });
    this.#read(line, this.#current, ord, body);
    return { lane, ord, key, body };
  }

  #read(line: Line, { name, apart, wholes, chunks }: ImportedLane, ord: number, body: string): void {
    if (name === VALUES) {
      if (mayRefer(body)) apart.push(ord);
      this.#values.readReferring(line, body, line.json("body"));
    } else if (name === CHUNKS) {
      const ranges = line.json("body");
      if (!isRanges(ranges)) throw line.wrong("has no ranges of items");
      chunks.set(ord, ranges);
    } else if (name.startsWith(RECORDS)) {
      const record = line.object("body");
      if (!isChange(record)) wholes.push(ord);
      this.#values.read(line, record);
    } else if (isHideText(body)) {
      if (!isHide(line.object("body"))) throw line.wrong("names no messages");
      apart.push(ord);
    } else this.#values.read(line, line.json("body"));
  }

  /** Whether items of a lane, as far as it is there, can be elements of lists. */
  areElements(lane: number, from: number, to: number, isLog = false): boolean {
    const held = this.#lanes.get(lane);
    if (held === undefined) return true;
    if (held.name === CHUNKS || held.name.startsWith(RECORDS)) return false;
    return (isLog && held.name !== VALUES) || (firstFrom(held.apart, from) ?? to) >= to;
  }

  /** Whether the items behind the first are what changed in a record. */
  isRecord(lane: number, from: number, to: number): boolean {
    const held = this.#lanes.get(lane);
    if (held === undefined) return true;
    return held.name.startsWith(RECORDS) && (firstFrom(held.wholes, from + 1) ?? to) >= to;
  }

  isValue(lane: number): boolean {
    const held = this.#lanes.get(lane);
    return held === undefined || held.name === VALUES;
  }

  /** The items of a chunk's list. Undefined for what is no chunk. */
  chunk(lane: number, ord: number): Ranges | undefined {
    return this.#lanes.get(lane)?.chunks.get(ord);
  }

  /** Whether all references are to what can be elements. */
  resolve(references: ItemUses): boolean {
    return [...this.#lanes.keys()].every((lane) =>
      references.needed(lane).every(({ from, to }) => this.areElements(lane, from, to)),
    );
  }

  /** What is used and was not there. */
  lost(uses: ItemUses): (Span & { readonly lane: number }) | undefined {
    for (const { lane, spans } of this.#lanes.values()) {
      let at = 0;
      for (const span of uses.needed(lane)) {
        while (at < spans.length && (spans[at] as Span).to < span.to) at += 1;
        const own = spans[at];
        if (own === undefined || own.from > span.from) return { lane, ...span };
      }
    }
    return uses.without([...this.#lanes.values()])[0];
  }
}

type Node = { readonly [key: string]: Json };

/** @param ordinals - ascending */
function firstFrom(ordinals: readonly number[], ord: number): number | undefined {
  let [from, to] = [0, ordinals.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((ordinals[middle] as number) < ord) from = middle + 1;
    else to = middle;
  }
  return ordinals[from];
}

/** What changed in a record. */
function isChange({ set, gone }: Node): boolean {
  return typeof set === "object" && set !== null && !Array.isArray(set) && isTexts(gone);
}

/** An entry of an archive that hides messages. */
function isHide({ ids, keep = [] }: Node): boolean {
  return isTexts(ids) && isTexts(keep);
}

const isTexts = (value: Json | undefined): boolean =>
  Array.isArray(value) && value.every((text) => typeof text === "string");
