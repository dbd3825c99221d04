/** Lets calls on one thread come one after another, in the order they were made. */
export class ThreadQueue {
  readonly #last = new Map<string, Promise<void>>();

  /** Resolves when it is the caller's turn, to what ends it. */
  async enter(threadId: string): Promise<() => void> {
    const before = this.#last.get(threadId);
    let leave: (() => void) | undefined;
    const mine = new Promise<void>((resolve) => {
      leave = resolve;
    });
    this.#last.set(threadId, mine);
    await before;
    return () => {
      // nobody came after: nothing of the thread is kept
      if (this.#last.get(threadId) === mine) this.#last.delete(threadId);
      leave?.();
    };
  }
}
