import type { CheckpointRow } from "./rows.ts";

/** What a checkpoint's row says beside its manifest. */
export abstract class StoredRow {
  readonly seq: number;
  readonly id: string;
  readonly parent: number | null;
  readonly parentId: string | null;
  readonly base: number;
  readonly ts: string;
  readonly metadata: string;
  readonly weight: number;

  constructor(row: Omit<CheckpointRow, "manifest">, parentId: string | null) {
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
