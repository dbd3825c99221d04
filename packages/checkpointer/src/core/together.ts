import type { ChangeSet } from "../changeset/types.ts";
import type { CommitRow, MovedItem } from "./backend.ts";
import type { Told } from "./taken.ts";

/** A commit that is to be sent with others. */
export interface Staged {
  /** Those before it, and its own. */
  readonly rows: readonly CommitRow[];
  /** What it says, for planning it anew where it could not be stored. */
  readonly told: () => Told | undefined;
}

/** A commit of a run that waits for the next one. */
export interface WaitingCommit {
  readonly change: ChangeSet;
  readonly staged: Staged;
}

/**
 * Commits for one transaction, each behind the one before. What the last one moves within items that the
 * others bring is put there, so that nothing is stored to be changed at once.
 */
export function together(before: readonly CommitRow[], last: CommitRow): readonly CommitRow[] {
  if (last.moved.length === 0) return [...before, last];
  const rows = [...before];
  const moved = last.moved.filter((item) => !putInPlace(rows, item));
  return [...rows, { ...last, moved }];
}

function putInPlace(rows: CommitRow[], { lane, ord, body }: MovedItem): boolean {
  for (const [i, row] of rows.entries()) {
    const at = row.items.findIndex((item) => item.lane === lane && item.ord === ord);
    if (at < 0) continue;
    rows[i] = { ...row, items: row.items.map((item, j) => (j === at ? { ...item, body } : item)) };
    return true;
  }
  return false;
}
