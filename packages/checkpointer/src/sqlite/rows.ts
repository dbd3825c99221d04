import type { CheckpointRow } from "../core/backend.ts";
import type { Manifest } from "../manifest/manifest.ts";
import { parseManifest, printManifest } from "../manifest/text.ts";
import { fromId, toId, type StoredId } from "./ids.ts";

/** The columns of a checkpoint as the queries select them. */
export type CheckpointColumns = readonly [
  seq: number,
  cid: StoredId,
  parent: number | null,
  parentId: StoredId | null,
  base: number,
  ts: string,
  metadata: string,
  manifest: string,
];

/** A row as read. Its manifest is parsed only if it is on the way to the checkpoint that was asked for. */
export class StoredRow implements CheckpointRow {
  readonly seq: number;
  readonly id: string;
  readonly parent: number | null;
  readonly parentId: string | null;
  readonly base: number;
  readonly ts: string;
  readonly metadata: string;
  readonly weight: number;
  readonly #text: string;

  constructor([seq, cid, parent, parentId, base, ts, metadata, manifest]: CheckpointColumns) {
    this.seq = seq;
    this.id = fromId(cid);
    this.parent = parent;
    this.parentId = parentId === null ? null : fromId(parentId);
    this.base = base;
    this.ts = ts;
    this.metadata = metadata;
    this.weight = manifest.length;
    this.#text = manifest;
  }
  get manifest(): Manifest {
    return parseManifest(this.#text);
  }
}

export function checkpointColumns(row: CheckpointRow): unknown[] {
  return [
    row.seq,
    toId(row.id),
    row.parent,
    row.parentId === null ? null : toId(row.parentId),
    row.base,
    row.ts,
    row.metadata,
    printManifest(row.manifest),
  ];
}
