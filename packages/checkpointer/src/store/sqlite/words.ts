import type { QueryTerm } from "../../search/index.ts";
import type { Connection } from "../../sqlite/connection.ts";
import { guarded } from "../../sqlite/driver.ts";
import type { Find } from "../core/backend.ts";
import { type Found, type Ranked, rankWords } from "../core/rank.ts";
import { BETWEEN } from "./statements.ts";

/** Where each term stands, for one connection: FTS5 itself tells only which items hold it, and ranks by all there are. */
const PLACES =
  "CREATE VIRTUAL TABLE IF NOT EXISTS temp.store_words USING fts5vocab(main, store_text, instance)";

const IN_RANGE = "i.ns >= ? AND i.ns < ?";

/** Items that have ended and were not swept: with more of them than this, live ones are counted one by one. */
const FEW = 1000;

/**
 * How many items are searched: all there are less those that have ended. Both numbers stand in indexes; to look
 * at each item takes several times as long.
 */
const SIZE = `CASE WHEN (SELECT count(*) FROM (SELECT 1 FROM store_items WHERE expires_at <= ? LIMIT ${FEW})) < ${FEW}
    THEN (SELECT count(*) FROM store_items i WHERE ${IN_RANGE}) -
      (SELECT count(*) FROM store_items i WHERE i.expires_at <= ? AND +i.ns >= ? AND +i.ns < ?)
    ELSE (SELECT count(*) FROM store_items i WHERE ${BETWEEN}) END`;

/**
 * Where terms, each from one text to another, stand in the items that are searched: lists of the same
 * length in one row, because each further row costs the driver more than all else. Joined row by row,
 * because a namespace may hold more items than a term does.
 */
const HOLDERS = `WITH asked AS MATERIALIZED (
    SELECT key, json_extract(value, '$[0]') AS first, json_extract(value, '$[1]') AS last FROM json_each(?)
  )
  SELECT json_group_array(asked.key), json_group_array(word.doc), json_group_array(word.offset),
    json_group_array(hex(size.sz)), CASE WHEN count(*) > 0 THEN ${SIZE} ELSE 0 END
  FROM asked
  CROSS JOIN temp.store_words word ON word.term >= asked.first AND word.term <= asked.last
  CROSS JOIN store_items i ON i.id = word.doc
  CROSS JOIN store_text_docsize size ON size.id = word.doc
  WHERE ${BETWEEN}`;

type Holders = [asked: string, ids: string, places: string, sizes: string, searched: number];

/** What is asked for of the terms in the index: all from the first to the last. */
type Range = readonly [first: string, last: string];

/** What a term of a query is in the index: one range, or one for each of its pairs. */
function rangesOf(term: QueryTerm): Range[] {
  if (term.kind === "prefix") return [[term.text, `${term.text}\u{10ffff}`]];
  return (term.kind === "word" ? [term.text] : term.pairs).map((text) => [text, text]);
}

/** The live items of a range that hold any of the terms, the best first. */
export function rankedByWords(
  connection: Connection,
  { from, to }: Find,
  terms: readonly QueryTerm[],
  now: number,
): Ranked[] {
  // each time: where its owner undoes a transaction, what was made in it is gone
  guarded(connection.path, () => connection.sql(PLACES).run());
  const ranges = terms.map(rangesOf);
  const asked = JSON.stringify(ranges.flat());
  const live = [from, to, now] as const;
  const size = [now, from, to, now, from, to, ...live] as const;
  const holders = connection.get<Holders>(HOLDERS, asked, ...size, ...live) as Holders;
  return rankWords(foundOf(holders, ranges), holders[4]);
}

function foundOf([asked, ids, places, sizes]: Holders, ranges: readonly Range[][]): Found[] {
  const items = new Map<number, { readonly length: number; readonly places: number[][] }>();
  const [range, place, size] = [listOf<number>(asked), listOf<number>(places), listOf<string>(sizes)];
  for (const [at, id] of listOf<number>(ids).entries()) {
    const item = items.get(id) ?? { length: lengthOf(size[at] as string), places: [] };
    items.set(id, item);
    (item.places[range[at] as number] ??= []).push(place[at] as number);
  }
  return [...items].flatMap(([id, { length, places }]): Found[] => {
    let next = 0;
    const counts = ranges.map((each) => countInRow(each.map(() => places[next++] ?? [])));
    return counts.some((count) => count > 0) ? [{ id, length, counts }] : [];
  });
}

const listOf = <Element>(array: string): Element[] => JSON.parse(array) as Element[];

/** How often terms stand in a row, as `countMatches` counts: a row that overlaps one before it is none. */
function countInRow([first = [], ...others]: readonly (readonly number[])[]): number {
  const next = others.map((places) => new Set(places));
  let count = 0;
  let from = 0;
  for (const place of first.toSorted((a, b) => a - b)) {
    if (place < from || !next.every((places, i) => places.has(place + i + 1))) continue;
    count += 1;
    from = place + 1 + next.length;
  }
  return count;
}

/** The number of terms that FTS5 keeps of a text, as hexadecimal bytes: seven bits each, the highest first. */
function lengthOf(size: string): number {
  return Buffer.from(size, "hex").reduce((length, byte) => length * 128 + (byte & 0x7f), 0);
}
