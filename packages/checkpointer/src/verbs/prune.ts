import { GraphError } from "@skein/errors";
import type { Steps } from "../awaitable.ts";
import type { ItemLog } from "../core/item-log.ts";
import { keptCheckpoints, type PruneOptions } from "./keep.ts";
import { keepOnly, type PruneReport } from "./remove.ts";
import { findThread, readNamespaces, withThread } from "./stored-thread.ts";

/**
 * Removes checkpoints, then what only they needed. Heads, tips of branches, points where a branch
 * begins and whatever has an interrupt pending stay in any case.
 */
export function* prune(log: ItemLog, threadId: string, options: PruneOptions): Steps<PruneReport> {
  check(options);
  yield* findThread(log.backend, threadId);
  return yield* withThread(log, threadId, function* (claim) {
    const namespaces = yield* readNamespaces(log.backend, threadId);
    const kept = keptCheckpoints(namespaces, log.codec, options);
    return yield* keepOnly(log, claim, namespaces, kept);
  });
}

const isNone = (n: unknown): boolean => n !== undefined && !(typeof n === "number" && n >= 0);

function check({ keepLast, keepTurnBoundaries, maxAge }: PruneOptions): void {
  const isWhole =
    keepLast === undefined || keepLast === Number.POSITIVE_INFINITY || Number.isInteger(keepLast);
  const wrong = !isWhole || isNone(keepLast) || isNone(maxAge);
  const nothing = keepLast === undefined && keepTurnBoundaries !== true && maxAge === undefined;
  if (!wrong && !nothing) return;
  throw new GraphError(
    "INVALID_CONFIGURATION",
    "prune takes what is to stay: {keepLast: n}, {keepTurnBoundaries: true} or {maxAge: milliseconds}, or several of them; " +
      (nothing ? "none was given." : "numbers must be 0 or more, and keepLast a whole one.") +
      " Nothing was changed.",
    { details: { keepLast, keepTurnBoundaries, maxAge } },
  );
}
