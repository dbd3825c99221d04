import { GraphError, LONGEST_TIMER, type OptionKind, shown } from "@skein/errors";
import type { ListedThread } from "../core/backend.ts";
import type { RunClaim } from "../core/claims.ts";
import { knownOptions } from "../core/given.ts";
import type { ItemLog } from "../core/item-log.ts";

/** Which threads a sweep deletes. */
export interface SweepOptions {
  /** Threads that nobody wrote to for this many milliseconds are deleted; moving the head, copying and importing are writing. */
  readonly ttl: number;
  /** Most threads to delete. Default: all. */
  readonly limit?: number;
  /** Milliseconds since 1970. Default: now. */
  readonly now?: number;
}

/** What a sweeper deletes, and how often. */
export interface SweeperOptions extends Pick<SweepOptions, "ttl"> {
  /** Milliseconds between two sweeps. Default: 60,000. */
  readonly every?: number;
  /** Told of a sweep that failed; the next one is tried all the same. Default: nobody. */
  readonly onError?: (error: unknown) => void;
}

const SWEEPING: Readonly<Record<keyof SweepOptions, OptionKind>> = {
  ttl: "any",
  limit: "number",
  now: "number",
};
const SWEEPER: Readonly<Record<keyof SweeperOptions, OptionKind>> = {
  ttl: "any",
  every: "number",
  onError: "function",
};

const THREADS_AT_ONCE = 100;

/**
 * Deletes threads that nobody wrote to for a while, and passes over those that a run holds.
 *
 * @param isOver - asked before every thread: true ends the sweep
 */
export async function sweep(
  log: ItemLog,
  options: SweepOptions,
  isOver = (): boolean => false,
): Promise<string[]> {
  const {
    ttl,
    limit = Number.POSITIVE_INFINITY,
    now = Date.now(),
  } = knownOptions(options, "sweep", SWEEPING);
  if (!(Number.isFinite(ttl) && ttl >= 0)) throw wrongTtl(ttl);
  if (!(limit >= 0)) throw wrongLimit(limit);
  const deleted: string[] = [];
  for (let before = { updatedAt: new Date(Math.max(now - ttl, 0)).toISOString(), threadId: "" }; ;) {
    const rows = await log.backend.threads(THREADS_AT_ONCE, before);
    for (const row of rows) {
      if (deleted.length >= limit || isOver()) return deleted;
      if (await deleteIdle(log, row)) deleted.push(row.threadId);
    }
    const last = rows.at(-1);
    if (last === undefined) return deleted;
    before = { updatedAt: last.updatedAt, threadId: last.threadId };
  }
}

/** False for a thread that a run holds, or that was written to since it was listed. */
async function deleteIdle(log: ItemLog, { threadId, headId, epoch }: ListedThread): Promise<boolean> {
  let claim: RunClaim | undefined;
  try {
    const opened = await log.open({ threadId, namespace: "" }, { claim: "fail" });
    claim = opened.claim;
    // somebody else deleted it meanwhile, and claiming made an empty one
    const isGone = opened.headId === undefined && headId !== null;
    if (!isGone && (opened.headId ?? null) !== headId) return false;
    // an answer to one of several questions moves no head
    if (headId !== null && !isGone && claim.before !== epoch) return false;
    await log.backend.delete(threadId);
    return !isGone;
  } catch (error) {
    if (GraphError.is(error, "THREAD_CONFLICT")) return false;
    throw error;
  } finally {
    if (claim !== undefined) await log.release(claim);
    log.forget(threadId);
  }
}

/** Sweeps again and again, until what it returns is called. Keeps no process alive. */
export function startSweeper(log: ItemLog, options: SweeperOptions): () => void {
  const { ttl, every = 60_000, onError } = knownOptions(options, "startSweeper", SWEEPER);
  if (!(Number.isFinite(ttl) && ttl >= 0)) throw wrongTtl(ttl);
  if (!(every >= 1 && every <= LONGEST_TIMER)) throw wrongPause(every);
  let sweeping = false;
  let stopped = false;
  const timer = setInterval(() => {
    if (sweeping) return;
    sweeping = true;
    sweep(log, { ttl }, () => stopped)
      .catch((error: unknown) => onError?.(error))
      .finally(() => {
        sweeping = false;
      });
  }, every);
  (timer as { unref?: () => void }).unref?.();
  return () => {
    stopped = true;
    clearInterval(timer);
  };
}

function wrongTtl(ttl: number): GraphError {
  return new GraphError(
    "INVALID_CONFIGURATION",
    `A time to live is a number of milliseconds, 0 or more; ${shown(ttl)} was given.`,
    { details: { ttl } },
  );
}

function wrongLimit(limit: number): GraphError {
  return new GraphError(
    "INVALID_CONFIGURATION",
    `A sweep deletes at most a number of threads, 0 or more; ${shown(limit)} was given. Nothing was deleted.`,
    { details: { limit } },
  );
}

function wrongPause(every: number): GraphError {
  return new GraphError(
    "INVALID_CONFIGURATION",
    `A sweeper waits between two sweeps for 1 to ${LONGEST_TIMER} milliseconds; ${shown(every)} was given.`,
    { details: { every } },
  );
}
