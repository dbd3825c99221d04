import { isMessage } from "../codec/messages.ts";
import type { Codec } from "../codec/types.ts";
import type { Segment } from "../changeset/types.ts";
import type { ListImage } from "../manifest/list-image.ts";
import type { Known } from "./known.ts";

/** The last elements are decoded afresh for every reader: they are the ones that programs edit in place. */
const FRESH = 4;
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

function sizeOf({ known, value }: CachedElement): number {
  const content = known === undefined ? value : (known.text ?? known.content);
  return ELEMENT_BYTES + (typeof content === "string" ? content.length : ELEMENT_BYTES);
}

/**
 * The elements of a list of a head, kept decoded from one run to the next.
 *
 * A program must not see its own edits in place come back as if they were stored. So whatever is
 * not a message, and the last four messages, are decoded anew for every reader; of every other
 * message the content is compared with what it was when it was stored, and a difference discards
 * the list. An edit of anything else in an older message is not noticed until the list is evicted.
 */
export class CachedList {
  image: ListImage;
  evicted = false;
  #elements: CachedElement[];
  #size = 0;

  constructor(image: ListImage, elements: CachedElement[]) {
    this.image = image;
    this.#elements = elements;
    for (const element of elements) this.#size += sizeOf(element);
    this.#dropTexts(0);
  }

  /** In bytes, roughly. */
  get size(): number {
    return this.#size;
  }

  /** A fresh array; undefined when somebody edited an element. */
  read(codec: Codec, identity: WeakMap<object, Known>): unknown[] | undefined {
    const elements = this.#elements;
    const values: unknown[] = [];
    for (let i = 0; i < elements.length; i += 1) {
      const { known, value } = elements[i] as CachedElement;
      if (known?.text !== undefined) {
        const fresh = codec.decode(known.text);
        identity.set(fresh as object, known);
        values.push(fresh);
      } else if (known === undefined || (value as { content?: unknown }).content === known.content)
        values.push(value);
      else return undefined;
    }
    return values;
  }

  /** Follows a committed change. @param added - the elements of its `add` segments, in order */
  follow(segments: readonly Segment[], added: readonly CachedElement[], image: ListImage): void {
    const old = this.#elements;
    const [first] = segments;
    const appends =
      first !== undefined && "keep" in first && first.keep[0] === 0 && first.keep[1] === old.length;
    let next: CachedElement[] = appends ? old : [];
    const before = next.length;
    let taken = 0;
    for (const segment of appends ? segments.slice(1) : segments) {
      if ("keep" in segment) {
        // a copy: `old` may be what is being appended to
        next = [...next, ...old.slice(segment.keep[0], segment.keep[1])];
      } else {
        for (let i = 0; i < segment.add.length; i += 1) {
          const element = added[taken + i] as CachedElement;
          next.push(element);
          this.#size += sizeOf(element);
        }
        taken += segment.add.length;
      }
    }
    if (!appends) this.#size = next.reduce((size, element) => size + sizeOf(element), 0);
    this.#elements = next;
    this.image = image;
    this.#dropTexts(appends ? Math.max(0, before - FRESH) : 0);
  }

  #dropTexts(from: number): void {
    for (let i = from; i < this.#elements.length - FRESH; i += 1) {
      const { known, value } = this.#elements[i] as CachedElement;
      if (known !== undefined && value !== undefined) known.text = undefined;
    }
  }
}

/** The cached lists of one saver, within a bound; the one that was read longest ago goes first. */
export class ListCache {
  readonly #limit: number;
  readonly #lists = new Map<CachedList, number>();
  #size = 0;

  /** @param limit - bytes, roughly */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Notes that a list is new, was read or has grown. */
  touch(list: CachedList): void {
    this.#size += list.size - (this.#lists.get(list) ?? 0);
    this.#lists.delete(list);
    this.#lists.set(list, list.size);
    while (this.#size > this.#limit) {
      const oldest = this.#lists.keys().next().value;
      if (oldest === undefined) return;
      this.drop(oldest);
    }
  }

  drop(list: CachedList): void {
    this.#size -= this.#lists.get(list) ?? 0;
    this.#lists.delete(list);
    list.evicted = true;
  }
}
