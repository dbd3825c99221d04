import { GraphError } from "@skein/errors";
import { wait, type Steps } from "../awaitable.ts";
import type { Backend } from "./backend.ts";
import type { ThreadState } from "./state.ts";

/**
 * Why something is not there that a thread refers to: somebody removed it since the thread was opened, as
 * its generation says, or the storage is damaged.
 */
export function* whyMissing(backend: Backend, state: ThreadState, damaged: unknown): Steps<unknown> {
  const { threadId, tid, generation } = state;
  const row = yield* wait(backend.find(threadId, ""));
  const isUnchanged = row !== undefined && row.tid === tid && row.generation === generation;
  return isUnchanged ? damaged : changedSince(threadId);
}

function changedSince(threadId: string): GraphError {
  return new GraphError(
    "THREAD_CONFLICT",
    `Somebody else removed part of thread "${threadId}" since it was opened, and what was to be read has gone with it. ` +
      "Nothing was changed. Open the thread again, or run again: either goes on from what it holds now.",
    { details: { threadId } },
  );
}

/** The error of damaged storage. */
export function missingItems(
  threadId: string,
  lane: number,
  from: number,
  to: number,
  found: number,
): GraphError {
  return new GraphError(
    "STORAGE_CORRUPT",
    `Thread "${threadId}" refers to ${to - from} stored items of which only ${found} are there. ` +
      "The storage was damaged or changed by another program; restore it from a backup, or fork the thread from an older checkpoint.",
    { details: { threadId, lane, from, to, found } },
  );
}
