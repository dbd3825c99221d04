import type { Write } from "./program.ts";

const SEVERAL = Symbol.for("skein.several");

/**
 * What a graph that is a node hands its caller for one key when it wrote the key more than once:
 * every write counts, in order. Recognised by brand (I10), never stored: it becomes ordinary writes.
 */
export class Several {
  readonly [SEVERAL] = true;
  readonly writes: readonly unknown[];
  /** What streams and traces show of it. */
  readonly value: unknown;

  constructor(writes: readonly unknown[], value: unknown) {
    this.writes = writes;
    this.value = value;
  }
  toJSON(): unknown {
    return this.value;
  }
}

export function isSeveral(value: unknown): value is Several {
  return typeof value === "object" && value !== null && SEVERAL in value;
}

/** The writes one by one; the same array if nothing stands for several. */
export function expand(writes: readonly Write[]): readonly Write[] {
  if (!writes.some(([, value]) => isSeveral(value))) return writes;
  return writes.flatMap(([key, value]) =>
    isSeveral(value) ? value.writes.map((write): Write => [key, write]) : [[key, value] satisfies Write],
  );
}

/** What a graph that is a node returned, as it is shown; the same object if nothing in it stands for several. */
export function shownReturn(returned: unknown): unknown {
  if (typeof returned !== "object" || returned === null) return returned;
  const given = Object.entries(returned);
  const writes = shown(given);
  return writes === given ? returned : Object.fromEntries(writes);
}

/** The writes as they are shown; the same array if nothing stands for several. */
export function shown(writes: readonly Write[]): readonly Write[] {
  if (!writes.some(([, value]) => isSeveral(value))) return writes;
  return writes.map(([key, value]): Write => [key, isSeveral(value) ? value.value : value]);
}
