import { isBaseMessage } from "@langchain/core/messages";

/**
 * A copy to try reducers on, which may change it in place at any depth. Messages are shared: nobody changes one that
 * is written, and lists of them are long.
 *
 * @throws where something cannot be copied, or holds itself
 */
export function copied<T>(value: T): T;
export function copied(value: unknown): unknown {
  if (typeof value !== "object" || value === null || isBaseMessage(value)) return value;
  if (Array.isArray(value)) return value.map(copied);
  // a date, a map, bytes
  if ({}.toString.call(value) !== "[object Object]") return structuredClone(value);
  const copy = Object.assign(Object.create(Object.getPrototypeOf(value) as object), value);
  for (const key in copy) copy[key] = copied(copy[key]);
  return copy;
}
