import type { Awaitable } from "@skein/checkpointer";

/** Goes on with a value at once where it is there, and waits only where it takes time. Named so since a module that exports `then` is itself awaited. */
export function andThen<T, U>(value: Awaitable<T>, use: (value: T) => Awaitable<U>): Awaitable<U> {
  return value instanceof Promise ? value.then(use) : use(value);
}
