import { GraphError } from "@skein/errors";
import type { Awaitable, Claim, Opened, OpenOptions } from "../changeset/types.ts";
import { wait, type Steps } from "../awaitable.ts";
import type { Backend, HeadRow } from "./backend.ts";
import { pause } from "./pause.ts";
import type { ThreadState } from "./state.ts";
import type { WaitingCommit } from "./together.ts";

/** Milliseconds that a claim outlives the last sign of its holder. */
const LEASE_MS = 30_000;

/** A claim with what the saver knows about its thread. */
export class RunClaim implements Claim {
  readonly threadId: string;
  readonly epoch: number;
  /** The epoch until it was taken. */
  readonly before: number | undefined;
  readonly tid: number;
  readonly state: ThreadState;
  onLost: ((reason: Error) => void) | undefined;
  /** A commit that is stored with the next one. */
  waiting: WaitingCommit | undefined;
  /** Why such a commit could not be stored, when it was. */
  failure: { readonly error: unknown } | undefined;

  constructor(threadId: string, row: HeadRow, state: ThreadState) {
    this.threadId = threadId;
    this.epoch = row.epoch;
    this.before = row.before;
    this.tid = row.tid;
    this.state = state;
  }
}

/** What a thread is opened with to take it, and not only to read it. */
export type TakeOptions = OpenOptions & {
  readonly claim: NonNullable<OpenOptions["claim"]>;
  readonly under?: never;
};
/** A thread that was opened so. */
export type Taken = Opened & { readonly claim: RunClaim };

/** Takes, renews and gives back the claims of one saver. */
export class Claims {
  readonly #backend: Backend;
  readonly #live = new Set<RunClaim>();
  #owner: string | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(backend: Backend) {
    this.#backend = backend;
  }

  /**
   * Tries until it succeeds, waiting for the holder of a thread as long as allowed.
   *
   * @param attempt - undefined while a live run keeps the thread
   * @throws GraphError THREAD_CONFLICT when it keeps it longer
   */
  *insist<T>(threadId: string, waitMs: number, attempt: () => Awaitable<T | undefined>): Steps<T> {
    const deadline = Date.now() + waitMs;
    for (let delay = 2; ; delay = Math.min(delay * 2, 50)) {
      const now = Date.now();
      const result = yield* wait(attempt());
      if (result !== undefined) return result;
      if (now >= deadline) throw conflict(threadId, waitMs);
      yield* wait(pause(Math.min(delay, deadline - now)));
    }
  }

  /**
   * Takes a thread; undefined when a live run keeps it, unless it is to be taken from that run.
   *
   * @param known - how the last run of this saver left it
   */
  *take(
    threadId: string,
    namespace: string,
    fromOthers: boolean,
    known?: HeadRow,
  ): Steps<HeadRow | undefined> {
    const backend = this.#backend;
    const now = Date.now();
    const owner = (this.#owner ??= backend.ownership.describe(globalThis.crypto.randomUUID()));
    const request = { threadId, namespace, owner, leaseUntil: now + LEASE_MS, now };
    if (known !== undefined && backend.retake !== undefined) {
      const row = yield* wait(backend.retake({ ...request, seen: known }));
      if (row !== undefined) return row;
    }
    let seen: HeadRow | undefined;
    if (backend.take === undefined) seen = yield* wait(backend.find(threadId, namespace));
    else {
      const { row, taken } = yield* wait(backend.take({ seen: undefined, ...request }));
      if (taken) return row;
      seen = row;
    }
    if (seen === undefined || this.#isFree(seen, now))
      return yield* wait(backend.claim({ seen, ...request }));
    if (!fromOthers) return undefined;
    const row = yield* wait(backend.claim({ seen, ...request }));
    if (row !== undefined) this.#lose(threadId, seen);
    return row;
  }

  /** Tells the run of this saver that had the thread. */
  #lose(threadId: string, { tid, epoch }: HeadRow): void {
    for (const claim of this.#live) {
      if (claim.tid === tid && claim.epoch === epoch) claim.onLost?.(lostThread(threadId));
    }
  }

  #isFree({ tid, epoch, owner, leaseUntil }: HeadRow, now: number): boolean {
    if (this.#backend.ownership.isDead(owner, leaseUntil, now)) return true;
    if (owner !== this.#owner) return false;
    // a claim of this saver that it does not know: the connection was lost when it was taken or given back
    for (const claim of this.#live) if (claim.tid === tid && claim.epoch === epoch) return false;
    return true;
  }

  add(claim: RunClaim): void {
    this.#live.add(claim);
    this.#backend.crowd?.(this.#live.size);
    this.#watch();
  }

  /** Another run is about to begin; others will follow if `crowded`. */
  expect(crowded: boolean): void {
    this.#backend.crowd?.(this.#live.size + (crowded ? 2 : 1));
  }

  remove(claim: RunClaim): boolean {
    const wasLive = this.#live.delete(claim);
    this.#backend.crowd?.(this.#live.size);
    return wasLive;
  }

  clear(): readonly RunClaim[] {
    const live = [...this.#live];
    this.#live.clear();
    this.#backend.crowd?.(0);
    clearTimeout(this.#timer);
    this.#timer = undefined;
    return live;
  }

  /** One timer for all claims; a run that ends within a third of the lease never pays for it. */
  #watch(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      if (this.#live.size === 0) return;
      void this.#renew();
      this.#watch();
    }, LEASE_MS / 3);
    // a browser's timers keep nothing alive and have no such method
    (this.#timer as { unref?: () => void }).unref?.();
  }

  async #renew(): Promise<void> {
    try {
      await this.#backend.renew([...this.#live], Date.now() + LEASE_MS);
    } catch {
      // the next round tries again; a lease that runs out is noticed by the next commit
    }
  }
}

/** @throws what a commit of the run failed with, that was put off */
export function assertStored({ failure }: RunClaim): void {
  if (failure !== undefined) throw failure.error;
}

function conflict(threadId: string, waitMs: number): GraphError {
  const since = waitMs > 0 ? ` and was still busy after ${waitMs} ms` : "";
  return new GraphError(
    "THREAD_CONFLICT",
    `Thread "${threadId}" is busy: another run works on it${since}. Nothing was done. ` +
      "Try again when that run has ended, or let a run wait for it with the option onConflict: { waitMs: 30000 }.",
    { details: { threadId, waitMs, option: "onConflict" } },
  );
}

export function lostThread(threadId: string): GraphError {
  return new GraphError(
    "THREAD_CONFLICT",
    `Somebody else changed thread "${threadId}" while this run worked on it: another run took it over, a checkpoint was added, or part of it was deleted. ` +
      "The step that was to be stored now was not; what was stored before it stays. Run again: it goes on from what the thread holds now.",
    { details: { threadId } },
  );
}
