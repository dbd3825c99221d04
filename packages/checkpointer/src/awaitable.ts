import type { Awaitable } from "./changeset/types.ts";

/** A computation that may have to wait: `yield* wait(...)` for what an `await` would be. */
export type Steps<R> = Generator<Promise<unknown>, R, unknown>;

/** Waits for a promise; a value it gives back without a pause. */
export function* wait<T>(value: Awaitable<T>): Steps<T> {
  return value instanceof Promise ? ((yield value) as T) : value;
}

/**
 * Runs steps: to the end at once when nothing has to be waited for, so that a memory or SQLite
 * saver answers with plain values, else as a promise.
 */
export function run<R>(steps: Steps<R>): Awaitable<R> {
  const first = steps.next();
  return first.done === true ? first.value : finish(steps, first.value);
}

async function finish<R>(steps: Steps<R>, waiting: Promise<unknown>): Promise<R> {
  for (let promise = waiting; ;) {
    let step: IteratorResult<Promise<unknown>, R>;
    try {
      const value = await promise;
      step = steps.next(value);
    } catch (error) {
      step = steps.throw(error);
    }
    if (step.done === true) return step.value;
    promise = step.value;
  }
}
