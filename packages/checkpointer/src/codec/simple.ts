import type { WrittenMessage } from "./message-write.ts";

/** Longest string that is written without a look at the limits of strings. */
const SHORT = 65_536;
/** Values that are looked at before the rest is left to the `Encoder`. */
const MOST = 512;
/** Levels of nesting that are looked at: of a message, below it. */
export const DEEPEST = 16;

/** Of one look at a value: it is synchronous. */
let left = 0;

/**
 * JSON text of a value that needs no tag, which the engine's own writer prints; undefined for any other, also for
 * what throws when it is read: the `Encoder` knows where that is.
 */
export function simpleText(value: unknown): string | undefined {
  left = MOST;
  try {
    return isSimple(value, DEEPEST) ? JSON.stringify(value) : undefined;
  } catch {
    return undefined;
  }
}

/** The same for a message. */
export function simpleMessage({ tag, members, keys, tail }: WrittenMessage): string | undefined {
  left = MOST;
  const said: Record<string, unknown> = { $: tag };
  try {
    for (const key of keys) {
      const member = (members as Record<string, unknown>)[key];
      if (member === undefined) continue;
      if (!isSimple(member, DEEPEST)) return undefined;
      said[key] = member;
    }
    const text = JSON.stringify(said);
    return tail === "" ? text : `${text.slice(0, -1)}${tail}}`;
  } catch {
    return undefined;
  }
}

/** Data whatever its members say: one that was spread from a message is, too. */
export function isPlainObject(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function isSimple(value: unknown, depth: number): boolean {
  if (--left < 0) return false;
  switch (typeof value) {
    case "string":
      return value.length <= SHORT;
    case "number":
      return Number.isFinite(value) && !Object.is(value, -0);
    case "boolean":
      return true;
    case "object":
      if (value === null) return true;
      if (depth === 0) return false;
      return Array.isArray(value) ? isSimpleList(value, depth - 1) : isSimpleObject(value, depth - 1);
    default:
      return false;
  }
}

function isSimpleList(list: readonly unknown[], depth: number): boolean {
  if (list.length > left || "toJSON" in list) return false;
  // a hole reads as undefined, which needs a tag
  for (let at = 0; at < list.length; at += 1) if (!isSimple(list[at], depth)) return false;
  return true;
}

function isSimpleObject(value: object, depth: number): boolean {
  // `JSON.stringify` calls one that is not enumerable, too
  if (!isPlainObject(value) || "toJSON" in value) return false;
  for (const key in value) {
    // "$" is how tags begin; what a prototype lends is not the value's own
    if (key === "$" || !Object.hasOwn(value, key)) return false;
    if (!isSimple((value as Record<string, unknown>)[key], depth)) return false;
  }
  return true;
}
