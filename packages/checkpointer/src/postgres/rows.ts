import { isoTime } from "../base/iso-time.ts";
import { CheckpointColumns, millisecondsOf, type ColumnsOf, type Forms } from "../core/checkpoint-columns.ts";
import type { HeadRow, LaneRow, WriteRow } from "../core/backend.ts";
import { fromText, toText } from "../core/names.ts";
import { fromShortId, fromShortTime, shortId, shortTime } from "../core/short-id.ts";
import type { Dictionary } from "../manifest/dictionary.ts";

/** Begins a time that is none in milliseconds; comes behind every digit. */
const OTHER = "~";

export function toTime(ts: string): string {
  const time = millisecondsOf(ts);
  return time === undefined ? OTHER + toText(ts) : shortTime(time);
}
export function fromTime(stored: string): string {
  return stored.startsWith(OTHER) ? fromText(stored.slice(1)) : isoTime(fromShortTime(stored));
}

const FORMS: Forms<string, string> = { id: shortId, fromId: fromShortId, time: toTime, fromTime };

export type StoredCheckpoint = ColumnsOf<string, string>;
export type Columns = CheckpointColumns<string, string>;

export const columnsWith = (names: Dictionary): Columns => new CheckpointColumns(FORMS, names);

export type WriteColumns = readonly [task: string, slot: number, body: string];
export type LaneColumns = readonly [
  lane: number,
  name: string,
  last: number | null,
  /** With a head: the last items, behind the ordinal of the first. */
  items: readonly [from: number, bodies: readonly string[]] | null,
];

export const writeRow = ([task, slot, body]: WriteColumns): WriteRow => ({
  task: fromShortId(task),
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
  inline: boolean,
  names: string | null,
];

/** @param before - of a thread that was taken just now: its epoch until then */
export function headRow(columns: FoundColumns, before?: number): HeadRow {
  const [tid, epoch, generation, owner, lease, nsid, head, next, headId, writes, , , inline] = columns;
  return {
    tid,
    epoch,
    ...(before !== undefined && { before }),
    generation,
    owner,
    // in time of this process, which compares it
    leaseUntil: lease === null ? null : lease + Date.now(),
    nsid,
    head,
    headId: headId === null ? null : fromShortId(headId),
    next: next ?? 1,
    pending: writes !== null || inline,
  };
}
