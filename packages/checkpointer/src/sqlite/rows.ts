import { columnsOf, rowOf, type ColumnsOf } from "../core/checkpoint-columns.ts";
import type { CheckpointRow } from "../core/backend.ts";
import { fromId, toId, type StoredId } from "./ids.ts";

export type CheckpointColumns = ColumnsOf<StoredId>;

export const checkpointRow = (columns: CheckpointColumns): CheckpointRow => rowOf(columns, fromId);
export const checkpointColumns = (row: CheckpointRow): CheckpointColumns => columnsOf(row, toId);
