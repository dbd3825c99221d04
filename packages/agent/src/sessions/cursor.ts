import { GraphError } from "@skein/errors";

/** Where a page of sessions ended. */
export interface Cursor {
  /** Records before it, when the page was read. */
  readonly offset: number;
  /** How many of them the page read. */
  readonly span: number;
  /** Ids of the last of them, the very last one first. */
  readonly last: readonly string[];
}

/** Ids that a cursor names: as many may be deleted one behind the other without a session being told twice. */
const NAMED = 8;
/** Most records that are read again to find them. */
const LONGEST = 200;

export function cursorAfter(offset: number, read: readonly string[]): string {
  const last = read.slice(-NAMED).toReversed().map(encodeURIComponent);
  return `${offset}:${Math.min(read.length, LONGEST)}:${last.join(",")}`;
}

/** @throws GraphError INVALID_INPUT for what no page gave as its cursor */
export function parseCursor(cursor: string | undefined): Cursor {
  if (cursor === undefined) return { offset: 0, span: 0, last: [] };
  const [, offset, span, last = ""] =
    (typeof cursor === "string" && /^(\d{1,15}):(\d{1,3}):([^:]+)$/.exec(cursor)) || [];
  const ids = last.split(",").map(decoded);
  if (offset !== undefined && !ids.includes(undefined))
    return { offset: Number(offset), span: Number(span), last: ids as string[] };
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
 * move up. Where all that the cursor names are gone, sessions of the page may be told again; none is left out.
 *
 * @param idsAt - the ids of some records as they stand now
 */
export async function positionOf(
  { offset, span, last }: Cursor,
  idsAt: (offset: number, limit: number) => Promise<readonly string[]>,
): Promise<number> {
  if (last.length === 0) return offset;
  const from = Math.max(0, offset - span);
  const ids = offset === from ? [] : await idsAt(from, offset - from);
  const places = last.map((id) => ids.indexOf(id));
  const place = places.find((at) => at >= 0);
  return place === undefined ? from : from + place + 1;
}
