import type { Awaitable } from "@skein/checkpointer";

/**
 * Goes on with a value at once where it is there, and waits only where it takes time. Not `then`: a
 * module that exports that name is itself awaited when it is imported at run time.
 */
export function andThen<T, U>(value: Awaitable<T>, use: (value: T) => Awaitable<U>): Awaitable<U> {
  return value instanceof Promise ? value.then(use) : use(value);
}

/**
 * Calls for each item, and waits for what takes time. Where one call fails at once while others are under way, what
 * those fail with is heard as well: a rejection that nobody hears of ends the process.
 */
export function forAll<T>(items: Iterable<T>, call: (item: T) => Awaitable<void>): Awaitable<void> {
  let waiting: Promise<void>[] | undefined;
  try {
    for (const item of items) {
      const done = call(item);
      if (done instanceof Promise) (waiting ??= []).push(done);
    }
  } catch (error) {
    if (waiting === undefined) throw error;
    waiting.push(Promise.reject(error));
  }
  return waiting && Promise.all(waiting).then(() => undefined);
}
