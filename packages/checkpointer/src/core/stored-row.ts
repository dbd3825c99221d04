import type { CheckpointRow } from "./rows.ts";

/** A checkpoint's row without its manifest. */
export type RowFields = Omit<CheckpointRow, "manifest">;

/** What a checkpoint's row says beside its manifest. */
export abstract class StoredRow implements RowFields {
  readonly seq: number;
  readonly id: string;
  readonly parent: number | null;
  readonly parentId: string | null;
  readonly base: number;
  readonly ts: string;
  readonly metadata: string;
  readonly weight: number;

  constructor(row: RowFields, parentId: string | null) {
    this.seq = row.seq;
    this.id = row.id;
    this.parent = row.parent;
    this.parentId = parentId;
    this.base = row.base;
    this.ts = row.ts;
    this.metadata = row.metadata;
    this.weight = row.weight;
  }
}
