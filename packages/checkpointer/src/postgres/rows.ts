import { columnsOf, rowOf, type ColumnsOf } from "../core/checkpoint-columns.ts";
import type { CheckpointRow, HeadRow, LaneRow, WriteRow } from "../core/backend.ts";
import { fromText, toText } from "../core/names.ts";

export type CheckpointColumns = ColumnsOf<string>;

export const checkpointRow = (columns: CheckpointColumns): CheckpointRow => rowOf(columns, fromText);
export const checkpointColumns = (row: CheckpointRow): CheckpointColumns => columnsOf(row, toText);

export type WriteColumns = readonly [task: string, slot: number, body: string];
export type LaneColumns = readonly [lane: number, name: string, last: number | null];

export const writeRow = ([task, slot, body]: WriteColumns): WriteRow => ({
  task: fromText(task),
  slot,
  body,
});

export const laneRow = ([lane, name, last]: LaneColumns): LaneRow => ({
  lane,
  name: fromText(name),
  next: last === null ? 0 : last + 1,
});

/** What `found` selects. */
export type FoundColumns = readonly [
  tid: number,
  epoch: number,
  generation: number,
  owner: string | null,
  lease: number | null,
  nsid: number | null,
  head: number | null,
  next: number | null,
  headId: string | null,
  writes: string | null,
  chain: string | null,
  lanes: string | null,
];

export function headRow(columns: FoundColumns): HeadRow {
  const [tid, epoch, generation, owner, lease, nsid, head, next, headId, writes] = columns;
  return {
    tid,
    epoch,
    generation,
    owner,
    // in time of this process, which compares it
    leaseUntil: lease === null ? null : lease + Date.now(),
    nsid,
    head,
    headId: headId === null ? null : fromText(headId),
    next: next ?? 1,
    pending: writes !== null,
  };
}

/** Columns of rows, as arrays to be bound; nulls where there are no rows. */
export function columns<Row>(rows: readonly Row[], ...of: readonly ((row: Row) => unknown)[]): unknown[] {
  return of.map((column) => (rows.length === 0 ? null : rows.map(column)));
}

/** Of rows for one place, only the last. */
export function lastOfEach<Row extends WriteRow & { readonly seq?: number }>(
  rows: readonly Row[],
): readonly Row[] {
  if (rows.length < 2) return rows;
  return [...new Map(rows.map((row) => [`${row.seq} ${row.slot} ${row.task}`, row])).values()];
}
