import type { Awaitable } from "@skein/checkpointer";

/**
 * Goes on with a value at once where it is there, and waits only where it takes time. Not `then`: a
 * module that exports that name is itself awaited when it is imported at run time.
 */
export function andThen<T, U>(value: Awaitable<T>, use: (value: T) => Awaitable<U>): Awaitable<U> {
  return value instanceof Promise ? value.then(use) : use(value);
}
