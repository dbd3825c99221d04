import type { Codec } from "../../codec/types.ts";

/**
 * Whether two values of an item are the same data: lists, objects, maps and sets by what is in
 * them, other objects (dates, URLs, errors, messages) by what the codec stores of them.
 */
export function sameData(a: unknown, b: unknown, codec: Codec): boolean {
  if (a === b || Object.is(a, b)) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (a instanceof Date && b instanceof Date) return Object.is(a.getTime(), b.getTime());
  const kind = kindOf(a);
  if (kind === "other" || kindOf(b) === "other") return sameWhenStored(a, b, codec);
  if (kind !== kindOf(b)) return false;
  const same = (x: unknown, y: unknown): boolean => sameData(x, y, codec);
  if (kind === "set" || kind === "map")
    return sameElements([...(a as Set<unknown>)], [...(b as Set<unknown>)], same);
  const [left, right] = [Object.entries(a), Object.entries(b)];
  return (
    left.length === right.length &&
    left.every(([key, value]) => Object.hasOwn(b, key) && same(value, (b as Record<string, unknown>)[key]))
  );
}

function kindOf(value: object): "list" | "object" | "map" | "set" | "other" {
  if (Array.isArray(value)) return "list";
  if (value instanceof Map) return "map";
  if (value instanceof Set) return "set";
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null ? "object" : "other";
}

/** Whether two lists hold the same, in any order. */
function sameElements(
  left: readonly unknown[],
  right: unknown[],
  same: (a: unknown, b: unknown) => boolean,
): boolean {
  if (left.length !== right.length) return false;
  return left.every((each) => {
    const at = right.findIndex((other) => same(each, other));
    if (at >= 0) right.splice(at, 1);
    return at >= 0;
  });
}

function sameWhenStored(a: object, b: object, codec: Codec): boolean {
  const [left, right] = [storedTree(a, codec), storedTree(b, codec)];
  return left !== undefined && right !== undefined && sameData(left, right, codec);
}

/** Undefined for what cannot be stored, which nothing stored is equal to. */
function storedTree(value: object, codec: Codec): unknown {
  try {
    return JSON.parse(codec.encode(value));
  } catch {
    return undefined;
  }
}
