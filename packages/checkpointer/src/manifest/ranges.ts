/**
 * Ranges of ordinals, flat: `[lane, from, to, lane, from, to, ...]`, each `[from, to)` of a lane.
 * Neighbours that touch are always joined.
 */
export type Ranges = readonly number[];

/** Whether what came from outside is ranges. */
export function isRanges(value: unknown): value is Ranges {
  if (!Array.isArray(value) || value.length % 3 !== 0) return false;
  const ranges = value as readonly unknown[];
  if (!ranges.every((at) => Number.isSafeInteger(at) && (at as number) >= 0)) return false;
  for (let i = 0; i < ranges.length; i += 3)
    if ((ranges[i + 1] as number) > (ranges[i + 2] as number)) return false;
  return true;
}

export function rangesLength(ranges: Ranges): number {
  let length = 0;
  for (let i = 0; i < ranges.length; i += 3) length += (ranges[i + 2] as number) - (ranges[i + 1] as number);
  return length;
}

/** Appends a range in place, joined with the last one where they touch. */
export function pushRange(ranges: number[], lane: number, from: number, to: number): void {
  if (to <= from) return;
  const last = ranges.length - 3;
  if (last >= 0 && ranges[last] === lane && ranges[last + 2] === from) ranges[last + 2] = to;
  else ranges.push(lane, from, to);
}

/** Appends elements `[from, to)` of a list, given as ranges, in place. */
export function pushSlice(into: number[], ranges: Ranges, from: number, to: number): void {
  let at = 0;
  for (let i = 0; i < ranges.length && at < to; i += 3) {
    const [lane, start, end] = [ranges[i] as number, ranges[i + 1] as number, ranges[i + 2] as number];
    const size = end - start;
    if (at + size > from)
      pushRange(into, lane, start + Math.max(0, from - at), start + Math.min(size, to - at));
    at += size;
  }
}

/** Elements `[from, to)` of a list, given as ranges. */
export function slice(ranges: Ranges, from: number, to: number): Ranges {
  const part: number[] = [];
  pushSlice(part, ranges, from, to);
  return part;
}

/** The lane and ordinal of every element, in order. */
export function* eachOrdinal(ranges: Ranges): Generator<readonly [lane: number, ord: number]> {
  for (let i = 0; i < ranges.length; i += 3) {
    for (let ord = ranges[i + 1] as number; ord < (ranges[i + 2] as number); ord += 1)
      yield [ranges[i] as number, ord];
  }
}

/** Where an element stands in a list, given as ranges: nowhere, once, or more often where it was added again. */
export function placesIn(ranges: Ranges, lane: number, ord: number): number[] {
  const places: number[] = [];
  let at = 0;
  for (let i = 0; i < ranges.length; i += 3) {
    const [of, from, to] = [ranges[i], ranges[i + 1] as number, ranges[i + 2] as number];
    if (of === lane && ord >= from && ord < to) places.push(at + ord - from);
    at += to - from;
  }
  return places;
}
