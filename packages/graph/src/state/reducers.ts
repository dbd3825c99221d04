import { messagesStateReducer } from "../channels/messages-reducer.ts";
import { isPlain } from "../ids/plain.ts";

/** The last value stays. What a key without a reducer does, but several tasks of a step may write. */
function replace<Value>(_left: Value, right: Value): Value {
  return right;
}

/** One element, or a list of them, comes after what is there. */
function append<Element>(left: readonly Element[], right: Element | readonly Element[]): Element[] {
  return Array.isArray(right) ? [...left, ...(right as readonly Element[])] : [...left, right as Element];
}

/** Adds numbers. */
function increment(left: number, right: number): number {
  return left + right;
}

/**
 * Merges plain objects key by key, at any depth; everything else, arrays too, replaces what was
 * there. Neither argument is changed. A key `__proto__` is left out.
 */
function deepMerge<Value extends object>(left: Value, right: DeepPartial<Value>): Value {
  return merged(left, right) as Value;
}

/** Any part of an object, at any depth. */
export type DeepPartial<Value> = Value extends readonly unknown[]
  ? Value
  : Value extends object
    ? { [K in keyof Value]?: DeepPartial<Value[K]> }
    : Value;

function merged(left: unknown, right: unknown): unknown {
  if (!isPlain(left) || !isPlain(right)) return right;
  const result: Record<string, unknown> = { ...left };
  for (const [key, value] of Object.entries(right)) {
    if (key === "__proto__") continue;
    result[key] = Object.hasOwn(result, key) ? merged(result[key], value) : value;
  }
  return result;
}

/**
 * Reducers for common keys.
 *
 * @example
 * const State = Annotation.Root({
 *   notes: Annotation<string[], string | string[]>({ reducer: reducers.append, default: () => [] }),
 *   tokens: Annotation<number>({ reducer: reducers.increment, default: () => 0 }),
 * });
 */
export const reducers = { replace, append, deepMerge, increment, addMessages: messagesStateReducer } as const;
