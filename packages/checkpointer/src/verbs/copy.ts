import { wait, type Steps } from "../awaitable.ts";
import type { ItemLog } from "../core/item-log.ts";
import { threadExists } from "./import.ts";
import { findShownThread } from "./stored-thread.ts";

/** @throws GraphError UNKNOWN_THREAD, or INVALID_CONFIGURATION when there is a thread `to` already */
export function* copyThread(log: ItemLog, from: string, to: string): Steps<void> {
  const { tid } = yield* findShownThread(log.backend, from);
  const done = yield* wait(log.backend.copy(tid, to, Date.now()));
  if (!done) throw threadExists(to);
}
