import { heeding } from "@skein/graph";

/** Lets calls on one thread come one after another, in the order they were made. */
export class ThreadQueue {
  readonly #last = new Map<string, Promise<void>>();

  /** Whether calls on a thread wait, or run. */
  isBusy(threadId: string): boolean {
    return this.#last.has(threadId);
  }

  /**
   * Resolves when it is the caller's turn, to what ends it.
   *
   * @param signal - a call that is stopped while it waits has no turn: rejects with the signal's reason
   */
  async enter(threadId: string, signal?: AbortSignal): Promise<() => void> {
    const before = this.#last.get(threadId);
    let end: (() => void) | undefined;
    const mine = new Promise<void>((resolve) => {
      end = resolve;
    });
    this.#last.set(threadId, mine);
    const leave = (): void => {
      // nobody came after: nothing of the thread is kept
      if (this.#last.get(threadId) === mine) this.#last.delete(threadId);
      end?.();
    };
    try {
      // of what is no signal the graph says so
      if (before !== undefined) await heeding(signal instanceof AbortSignal ? signal : undefined, before);
    } catch (error) {
      // who comes after waits for those before, as this one did
      void before?.then(leave);
      throw error;
    }
    return leave;
  }
}
