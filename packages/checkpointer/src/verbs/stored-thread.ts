import { GraphError } from "@skein/errors";
import { wait, type Steps } from "../awaitable.ts";
import type { Backend, CheckpointRow, HeadRow, NamespaceRow, NewItem } from "../core/backend.ts";
import type { RunClaim } from "../core/claims.ts";
import type { ItemLog } from "../core/item-log.ts";
import type { AlteredNamespace, NamespaceRows, WriteAt } from "../core/maintenance.ts";
import { withThreads } from "./stored-threads.ts";

/** Rows that are read at a time. */
export const PAGE = 1000;

/** A plain put may come between the look at a thread and its change. */
export const ATTEMPTS = 3;

/** All rows of a namespace. */
export interface StoredNamespace extends NamespaceRows {
  readonly row: NamespaceRow;
}

export function* readNamespaces(backend: Backend, threadId: string): Steps<StoredNamespace[]> {
  const namespaces: StoredNamespace[] = [];
  for (const rows of batchesOf(yield* wait(backend.namespaces(threadId)))) {
    const nsids = rows.map(({ nsid }) => nsid);
    const read = rows.length > 1 ? yield* wait(backend.readWhole?.(nsids)) : undefined;
    for (const [i, row] of rows.entries())
      namespaces.push({ row, ...(read?.[i] ?? (yield* scanned(backend, row.nsid))) });
  }
  return namespaces;
}

/** Neighbours that together have no more checkpoints than a page: a graph that a node calls has its own each time. */
function batchesOf(rows: readonly NamespaceRow[]): NamespaceRow[][] {
  const batches: NamespaceRow[][] = [];
  let size = PAGE;
  for (const row of rows) {
    size += row.next;
    if (size > PAGE) {
      batches.push([]);
      size = row.next;
    }
    batches.at(-1)?.push(row);
  }
  return batches;
}

function* scanned(backend: Backend, nsid: number): Steps<NamespaceRows> {
  const checkpoints: CheckpointRow[] = [];
  const writes: WriteAt[] = [];
  for (let after = 0, isFull = true; isFull;) {
    const rows = yield* wait(backend.scanCheckpoints(nsid, after, PAGE));
    const last = rows.at(-1)?.seq;
    if (last === undefined) break;
    checkpoints.push(...rows);
    writes.push(...(yield* wait(backend.scanWrites(nsid, after, last))));
    after = last;
    isFull = rows.length === PAGE;
  }
  return { checkpoints, writes };
}

/** Hands over every item of a lane, page by page. */
export function* eachItem(
  backend: Backend,
  tid: number,
  lane: number,
  take: (item: NewItem) => void,
): Steps<void> {
  for (let from = 0; ;) {
    const items = yield* wait(backend.scanItems(tid, lane, from, PAGE));
    for (const item of items) take(item);
    const last = items.at(-1);
    if (last === undefined) return;
    from = last.ord + 1;
  }
}

/** A namespace that stays as it is, for an alteration of some of it. */
export function unaltered({ namespace, head, next }: NamespaceRow): AlteredNamespace {
  return { name: namespace, seen: { head, next }, head, next, checkpoints: [], writes: [], drop: [] };
}

/** @throws GraphError UNKNOWN_THREAD */
export function* findThread(backend: Backend, threadId: string): Steps<HeadRow> {
  const row = yield* wait(backend.find(threadId, ""));
  if (row !== undefined) return row;
  throw unknownThread(threadId);
}

/**
 * As `findThread`, of a thread that has something to show.
 *
 * @throws GraphError UNKNOWN_THREAD, also where only a claim was made, or an import was not finished
 */
export function* findShownThread(backend: Backend, threadId: string): Steps<HeadRow> {
  const row = yield* findThread(backend, threadId);
  if (row.head !== null || (yield* wait(backend.namespaces(threadId))).length > 0) return row;
  throw unknownThread(threadId);
}

function unknownThread(threadId: string): GraphError {
  return new GraphError(
    "UNKNOWN_THREAD",
    `There is no thread "${threadId}" in this storage. List its threads to see which there are.`,
    { details: { threadId } },
  );
}

/**
 * Does something with a thread that nobody else may work on meanwhile.
 *
 * @throws GraphError THREAD_CONFLICT while a run holds it, or when a plain put keeps coming between;
 *   UNKNOWN_THREAD when it was deleted meanwhile
 */
export function* withThread<Result>(
  log: ItemLog,
  threadId: string,
  body: (claim: RunClaim) => Steps<Result | undefined>,
): Steps<Result> {
  return yield* withThreads(log, [threadId], function* ([claim]) {
    if (claim === undefined) throw unknownThread(threadId);
    for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
      const result = yield* body(claim);
      if (result !== undefined) return result;
    }
    throw keepsChanging(threadId);
  });
}

export function keepsChanging(threadId: string): GraphError {
  return new GraphError(
    "THREAD_CONFLICT",
    `Thread "${threadId}" keeps changing while it is worked on; nothing was changed. Try again when no run writes to it.`,
    { details: { threadId } },
  );
}
