import type { Manifest } from "../manifest/manifest.ts";
import { parseManifest, printManifest } from "../manifest/text.ts";
import { fromText, toText } from "./names.ts";
import type { CheckpointRow } from "./rows.ts";

/** The columns of a checkpoint as queries select them. @typeParam Id - how the database stores an id */
export type ColumnsOf<Id> = readonly [
  seq: number,
  cid: Id,
  parent: number | null,
  parentId: Id | null,
  base: number,
  ts: string,
  metadata: string,
  manifest: string,
];

/** A row as read. Its manifest is parsed only if it is on the way to the checkpoint that was asked for. */
export class StoredRow<Id> implements CheckpointRow {
  readonly seq: number;
  readonly id: string;
  readonly parent: number | null;
  readonly parentId: string | null;
  readonly base: number;
  readonly ts: string;
  readonly metadata: string;
  readonly weight: number;
  readonly #text: string;

  constructor(columns: ColumnsOf<Id>, idOf: (stored: Id) => string) {
    const [seq, cid, parent, parentId, base, ts, metadata, manifest] = columns;
    this.seq = seq;
    this.id = idOf(cid);
    this.parent = parent;
    this.parentId = parentId === null ? null : idOf(parentId);
    this.base = base;
    this.ts = fromText(ts);
    this.metadata = metadataOf(metadata);
    this.weight = manifest.length;
    this.#text = manifest;
  }
  get manifest(): Manifest {
    return parseManifest(this.#text);
  }
}

export function columnsOf<Id>(row: CheckpointRow, stored: (id: string) => Id): ColumnsOf<Id> {
  return [
    row.seq,
    stored(row.id),
    row.parent,
    row.parentId === null ? null : stored(row.parentId),
    row.base,
    toText(row.ts),
    shortMetadata(row.metadata),
    printManifest(row.manifest),
  ];
}

/** What nearly all metadata are; they are a sixth of a row then. Others begin with a brace. */
const PLAIN = /^\{"source":"([a-z]+)","step":(-?\d+),"parents":\{\}\}$/;

function shortMetadata(text: string): string {
  const plain = PLAIN.exec(text);
  return plain === null ? text : `${plain[1]} ${plain[2]}`;
}

function metadataOf(stored: string): string {
  if (stored.startsWith("{")) return stored;
  const [source, step] = stored.split(" ");
  return `{"source":"${source}","step":${step},"parents":{}}`;
}
