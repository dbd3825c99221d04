import { isoTime } from "../base/iso-time.ts";
import { parseStored, printCompact } from "../manifest/compact.ts";
import type { Dictionary } from "../manifest/dictionary.ts";
import type { CheckpointRow } from "./rows.ts";
import { TextRow } from "./text-row.ts";

/**
 * The columns of a checkpoint as queries select them, beside the writes that may stand with it.
 *
 * @typeParam Id - how the database stores an id
 * @typeParam Time - how it stores a time
 */
export type ColumnsOf<Id, Time> = readonly [
  seq: number,
  cid: Id,
  parent: number | null,
  parentId: Id | null,
  base: number,
  ts: Time,
  metadata: string,
  manifest: string,
];

/** How a database stores ids and times, which are nearly always UUIDs and `new Date().toISOString()`. */
export interface Forms<Id, Time> {
  id(id: string): Id;
  fromId(stored: Id): string;
  time(ts: string): Time;
  fromTime(stored: Time): string;
}

/** Turns checkpoints into columns and back. The names of a database are shared by all its savers' rows. */
export class CheckpointColumns<Id, Time> {
  readonly names: Dictionary;
  readonly #forms: Forms<Id, Time>;
  readonly #parse: (text: string) => ReturnType<typeof parseStored>;

  constructor(forms: Forms<Id, Time>, names: Dictionary) {
    this.names = names;
    this.#forms = forms;
    this.#parse = (text) => parseStored(text, names);
  }

  readonly row = (columns: ColumnsOf<Id, Time>): CheckpointRow => {
    const [seq, cid, parent, storedParent, base, ts, metadata, manifest] = columns;
    const row = {
      seq,
      id: this.#forms.fromId(cid),
      parent,
      parentId: storedParent === null ? null : this.#forms.fromId(storedParent),
      base,
      ts: this.#forms.fromTime(ts),
      metadata: metadataOf(metadata),
      weight: manifest.length,
    };
    return new TextRow(row, manifest, this.#parse);
  };

  readonly of = (row: CheckpointRow): ColumnsOf<Id, Time> => {
    const { id, time } = this.#forms;
    return [
      row.seq,
      id(row.id),
      row.parent,
      row.parentId === null ? null : id(row.parentId),
      row.base,
      time(row.ts),
      shortMetadata(row.metadata),
      printCompact(row.manifest, this.names),
    ];
  };
}

/** The last day that was read; only saves doing it again: `Date` takes ten times as long as what is left. */
const day = { text: "", start: Number.NaN };

/** Milliseconds since 1970 of a time as `toISOString` writes it; undefined for any other text. */
export function millisecondsOf(ts: string): number | undefined {
  if (ts.length !== 24 || ts[13] !== ":" || ts[16] !== ":" || ts[19] !== "." || ts[23] !== "Z")
    return undefined;
  if (day.text === "" || !ts.startsWith(day.text)) {
    day.text = ts.slice(0, DAY);
    const midnight = `${day.text}00:00:00.000Z`;
    const start = Date.parse(midnight);
    day.start = start >= 0 && isoTime(start) === midnight ? start : Number.NaN;
  }
  const hour = twoDigits(ts, 11);
  const minute = twoDigits(ts, 14);
  const second = twoDigits(ts, 17);
  const milliseconds = twoDigits(ts, 20) * 10 + digit(ts, 22);
  if (hour > 23 || minute > 59 || second > 59) return undefined;
  const time = day.start + hour * 3_600_000 + minute * 60_000 + second * 1000 + milliseconds;
  return Number.isNaN(time) ? undefined : time;
}

/** Characters of a day, with the `T` behind it. */
const DAY = 11;

const twoDigits = (ts: string, at: number): number => digit(ts, at) * 10 + digit(ts, at + 1);

function digit(ts: string, at: number): number {
  const value = ts.charCodeAt(at) - 48;
  return value >= 0 && value <= 9 ? value : Number.NaN;
}

/** What nearly all metadata are; they are a sixth of a row then. Others begin with a brace. */
const PLAIN = /^\{"source":"([a-z]+)","step":(-?\d+),"parents":\{\}\}$/;

function shortMetadata(text: string): string {
  const plain = PLAIN.exec(text);
  return plain === null ? text : `${plain[1]} ${plain[2]}`;
}

function metadataOf(stored: string): string {
  if (stored.startsWith("{")) return stored;
  const [source, step] = stored.split(" ");
  return `{"source":"${source}","step":${step},"parents":{}}`;
}
