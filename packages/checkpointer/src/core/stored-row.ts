import type { CheckpointRow } from "./rows.ts";

/** A checkpoint's row without its manifest. */
export type RowFields = Omit<CheckpointRow, "manifest">;

/** What a checkpoint's row says beside its manifest. */
export abstract class StoredRow implements RowFields {
  readonly seq: number;
  readonly id: string;
  /** Smaller than `seq`: whoever follows parents comes to an end. */
  readonly parent: number | null;
  readonly parentId: string | null;
  readonly base: number;
  readonly ts: string;
  readonly metadata: string;
  readonly weight: number;

  constructor(row: RowFields, parentId: string | null) {
    this.seq = row.seq;
    this.id = row.id;
    // versions before 2026-11-23 stored what LangGraph puts under itself as its own parent
    const comesBefore = row.parent !== null && row.parent < row.seq;
    this.parent = comesBefore ? row.parent : null;
    this.parentId = parentId === row.id ? null : parentId;
    this.base = row.base;
    this.ts = row.ts;
    this.metadata = row.metadata;
    this.weight = row.weight;
  }
}
