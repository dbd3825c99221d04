import { GraphError } from "@skein/errors";
import { foldChain } from "../manifest/fold.ts";
import type { Manifest } from "../manifest/manifest.ts";
import type { CheckpointRow } from "./backend.ts";
import type { Snapshot } from "./state.ts";

/** Folds the rows from a base to a checkpoint; those of other branches are passed over. */
export function foldRows(rows: readonly CheckpointRow[], seq: number, threadId: string): Snapshot {
  const bySeq = new Map(rows.map((row) => [row.seq, row]));
  const path: Manifest[] = [];
  const last = bySeq.get(seq);
  let deltas = 0;
  let row = last;
  for (; row !== undefined && row.base !== row.seq; row = bySeq.get(row.parent as number)) {
    path.push(row.manifest);
    deltas += row.weight;
  }
  if (last === undefined || row === undefined) throw brokenChain(threadId, seq);
  path.push(row.manifest);
  return {
    seq,
    id: last.id,
    parentId: last.parentId ?? undefined,
    ts: last.ts,
    metadata: last.metadata,
    folded: foldChain(path.toReversed()),
    base: last.base,
    weight: { base: row.weight, deltas },
  };
}

/** The error of a checkpoint that cannot be put together. */
export function brokenChain(threadId: string, seq: number): GraphError {
  return new GraphError(
    "STORAGE_CORRUPT",
    `Checkpoint ${seq} of thread "${threadId}" builds on one that is not stored. The storage was damaged; restore it from a backup.`,
    { details: { threadId, seq } },
  );
}
