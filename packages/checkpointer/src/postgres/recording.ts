import type { CheckpointKey, ClaimKey, WriteRow } from "../core/backend.ts";
import { shortId } from "../core/short-id.ts";
import type { Connection } from "./connection.ts";
import { spill } from "./inline.ts";
import { afterOf, writeColumns } from "./values.ts";

const keyOf = (owner: ClaimKey | undefined) => [owner?.tid ?? null, owner?.epoch ?? null];

/** See `Backend.record`. */
export async function record(
  db: Connection,
  owner: ClaimKey | undefined,
  nsid: number,
  seq: number,
  rows: readonly WriteRow[],
  after: CheckpointKey,
): Promise<boolean> {
  if (rows.length === 0) return true;
  const values = [...keyOf(owner), nsid, seq, ...writeColumns(rows), ...afterOf(after)];
  const [held] = await db.run<[boolean]>(db.queries.record, ...values);
  return held?.[0] === true;
}

/** See `Backend.rewrite`. */
export async function rewrite(
  db: Connection,
  owner: ClaimKey | undefined,
  nsid: number,
  seq: number,
  { task, slot, body }: WriteRow,
): Promise<boolean> {
  const values = [nsid, seq, shortId(task), slot, body];
  const kept = await db.transaction(async (run) => {
    // records nothing
    const [held] = await run<[boolean]>(db.queries.holds, ...keyOf(owner), nsid, seq, ...writeColumns([]));
    if (held?.[0] !== true) return false;
    const [done] = await run(db.queries.rewrite, ...values);
    if (done !== undefined) return true;
    await spill(db, run, nsid, [seq + 1]);
    await run(db.queries.rewrite, ...values);
    return true;
  });
  return kept === true;
}
