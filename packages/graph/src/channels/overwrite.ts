import { InvalidUpdateError } from "../errors/errors.ts";

const OVERWRITE = Symbol.for("skein.overwrite");

/** What an {@link Overwrite} is in JSON, where it counts as data (I10). */
interface OverwriteJson<Value> {
  readonly __overwrite__: Value;
}

/** An {@link Overwrite}, or what it is in JSON. */
export type OverwriteValue<Value = unknown> = Overwrite<Value> | OverwriteJson<Value>;

/**
 * Written to a key with a reducer, replaces its value instead of being merged into it. At most one
 * a step and key. Recognised by brand (I10): `{"__overwrite__": ...}` in JSON is ordinary data.
 *
 * @example
 * return { messages: new Overwrite([]) };
 */
export class Overwrite<Value = unknown> {
  readonly [OVERWRITE] = true;
  readonly lg_name = "Overwrite";
  readonly value: Value;

  constructor(value: Value) {
    this.value = value;
  }
  static isInstance<Value = unknown>(value: unknown): value is Overwrite<Value> {
    return typeof value === "object" && value !== null && OVERWRITE in value;
  }
  toJSON(): OverwriteJson<Value> {
    return { __overwrite__: this.value };
  }
}

/** Folds the writes of a step, in task order, into a value; an Overwrite wins over its siblings. */
export function fold<Value>(
  start: Value | undefined,
  writes: readonly unknown[],
  reduce: (left: Value, right: unknown) => Value,
): Value {
  let value = start;
  let overwritten = false;
  for (const write of writes) {
    if (Overwrite.isInstance<Value>(write)) {
      if (overwritten) throw new InvalidUpdateError("Can receive only one Overwrite value per step.");
      overwritten = true;
      value = write.value;
    } else if (overwritten) continue;
    else value = value === undefined ? (write as Value) : reduce(value, write);
  }
  return value as Value;
}
