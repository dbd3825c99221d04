import type { Manifest } from "../manifest/manifest.ts";
import type { CheckpointRow } from "./rows.ts";
import { StoredRow, type RowFields } from "./stored-row.ts";

/** A row that is its own manifest, as a commit makes it and memory keeps it: an object less. */
export class DeltaRow extends StoredRow implements CheckpointRow, Manifest {
  readonly entries: Manifest["entries"];
  readonly versions: Manifest["versions"];
  readonly seen: Manifest["seen"];
  readonly format: Manifest["format"];

  constructor(row: RowFields, manifest: Manifest, parentId = row.parentId) {
    super(row, parentId);
    this.entries = manifest.entries;
    this.versions = manifest.versions;
    this.seen = manifest.seen;
    this.format = manifest.format;
  }
  static of(row: CheckpointRow): DeltaRow {
    return row instanceof DeltaRow ? row : new DeltaRow(row, row.manifest);
  }
  get manifest(): Manifest {
    return this;
  }
  withParentId(parentId: string | null): DeltaRow {
    return new DeltaRow(this, this, parentId);
  }
}
