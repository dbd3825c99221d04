import { AsyncLocalStorageProviderSingleton } from "@langchain/core/singletons";
import type { Attempted } from "./attempt.ts";

interface Job {
  readonly done: Promise<Attempted>;
  readonly deadline: number;
  /** There once it is done. */
  result?: Attempted;
}

/**
 * Summaries that this process writes beside its runs. It owns nothing else: what came of one goes
 * into a thread's state only through a hook, inside a superstep, and what nobody fetches is forgotten
 * after its deadline. A process that dies takes its jobs along; their leases run out.
 */
export class Jobs {
  readonly #jobs = new Map<string, Job>();

  /**
   * @param now - milliseconds since 1970, by the clock that the deadline is of
   * @param work - must not reject
   */
  start(id: string, deadline: number, now: number, work: () => Promise<Attempted>): void {
    for (const [other, job] of this.#jobs) {
      if (job.result !== undefined && job.deadline < now) this.#jobs.delete(other);
    }
    const job: Job = { done: outsideOfRuns(work), deadline };
    this.#jobs.set(id, job);
    void keep(job);
  }

  has(id: string): boolean {
    return this.#jobs.has(id);
  }

  /** What came of a job, and forgets it; undefined while it is at work or if this process has none. */
  take(id: string): Attempted | undefined {
    const result = this.#jobs.get(id)?.result;
    if (result !== undefined) this.#jobs.delete(id);
    return result;
  }

  /** Waits for a job of this process, or until the run is aborted. */
  async finish(id: string, signal: AbortSignal | undefined): Promise<Attempted | undefined> {
    const job = this.#jobs.get(id);
    if (job === undefined) return undefined;
    await orAborted(job.done, signal);
    return this.take(id);
  }
}

async function keep(job: Job): Promise<void> {
  job.result = await job.done;
}

/**
 * In a turn of the event loop of its own, and without the run's config: a model called from here
 * would otherwise stream into the run, and be aborted with it.
 */
function outsideOfRuns(work: () => Promise<Attempted>): Promise<Attempted> {
  return new Promise((resolve) => {
    AsyncLocalStorageProviderSingleton.getInstance().run(undefined, () => {
      setTimeout(() => resolve(work()), 0);
    });
  });
}

async function orAborted(done: Promise<unknown>, signal: AbortSignal | undefined): Promise<void> {
  if (signal === undefined) {
    await done;
    return;
  }
  signal.throwIfAborted();
  const listening = new AbortController();
  const aborted = new Promise<never>((_resolve, reject) => {
    const options = { once: true, signal: listening.signal };
    signal.addEventListener("abort", () => reject(signal.reason as Error), options);
  });
  try {
    await Promise.race([done, aborted]);
  } finally {
    listening.abort();
  }
}
