import type { ChannelChange, Segment } from "@skein/checkpointer";

/**
 * Says how a list became another, as segments of the old one and new elements. Elements are
 * compared by identity: from both ends, then, where both lists have a middle, by a table of the
 * old middle. Costs about a nanosecond an element outside the middle.
 *
 * An object that was written again may have been edited in place. It is added, not kept: the saver
 * knows what it stored and takes it for the same element if it still is that.
 *
 * @param lane - the lane of a new element; undefined for the channel's own
 * @param written - objects that this change's writes hold
 */
export function listChange(
  old: readonly unknown[] | undefined,
  list: readonly unknown[],
  lane?: (element: unknown) => string | undefined,
  written?: ReadonlySet<unknown>,
): ChannelChange {
  const segments: Segment[] = [];
  const base = old ?? [];
  const shorter = Math.min(base.length, list.length);
  const isKept = (a: unknown, b: unknown): boolean => a === b && !written?.has(a);
  let head = 0;
  while (head < shorter && isKept(base[head], list[head])) head += 1;
  let tail = 0;
  while (tail < shorter - head && isKept(base[base.length - 1 - tail], list[list.length - 1 - tail]))
    tail += 1;
  if (head > 0) segments.push({ keep: [0, head] });
  middle(segments, base, list, head, tail, lane, written);
  if (tail > 0) segments.push({ keep: [base.length - tail, base.length] });
  return { op: "list", segments };
}

function middle(
  segments: Segment[],
  base: readonly unknown[],
  list: readonly unknown[],
  head: number,
  tail: number,
  lane: ((element: unknown) => string | undefined) | undefined,
  written: ReadonlySet<unknown> | undefined,
): void {
  const end = list.length - tail;
  if (head === end) return;
  let places: Map<unknown, number> | undefined;
  for (let i = head; i < base.length - tail; i += 1) {
    const element = base[i];
    if (typeof element === "object" && element !== null && !written?.has(element))
      (places ??= new Map()).set(element, i);
  }
  for (let i = head; i < end; i += 1) {
    const element = list[i];
    const place = places?.get(element);
    if (place === undefined) added(segments, element, lane?.(element));
    else kept(segments, place);
  }
}

function kept(segments: Segment[], place: number): void {
  const last = segments.at(-1);
  if (last !== undefined && "keep" in last && last.keep[1] === place) {
    segments[segments.length - 1] = { keep: [last.keep[0], place + 1] };
  } else segments.push({ keep: [place, place + 1] });
}

function added(segments: Segment[], element: unknown, lane: string | undefined): void {
  const last = segments.at(-1);
  if (last !== undefined && "add" in last && last.lane === lane) (last.add as unknown[]).push(element);
  else segments.push(lane === undefined ? { add: [element] } : { add: [element], lane });
}

/**
 * Remembers the list at the last change, so that a channel can say what became of it. Says so when
 * it cannot be relied on any more: a node or a reducer may have edited the array in place.
 */
export class Baseline {
  #list: readonly unknown[] | undefined;
  #length = 0;
  #first: unknown;
  #last: unknown;

  constructor(value: unknown) {
    this.set(Array.isArray(value) ? value : undefined);
  }
  set(list: readonly unknown[] | undefined): void {
    this.#list = list;
    if (list === undefined) return;
    this.#length = list.length;
    this.#first = list[0];
    this.#last = list[list.length - 1];
  }
  forget(): void {
    this.#list = undefined;
  }
  /** The list as it is stored; undefined when that is not known. */
  get(): readonly unknown[] | undefined {
    const base = this.#list;
    if (base === undefined || base.length !== this.#length) return undefined;
    return base[0] === this.#first && base[base.length - 1] === this.#last ? base : undefined;
  }
  /**
   * @param asList - whether an array of this channel is stored element by element
   * @param written - objects that this change's writes hold
   */
  change(value: unknown, asList: boolean, written?: ReadonlySet<unknown>): ChannelChange {
    if (!Array.isArray(value) || !asList) {
      this.forget();
      return value === undefined ? { op: "clear" } : { op: "set", value };
    }
    // a reducer that returned the very array that it was given has edited it
    const base = this.#list === value ? undefined : this.get();
    const change = listChange(base, value, undefined, written);
    this.set(value);
    return change;
  }
}
