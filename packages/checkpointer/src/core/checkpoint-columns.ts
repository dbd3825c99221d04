import { printManifest } from "../manifest/text.ts";
import { fromText, toText } from "./names.ts";
import type { CheckpointRow } from "./rows.ts";
import { TextRow } from "./text-row.ts";

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

export function rowOf<Id>(columns: ColumnsOf<Id>, idOf: (stored: Id) => string): CheckpointRow {
  const [seq, cid, parent, storedParent, base, ts, metadata, manifest] = columns;
  const row = {
    seq,
    id: idOf(cid),
    parent,
    parentId: storedParent === null ? null : idOf(storedParent),
    base,
    ts: fromText(ts),
    metadata: metadataOf(metadata),
    weight: manifest.length,
  };
  return new TextRow(row, manifest);
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
