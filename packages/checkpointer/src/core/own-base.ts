import { weigh } from "../manifest/base.ts";
import { asBase } from "../manifest/fold.ts";
import type { CheckpointRow } from "./backend.ts";
import { foldRows } from "./snapshots.ts";

/** A checkpoint as a base of its own, which builds on no other. @param chain - the rows that it builds on now, and it */
export function ownBase(
  row: CheckpointRow,
  chain: readonly CheckpointRow[],
  threadId: string,
): CheckpointRow {
  const { seq, id, parent, parentId, ts, metadata } = row;
  const manifest = asBase(foldRows(chain, seq, threadId).folded);
  return { seq, id, parent, parentId, base: seq, ts, metadata, manifest, weight: weigh(manifest) };
}
