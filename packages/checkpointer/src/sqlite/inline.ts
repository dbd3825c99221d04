import type { WriteRow } from "../core/backend.ts";
import { mergedWrites, parseInline } from "../core/inline-writes.ts";
import type { WriteAt } from "../core/maintenance.ts";
import type { Connection } from "./connection.ts";
import { fromId, toId, type StoredId } from "./ids.ts";
import { DROP_INLINE, INLINE_WRITES, KEEP_WRITE, SCAN_INLINE, SCAN_WRITES, WRITES } from "./queries.ts";

/** The writes under a checkpoint, wherever they stand. */
export function writesUnder(db: Connection, nsid: number, seq: number): WriteRow[] {
  const rows = db
    .all<[StoredId, number, string]>(WRITES, nsid, seq)
    .map(([task, slot, body]) => ({ task: fromId(task), slot, body }));
  const [inline] = db.get<[string]>(INLINE_WRITES, nsid, seq + 1, seq) ?? [];
  return inline === undefined ? rows : mergedWrites(rows, parseInline(inline, db.checkpoints.names));
}

/** The writes under all checkpoints with `after < seq <= to`. */
export function scanWrites(db: Connection, nsid: number, after: number, to: number): WriteAt[] {
  const rows = db
    .all<[number, StoredId, number, string]>(SCAN_WRITES, nsid, after, to)
    .map(([seq, task, slot, body]): WriteAt => ({ seq, task: fromId(task), slot, body }));
  const inline = db
    .all<[number, string]>(SCAN_INLINE, nsid, after + 1, to + 1)
    .flatMap(([seq, text]) =>
      parseInline(text, db.checkpoints.names).map((row): WriteAt => ({ seq, ...row })),
    );
  return mergedWrites(rows, inline);
}

/** Makes rows of `writes` out of what stands with a checkpoint. Within a transaction. */
export function spill(db: Connection, nsid: number, seq: number): void {
  // not `all`: where it finds nothing, libsql's next `get` of that statement finds nothing either
  const inline = db.sql(INLINE_WRITES).get([nsid, seq, seq - 1]) as [string] | undefined;
  if (inline === undefined) return;
  for (const { task, slot, body } of parseInline(inline[0], db.checkpoints.names))
    db.sql(KEEP_WRITE).run([nsid, seq - 1, toId(task), slot, body]);
  db.sql(DROP_INLINE).run([nsid, seq]);
}
