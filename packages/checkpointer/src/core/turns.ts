import type { Awaitable } from "../changeset/types.ts";

/**
 * Calls on one thread, one after the other in the order they came. What is remembered of a thread
 * is changed by a call in several steps, between which a backend may be waited for; a backend that
 * answers at once never makes a queue.
 *
 * A call must not wait for another one on its own thread.
 */
export class Turns {
  readonly #last = new Map<string, Promise<unknown>>();
  readonly #putOff = new Map<string, () => Awaitable<void>>();

  take<T>(threadId: string, call: () => Awaitable<T>): Awaitable<T> {
    const before = this.#putOff.get(threadId);
    if (before !== undefined && this.#putOff.delete(threadId)) void this.take(threadId, before);
    const last = this.#last.get(threadId);
    const result = last === undefined ? call() : last.then(call, call);
    if (!(result instanceof Promise)) return result;
    this.#last.set(threadId, result);
    const ended = (): void => {
      if (this.#last.get(threadId) === result) this.#last.delete(threadId);
    };
    result.then(ended, ended);
    return result;
  }

  /**
   * Puts a call off until the next one on its thread, which it comes before, or until it is taken back.
   *
   * @param call - never fails
   */
  putOff(threadId: string, call: () => Awaitable<void>): void {
    this.#putOff.set(threadId, call);
  }

  /** @returns false where it was made already */
  takeBack(threadId: string): boolean {
    return this.#putOff.delete(threadId);
  }

  /** Whether a call on the thread has not ended yet. */
  isBusy(threadId: string): boolean {
    return this.#last.has(threadId);
  }
}
