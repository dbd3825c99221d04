import type { WriteRow } from "./rows.ts";

/** Order of texts by their code units, whatever the locale. */
export function compareTexts(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** Order of the writes under a checkpoint: by task, then slot. */
export function compareWrites(a: WriteRow, b: WriteRow): number {
  return compareTexts(a.task, b.task) || a.slot - b.slot;
}
