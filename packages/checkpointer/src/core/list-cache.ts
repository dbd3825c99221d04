import { isMessage } from "../codec/message-kinds.ts";
import type { Codec } from "../codec/types.ts";
import type { Segment } from "../changeset/types.ts";
import type { ListImage } from "../manifest/list-image.ts";
import type { Ranges } from "../manifest/ranges.ts";
import { noteDropped, noteUnnamed, type Known } from "./known.ts";

/** The last elements are decoded afresh for every reader: they are the ones that programs edit in place. */
export const FRESH = 4;
/** Messages before these whose content is compared at every reading. */
const RECENT = 256;
/** Of the messages before these, so many are compared at each reading, in turn. */
const PART = 512;
/** Objects that are looked for in a list before its elements are made known: each time is one pass. */
const LOOKS = 32;
/** Elements that a reader can append before his array has to be copied. */
const ROOM: readonly undefined[] = Array.from({ length: 8 }, () => undefined);
/** About what an element takes in memory beside its text. */
const ELEMENT_BYTES = 512;

/** An element as it is kept. */
export interface CachedElement {
  /** Undefined for an element without identity, which nobody can edit. */
  readonly known: Known | undefined;
  /** Undefined for an object that is no message: it is decoded from its text. */
  readonly value: unknown;
}

export function keptElement(value: unknown, known: Known | undefined): CachedElement {
  return { known, value: known === undefined || isMessage(value as object) ? value : undefined };
}

const sizeOf = (content: unknown): number =>
  ELEMENT_BYTES + (typeof content === "string" ? content.length : ELEMENT_BYTES);

/**
 * A list that was read, until its messages are known by identity: to be made known, which takes an object and
 * an entry of a weak map each, is a sixth of reading them, and most are never asked for.
 */
interface Unknown {
  readonly ranges: Ranges;
  readonly identity: WeakMap<object, Known>;
  looks: number;
}

/**
 * The elements of a list of a head, kept decoded from one run to the next.
 *
 * A program must not see its own edits in place come back as if they were stored. So whatever is
 * not a message, and the last four messages, are decoded anew for every reader; of the 256 before
 * them the content is compared with what it was when it was stored, of those further back 512 at a
 * reading, in turn, and a difference discards the list. An edit of anything else in an older message
 * is not noticed until the list is evicted.
 *
 * What reading needs stands in arrays of its own, in the order of the elements, so that reading is
 * copying one array (I7).
 */
export class CachedList implements Cached {
  image: ListImage;
  evicted = false;
  #known: (Known | undefined)[] = [];
  /** The element, for a message or whatever has no identity. */
  #values: unknown[] = [];
  /** What the content of a message was when it was stored. */
  #contents: unknown[] = [];
  /** Positions of objects that are no messages, ascending. */
  #texts: number[] = [];
  #size = 0;
  /** Where the next part begins. */
  #part = 0;
  /** Undefined when `identity` has all of its objects. */
  #unknown: Unknown | undefined;

  constructor(image: ListImage) {
    this.image = image;
  }

  static of(image: ListImage, elements: readonly CachedElement[]): CachedList {
    const list = new CachedList(image);
    for (const { known, value } of elements) list.push(known, value);
    list.#dropTexts(0);
    return list;
  }

  /** In bytes, roughly. */
  get size(): number {
    return this.#size;
  }

  /** A fresh array; undefined when somebody edited an element. */
  read(codec: Codec, identity: WeakMap<object, Known>): unknown[] | undefined {
    if (this.#isEdited()) return undefined;
    // with room for what a step appends: for an array of more than 16,384 elements V8 asks the system for memory
    const values = this.#values.concat(ROOM);
    values.length -= ROOM.length;
    for (const i of this.#decodedAfresh()) {
      const known = this.#known[i];
      if (known?.text === undefined) continue;
      const fresh = codec.decode(known.text) as object;
      if (this.#values[i] !== undefined) noteUnnamed(fresh);
      identity.set(fresh, known);
      values[i] = fresh;
    }
    return values;
  }

  /** Compares the content of some of the messages with what was stored: the last ones, and a part of the others. */
  #isEdited(): boolean {
    const end = this.#values.length - FRESH;
    const recent = Math.max(0, end - RECENT);
    const from = this.#part < recent ? this.#part : 0;
    this.#part = from + PART;
    return this.#differs(recent, this.#values.length) || this.#differs(from, Math.min(recent, this.#part));
  }

  #differs(from: number, to: number): boolean {
    const values = this.#values;
    const contents = this.#contents;
    for (let i = from; i < to; i += 1) {
      const value = values[i];
      if (typeof value !== "object" || value === null) continue;
      if ((value as { content?: unknown }).content === contents[i]) continue;
      // those that are decoded afresh may be edited
      if (this.#known[i]?.text === undefined) return true;
    }
    return false;
  }

  *#decodedAfresh(): Iterable<number> {
    yield* this.#texts;
    for (let i = Math.max(0, this.#values.length - FRESH); i < this.#values.length; i += 1) {
      if (this.#values[i] !== undefined) yield i;
    }
  }

  /** Follows a committed change. @param added - the elements of its `add` segments, in order */
  follow(segments: readonly Segment[], added: readonly CachedElement[], image: ListImage): void {
    const known = this.#known;
    const values = this.#values;
    const [first] = segments;
    const appends =
      first !== undefined && "keep" in first && first.keep[0] === 0 && first.keep[1] === known.length;
    const before = appends ? known.length : 0;
    if (!appends) {
      this.makeKnown();
      this.#clear();
    }
    let taken = 0;
    for (const segment of appends ? segments.slice(1) : segments) {
      if ("keep" in segment) {
        for (let i = segment.keep[0]; i < segment.keep[1]; i += 1) this.push(known[i], values[i]);
      } else {
        for (const element of added.slice(taken, taken + segment.add.length))
          this.push(element.known, element.value);
        taken += segment.add.length;
      }
    }
    this.image = image;
    this.#dropTexts(Math.max(0, before - FRESH));
  }

  /** The next element, of a list that is being filled. @param value - see `CachedElement` */
  push(known: Known | undefined, value: unknown): void {
    if (known !== undefined && value === undefined) this.#texts.push(this.#known.length);
    this.#push(known, value, known?.content);
    this.#size += sizeOf(known === undefined ? value : (known.text ?? known.content));
  }

  /** The next element if it is a message, which becomes known when somebody asks: see `mayHold`. */
  pushMessage(value: object): boolean {
    if (!isMessage(value)) return false;
    noteUnnamed(value);
    this.#push(undefined, value, value.content);
    this.#size += sizeOf(value.content);
    return true;
  }

  #push(known: Known | undefined, value: unknown, content: unknown): void {
    this.#known.push(known);
    this.#values.push(value);
    this.#contents.push(content);
  }

  /** To be called when a list was filled. @param ranges - where its elements stand */
  filled(ranges: Ranges, identity: WeakMap<object, Known>): void {
    this.#unknown = { ranges, identity, looks: 0 };
  }

  /** Whether `identity` has all of its objects. */
  get isKnown(): boolean {
    return this.#unknown === undefined;
  }

  /** Whether an object may be an element that `identity` does not know. */
  mayHold(object: object): boolean {
    const unknown = this.#unknown;
    if (unknown === undefined || !isMessage(object)) return false;
    unknown.looks += 1;
    return unknown.looks > LOOKS || this.#values.includes(object);
  }

  /** Makes its messages known by identity, with the content that they had when they were read. */
  makeKnown(): void {
    const unknown = this.#unknown;
    if (unknown === undefined) return;
    this.#unknown = undefined;
    const { ranges, identity } = unknown;
    let at = 0;
    for (let i = 0; i < ranges.length; i += 3) {
      const lane = ranges[i] as number;
      for (let ord = ranges[i + 1] as number; ord < (ranges[i + 2] as number); ord += 1, at += 1) {
        const value = this.#values[at];
        if (this.#known[at] !== undefined || typeof value !== "object" || value === null) continue;
        const known: Known = { lane, ord, content: this.#contents[at], text: undefined };
        this.#known[at] = known;
        identity.set(value, known);
      }
    }
  }

  evict(): void {
    this.makeKnown();
    this.evicted = true;
    this.#clear();
  }

  #clear(): void {
    this.#known = [];
    this.#values = [];
    this.#contents = [];
    this.#texts = [];
    this.#size = 0;
  }

  #dropTexts(from: number): void {
    for (let i = from; i < this.#known.length - FRESH; i += 1) {
      const [known, value] = [this.#known[i], this.#values[i]];
      if (known?.text === undefined || value === undefined) continue;
      known.text = undefined;
      noteDropped(value as object);
    }
  }
}

/** What takes memory and can be thrown away. */
export interface Cached {
  readonly size: number;
  /** Lets go of what it holds. */
  evict(): void;
}

/** What one saver keeps decoded, within a bound; what was read longest ago goes first. */
export class ListCache {
  readonly #limit: number;
  readonly #lists = new Map<Cached, number>();
  #newest: Cached | undefined;
  #size = 0;

  /** @param limit - bytes, roughly */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Notes that a list is new, was read or has grown. */
  touch(list: Cached): void {
    const { size } = list;
    this.#size += size - (this.#lists.get(list) ?? 0);
    // a map is made anew where much was taken out of it, and a run touches one list again and again
    if (list !== this.#newest) this.#lists.delete(list);
    this.#newest = list;
    this.#lists.set(list, size);
    while (this.#size > this.#limit) {
      const oldest = this.#lists.keys().next().value;
      if (oldest === undefined) return;
      this.drop(oldest);
    }
  }

  drop(list: Cached): void {
    this.#size -= this.#lists.get(list) ?? 0;
    this.#lists.delete(list);
    if (list === this.#newest) this.#newest = undefined;
    list.evict();
  }
}
