import type { WriteRow } from "../core/backend.ts";
import { mergedWrites, parseInline } from "../core/inline-writes.ts";
import type { WriteAt } from "../core/maintenance.ts";
import { fromShortId, shortId } from "../core/short-id.ts";
import type { Connection } from "./connection.ts";
import { writeRow, type WriteColumns } from "./rows.ts";
import type { Run } from "./statement.ts";

type Write = readonly [task: string, slot: number, body: string, names: null];
/** What stands with a checkpoint: no task, the text for a body, and which names there are. */
type Inline = readonly [task: null, slot: null, text: string, names: string];

/** The writes under a checkpoint, wherever they stand. */
export async function writesUnder(db: Connection, nsid: number, seq: number): Promise<WriteRow[]> {
  const found = await db.run<Write | Inline>(db.queries.writes, nsid, seq);
  const rows: WriteRow[] = [];
  const inline: WriteRow[] = [];
  for (const row of found) {
    if (row[0] !== null) rows.push(writeRow(row as unknown as WriteColumns));
    else {
      const { names } = await db.names.know(row[3]);
      inline.push(...parseInline(row[2], names));
    }
  }
  return mergedWrites(rows, inline);
}

/** The writes under all checkpoints with `after < seq <= to`. */
export async function scanWrites(
  db: Connection,
  nsid: number,
  after: number,
  to: number,
): Promise<WriteAt[]> {
  const found = await db.run<WriteOf>(db.queries.scanWrites, nsid, after, to);
  return writesAt(db, found);
}

/** A row of either kind, behind the number of its checkpoint. */
export type WriteOf = readonly [seq: number, ...(Write | Inline)];

export async function writesAt(db: Connection, found: readonly WriteOf[]): Promise<WriteAt[]> {
  const rows: WriteAt[] = [];
  const inline: WriteAt[] = [];
  for (const [seq, task, slot, body, names] of found) {
    if (task !== null) rows.push({ seq, task: fromShortId(task), slot: slot as number, body });
    else {
      const known = await db.names.know(names);
      inline.push(...parseInline(body, known.names).map((row) => ({ seq, ...row })));
    }
  }
  return mergedWrites(rows, inline);
}

/** Makes rows of `writes` out of what stands with checkpoints. @param run - that of a transaction */
export async function spill(db: Connection, run: Run, nsid: number, seqs: readonly number[]): Promise<void> {
  const verbs = db.upkeep;
  const found = await run<[number, string, string]>(verbs.inline, nsid, seqs);
  if (found.length === 0) return;
  const { names } = await db.names.know(found[0]?.[2], run);
  const rows = found.flatMap(([seq, text]) =>
    parseInline(text, names).map((row) => ({ ...row, seq: seq - 1 })),
  );
  await run(
    verbs.keepWrites,
    nsid,
    rows.map(({ seq }) => seq),
    rows.map(({ slot }) => slot),
    rows.map(({ task }) => shortId(task)),
    rows.map(({ body }) => body),
  );
  await run(verbs.dropInline, nsid, found.map(([seq]) => seq)); // prettier-ignore
}
