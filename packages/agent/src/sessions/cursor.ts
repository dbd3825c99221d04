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
/** Records that are read at a time to find them. */
const BLOCK = 100;

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
 * move up. Where all that the cursor names are gone, the list begins anew: sessions may be told again, and
 * none is left out.
 *
 * @param idsAt - the ids of some records as they stand now
 */
export async function positionOf(
  { offset, last }: Cursor,
  idsAt: (offset: number, limit: number) => Promise<readonly string[]>,
): Promise<number> {
  // where nothing was deleted, they are the last before it
  for (let to = offset, from = to - NAMED; to > 0; to = from, from -= BLOCK) {
    const start = Math.max(0, from);
    const ids = await idsAt(start, to - start);
    const place = last.map((id) => ids.indexOf(id)).find((at) => at >= 0);
    if (place !== undefined) return start + place + 1;
  }
  return 0;
}
