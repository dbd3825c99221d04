/** Writes that wait at most: the transaction of so many holds up neither the event loop nor other processes. */
const LARGEST = 64;

/** Taken before a test can replace it: who waits for a group must not wait for a fake clock. */
const { setImmediate } = globalThis;

interface Waiting {
  /** Makes the write within a transaction; throws where it cannot be made. */
  readonly together: () => unknown;
  /** Makes it on its own. */
  readonly alone: () => unknown;
  readonly resolve: (result: never) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Writes of several runs in one transaction: most of what a small transaction costs is the
 * transaction. A write waits for those that come in the same turn of the event loop, and its promise
 * settles when all of them are stored, so nobody takes for stored what is not.
 *
 * A group is stored as a whole. If one of its writes cannot be made, nothing of the group is kept and
 * each is made on its own, as if it had not met the others: what is wrong with one is no matter of its
 * neighbours.
 */
export class WriteGroup {
  readonly #transaction: <T>(body: () => T) => T;
  #waiting: Waiting[] = [];
  #scheduled = false;

  /** @param transaction - stores what its body writes as a whole, or nothing of it */
  constructor(transaction: <T>(body: () => T) => T) {
    this.#transaction = transaction;
  }

  add<T>(together: () => T, alone: () => T): Promise<T> {
    const stored = new Promise<T>((resolve, reject) => {
      this.#waiting.push({ together, alone, resolve, reject });
    });
    if (this.#waiting.length >= LARGEST) this.flush();
    else if (!this.#scheduled) {
      this.#scheduled = true;
      setImmediate(() => {
        this.#scheduled = false;
        this.flush();
      });
    }
    return stored;
  }

  /** Stores what waits, now. */
  flush(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    if (waiting.length < 2) return waiting.forEach(alone);
    let begun = false;
    let results: unknown[];
    try {
      results = this.#transaction(() => {
        begun = true;
        return waiting.map(({ together }) => together());
      });
    } catch (error) {
      if (begun) return waiting.forEach(alone);
      // another process keeps the database: each of them would wait for it as long again
      return waiting.forEach(({ reject }) => reject(error));
    }
    waiting.forEach(({ resolve }, i) => resolve(results[i] as never));
  }
}

function alone({ alone: write, resolve, reject }: Waiting): void {
  try {
    resolve(write() as never);
  } catch (error) {
    reject(error);
  }
}
