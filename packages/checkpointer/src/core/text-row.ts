import type { Manifest } from "../manifest/manifest.ts";
import type { CheckpointRow } from "./rows.ts";
import { StoredRow, type RowFields } from "./stored-row.ts";

/**
 * A row with its manifest as text, because maps take ten times the memory. It is parsed when somebody
 * reads it: only if it is on the way to the checkpoint that was asked for.
 */
export class TextRow extends StoredRow implements CheckpointRow {
  readonly #text: string;
  readonly #parse: (text: string) => Manifest;

  constructor(row: RowFields, text: string, parse: (text: string) => Manifest, parentId = row.parentId) {
    super(row, parentId);
    this.#text = text;
    this.#parse = parse;
  }
  get manifest(): Manifest {
    return this.#parse(this.#text);
  }
  withParentId(parentId: string | null): TextRow {
    return new TextRow(this, this.#text, this.#parse, parentId);
  }
}
