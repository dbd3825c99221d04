import { isoTime } from "../base/iso-time.ts";
import { CheckpointColumns, millisecondsOf, type ColumnsOf, type Forms } from "../core/checkpoint-columns.ts";
import { fromText, toText } from "../core/names.ts";
import type { Dictionary } from "../manifest/dictionary.ts";
import { fromId, toId, type StoredId } from "./ids.ts";

/** Milliseconds since 1970; the text of what is no such time. */
export type StoredTime = number | string;

export const toTime = (ts: string): StoredTime => millisecondsOf(ts) ?? toText(ts);
export const fromTime = (stored: StoredTime): string =>
  typeof stored === "number" ? isoTime(stored) : fromText(stored);

const FORMS: Forms<StoredId, StoredTime> = { id: toId, fromId, time: toTime, fromTime };

export type StoredCheckpoint = ColumnsOf<StoredId, StoredTime>;
export type Columns = CheckpointColumns<StoredId, StoredTime>;

export const columnsWith = (names: Dictionary): Columns => new CheckpointColumns(FORMS, names);
