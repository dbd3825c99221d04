import { isBaseMessage } from "@langchain/core/messages";
import { isPlain } from "../ids/plain.ts";

/**
 * A copy to try reducers on, which may change it in place at any depth. Messages are shared: nobody changes one that
 * is written, and lists of them are long. So is what cannot be copied, and with `share` every instance of a class: it
 * may have private fields.
 *
 * @throws where something holds itself
 */
export function copied<T>(value: T, share?: boolean): T;
export function copied(value: unknown, share?: boolean): unknown {
  if (typeof value !== "object" || value === null || isBaseMessage(value)) return value;
  const copy = (one: unknown): unknown => copied(one, share);
  if (Array.isArray(value)) return value.map(copy);
  if (value instanceof Map) return new Map(Array.from(value, ([key, one]) => [key, copy(one)]));
  if (value instanceof Set) return new Set(Array.from(value, copy));
  if (value instanceof Date || ArrayBuffer.isView(value)) return structuredClone(value);
  const keys = Object.keys(value);
  if ((share || keys.length === 0) && !isPlain(value)) return value;
  const object: Record<string, unknown> = { __proto__: Object.getPrototypeOf(value), ...value };
  for (const key of keys) object[key] = copy(object[key]);
  return object;
}
