import { manifestOf, deltaOf, type Delta } from "../manifest/delta.ts";
import type { Manifest } from "../manifest/manifest.ts";
import type { CheckpointRow } from "./rows.ts";
import { StoredRow } from "./stored-row.ts";

/** A row as a commit makes it, whose manifest is put together where somebody reads it. */
export class DeltaRow extends StoredRow implements CheckpointRow, Delta {
  readonly entries: Delta["entries"];
  readonly versions: Delta["versions"];
  readonly seen: Delta["seen"];
  readonly format: number | undefined;

  constructor(row: Omit<CheckpointRow, "manifest">, delta: Delta, parentId = row.parentId) {
    super(row, parentId);
    this.entries = delta.entries;
    this.versions = delta.versions;
    this.seen = delta.seen;
    this.format = delta.format;
  }
  static of(row: CheckpointRow): DeltaRow {
    return row instanceof DeltaRow ? row : new DeltaRow(row, deltaOf(row.manifest));
  }
  get manifest(): Manifest {
    return manifestOf(this);
  }
  withParentId(parentId: string | null): DeltaRow {
    return new DeltaRow(this, this, parentId);
  }
}
