import type { CheckpointRow, HeadRow, LaneRow, WriteRow } from "../core/backend.ts";
import { fromText, toText } from "../core/names.ts";
import type { Manifest } from "../manifest/manifest.ts";
import { parseManifest, printManifest } from "../manifest/text.ts";

/** The columns of a checkpoint as the queries select them. */
export type CheckpointColumns = readonly [
  seq: number,
  cid: string,
  parent: number | null,
  parentId: string | null,
  base: number,
  ts: string,
  metadata: string,
  manifest: string,
];

/** A row as read. Its manifest is parsed only if it is on the way to the checkpoint that was asked for. */
export class StoredRow implements CheckpointRow {
  readonly seq: number;
  readonly id: string;
  readonly parent: number | null;
  readonly parentId: string | null;
  readonly base: number;
  readonly ts: string;
  readonly metadata: string;
  readonly weight: number;
  readonly #text: string;

  constructor([seq, cid, parent, parentId, base, ts, metadata, manifest]: CheckpointColumns) {
    this.seq = seq;
    this.id = fromText(cid);
    this.parent = parent;
    this.parentId = parentId === null ? null : fromText(parentId);
    this.base = base;
    this.ts = fromText(ts);
    this.metadata = metadata;
    this.weight = manifest.length;
    this.#text = manifest;
  }
  get manifest(): Manifest {
    return parseManifest(this.#text);
  }
}

export function checkpointColumns(row: CheckpointRow): unknown[] {
  return [
    row.seq,
    toText(row.id),
    row.parent,
    row.parentId === null ? null : toText(row.parentId),
    row.base,
    toText(row.ts),
    row.metadata,
    printManifest(row.manifest),
  ];
}

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
