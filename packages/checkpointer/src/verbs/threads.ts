import { wait, type Steps } from "../awaitable.ts";
import type { Backend, ThreadPosition, ThreadRow } from "../core/backend.ts";

export interface ListThreadsOptions {
  /** Most threads to return. Default: 100. */
  readonly limit?: number;
  /** The last thread of the page before. Default: none, which gives the first page. */
  readonly before?: ThreadPosition;
}

/**
 * Threads that have something to show, the one that was written to last first: not those that were only
 * taken, nor what an import stores before it is done or left when it was killed.
 */
export function* listThreads(
  backend: Backend,
  limit: number,
  before: ThreadPosition | undefined,
): Steps<readonly ThreadRow[]> {
  const shown: ThreadRow[] = [];
  for (let from = before; ;) {
    const asked = limit - shown.length;
    const rows = yield* wait(backend.threads(asked, from));
    for (const { epoch: _epoch, ...row } of rows) {
      const isShown = row.headId !== null || (yield* wait(backend.namespaces(row.threadId))).length > 0;
      if (isShown) shown.push(row);
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < asked || shown.length === limit) return shown;
    from = last;
  }
}
