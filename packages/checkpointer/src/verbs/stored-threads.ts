import { wait, type Steps } from "../awaitable.ts";
import type { RunClaim } from "../core/claims.ts";
import type { ItemLog } from "../core/item-log.ts";

/**
 * Does something with several threads that nobody else may work on meanwhile: all of them are taken
 * first, or none. Those that were deleted meanwhile are passed over.
 *
 * @throws GraphError THREAD_CONFLICT while a run holds one of them; nothing was done then
 */
export function* withThreads<Result>(
  log: ItemLog,
  threadIds: readonly string[],
  body: (claims: readonly RunClaim[]) => Steps<Result>,
): Steps<Result> {
  const taken: RunClaim[] = [];
  const held: RunClaim[] = [];
  try {
    for (const threadId of threadIds) {
      const { claim } = yield* wait(log.open({ threadId, namespace: "" }, { claim: "fail" }));
      taken.push(claim);
      if ((yield* wait(log.backend.namespaces(threadId))).length > 0) held.push(claim);
      // taking it has made it, or it never held anything
      else yield* wait(log.backend.delete(threadId, claim));
    }
    return yield* body(held);
  } finally {
    yield* releaseAll(log, taken);
  }
}

/** Gives back the others also when one can't be given back. */
function* releaseAll(log: ItemLog, claims: readonly RunClaim[]): Steps<void> {
  const failed: unknown[] = [];
  for (const claim of claims) {
    try {
      yield* wait(log.release(claim));
    } catch (error) {
      failed.push(error);
    }
    log.forget(claim.threadId);
  }
  if (failed.length > 0) throw failed[0];
}
