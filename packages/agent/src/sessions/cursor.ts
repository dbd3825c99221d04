import { GraphError } from "@skein/errors";

/** Where a page of sessions ended. */
export interface Cursor {
  /** Records before it, when the page was read. */
  readonly offset: number;
  /** Ids of the last of them, also of pages before, the very last one first. */
  readonly last: readonly string[];
}

/** Ids that a cursor names: as many may be deleted one behind the other without a session being told twice. */
const NAMED = 8;
/** Records that are read to find them, where they are not the last before it: at first, and at most. */
const BLOCK = 100;
const LARGEST_BLOCK = 1_600;

/**
 * @param read - ids of the records of a page
 * @param before - where it began
 */
export function cursorAfter(offset: number, read: readonly string[], before: Cursor): string {
  const last = [...read.slice(-NAMED).toReversed(), ...before.last].slice(0, NAMED);
  return `${offset}:${last.map(encodeURIComponent).join(",")}`;
}

/** @throws GraphError INVALID_INPUT for what no page gave as its cursor */
export function parseCursor(cursor: string | undefined): Cursor {
  if (cursor === undefined) return { offset: 0, last: [] };
  const [, offset, last = ""] = (typeof cursor === "string" && /^(\d{1,15}):([^:]+)$/.exec(cursor)) || [];
  const ids = last.split(",").map(decoded);
  if (offset !== undefined && !ids.includes(undefined))
    return { offset: Number(offset), last: ids as string[] };
  throw new GraphError("INVALID_INPUT", "This cursor is of no page of sessions; pass that of the last page.");
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/**
 * Where the next page begins: a store knows positions only, and those behind a session that was deleted
 * move up. Where all that the cursor names are gone, or too far from there, the list begins anew: sessions
 * may be told again, and none is left out. A cursor may be forged, so whatever it says, few records are read.
 *
 * @param idsAt - the ids of some records as they stand now
 */
export async function positionOf({ offset, last }: Cursor, idsAt: IdsAt): Promise<number> {
  // where nothing was deleted, they are the last before it
  for (let to = offset, block = NAMED; to > 0 && block <= LARGEST_BLOCK;) {
    const start = Math.max(0, to - block);
    const ids = await idsAt(start, to - start);
    const place = last.map((id) => ids.indexOf(id)).find((at) => at >= 0);
    if (place !== undefined) return start + place + 1;
    to = ids.length > 0 ? start : await endBefore(start, idsAt);
    block = ids.length > 0 && block >= BLOCK ? block * 2 : BLOCK;
  }
  return 0;
}

type IdsAt = (offset: number, limit: number) => Promise<readonly string[]>;

/** Less than a block behind the last record. @param nothing - where there is no record */
async function endBefore(nothing: number, idsAt: IdsAt): Promise<number> {
  let [from, to] = [0, nothing];
  while (to - from > BLOCK) {
    const middle = Math.floor((from + to) / 2);
    if ((await idsAt(middle, 1)).length > 0) from = middle;
    else to = middle;
  }
  return to;
}
