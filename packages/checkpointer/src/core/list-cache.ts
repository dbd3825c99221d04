import { isMessage } from "../codec/message-kinds.ts";
import type { Codec } from "../codec/types.ts";
import type { Segment } from "../changeset/types.ts";
import type { ListImage } from "../manifest/list-image.ts";
import type { Known } from "./known.ts";

/** The last elements are decoded afresh for every reader: they are the ones that programs edit in place. */
export const FRESH = 4;
/** Messages before these whose content is compared at every reading. */
const RECENT = 256;
/** Of the messages before these, so many are compared at each reading, in turn. */
const PART = 512;
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

function sizeOf(known: Known | undefined, value: unknown): number {
  const content = known === undefined ? value : (known.text ?? known.content);
  return ELEMENT_BYTES + (typeof content === "string" ? content.length : ELEMENT_BYTES);
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
    const values = this.#values.slice();
    for (const i of this.#decodedAfresh()) {
      const known = this.#known[i];
      if (known?.text === undefined) continue;
      const fresh = codec.decode(known.text);
      identity.set(fresh as object, known);
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
    if (!appends) this.#clear();
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
    this.#known.push(known);
    this.#values.push(value);
    this.#contents.push(known?.content);
    this.#size += sizeOf(known, value);
  }

  evict(): void {
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
      const known = this.#known[i];
      if (known !== undefined && this.#values[i] !== undefined) known.text = undefined;
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
  #size = 0;

  /** @param limit - bytes, roughly */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Notes that a list is new, was read or has grown. */
  touch(list: Cached): void {
    this.#size += list.size - (this.#lists.get(list) ?? 0);
    this.#lists.delete(list);
    this.#lists.set(list, list.size);
    while (this.#size > this.#limit) {
      const oldest = this.#lists.keys().next().value;
      if (oldest === undefined) return;
      this.drop(oldest);
    }
  }

  drop(list: Cached): void {
    this.#size -= this.#lists.get(list) ?? 0;
    this.#lists.delete(list);
    list.evict();
  }
}
