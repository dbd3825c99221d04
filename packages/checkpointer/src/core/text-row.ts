import type { Manifest } from "../manifest/manifest.ts";
import type { CheckpointRow } from "./rows.ts";

/**
 * A row with its manifest as text, because maps take ten times the memory. It is parsed when somebody
 * reads it: only if it is on the way to the checkpoint that was asked for.
 */
export class TextRow implements CheckpointRow {
  readonly seq: number;
  readonly id: string;
  readonly parent: number | null;
  readonly parentId: string | null;
  readonly base: number;
  readonly ts: string;
  readonly metadata: string;
  readonly weight: number;
  readonly #text: string;
  readonly #parse: (text: string) => Manifest;

  constructor(
    row: Omit<CheckpointRow, "manifest">,
    text: string,
    parse: (text: string) => Manifest,
    parentId = row.parentId,
  ) {
    this.seq = row.seq;
    this.id = row.id;
    this.parent = row.parent;
    this.parentId = parentId;
    this.base = row.base;
    this.ts = row.ts;
    this.metadata = row.metadata;
    this.weight = row.weight;
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
