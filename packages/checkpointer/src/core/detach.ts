import { wait, type Steps } from "../awaitable.ts";
import type { Backend, CheckpointRow, HeadRow } from "./backend.ts";
import { lostThread } from "./claims.ts";
import { ownBase } from "./own-base.ts";
import type { Place } from "./places.ts";

/** Rows that are read at a time. */
const PAGE = 1000;

/**
 * Gives what was built on a checkpoint a base of its own, so that it keeps its state when that one is
 * put again.
 *
 * @returns whether anything was: the thread is to be read again then
 * @throws GraphError THREAD_CONFLICT when somebody else wrote meanwhile
 */
export function* detachChildren(
  backend: Backend,
  { threadId, namespace }: Place,
  { tid, epoch, nsid, head, next }: HeadRow,
  seq: number,
): Steps<boolean> {
  const detached: CheckpointRow[] = [];
  for (let after = seq; ;) {
    const rows = yield* wait(backend.scanCheckpoints(nsid as number, after, PAGE));
    const last = rows.at(-1);
    if (last === undefined) break;
    for (const row of rows) {
      if (row.parent !== seq || row.base === row.seq) continue;
      const chain = yield* wait(backend.chain(nsid as number, row.seq));
      detached.push(ownBase(row, chain, threadId));
    }
    after = last.seq;
  }
  if (detached.length === 0) return false;
  const place = { name: namespace, seen: { head, next }, head, next };
  const done = yield* wait(
    backend.alter({
      claim: { tid, epoch },
      namespaces: [{ ...place, checkpoints: detached, writes: [], drop: [] }],
      lanes: [],
      items: [],
      dropItems: [],
      overwrite: false,
    }),
  );
  if (!done) throw lostThread(threadId);
  return true;
}
