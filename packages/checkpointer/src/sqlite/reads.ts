import type { Backend, CheckpointRow, ItemPage, LaneRow, WriteRow } from "../core/backend.ts";
import { fromText } from "../core/names.ts";
import type { Connection } from "./connection.ts";
import { isTooLong } from "./driver.ts";
import { toId } from "./ids.ts";
import { CHAIN, ITEMS, JOINED_ITEMS, LANES } from "./queries.ts";
import type { StoredCheckpoint } from "./rows.ts";
import { writesUnder } from "./inline.ts";

export type ItemRange = Parameters<Backend["items"]>;

/** Most bound parameters of one query. */
const MAX_PARAMETERS = 500;

/** Items of more characters than this are read row by row. */
const LONG = 2_000;
/** Characters that one message of a page may keep in memory. */
const MOST_KEPT = 1_048_576;

/** What a run reads. */
export class Reads {
  readonly #db: Connection;
  /** Characters of an item, on an average of the last page. */
  #length = 0;

  constructor(db: Connection) {
    this.#db = db;
  }

  lanes(tid: number): LaneRow[] {
    const rows = this.#db.all<[number, string, number | null]>(LANES, tid);
    return rows.map(([lane, name, last]) => ({
      lane,
      name: fromText(name),
      next: last === null ? 0 : last + 1,
    }));
  }

  locate(nsid: number, checkpointId: string): number | undefined {
    return this.#db.get<[number]>(
      "SELECT seq FROM checkpoints WHERE nsid = ? AND cid = ?",
      nsid,
      toId(checkpointId),
    )?.[0];
  }

  chain(nsid: number, seq: number): CheckpointRow[] {
    const rows = this.#db.all<StoredCheckpoint>(CHAIN, seq, nsid, nsid, seq, seq);
    return rows.map(this.#db.checkpoints.row);
  }

  writes(nsid: number, seq: number): WriteRow[] {
    return writesUnder(this.#db, nsid, seq);
  }

  items(range: ItemRange): string[] {
    return this.#db.all<[string]>(ITEMS, ...bound(range)).map(([body]) => body);
  }

  page(range: ItemRange): ItemPage {
    const joined = this.#length <= LONG ? this.#joined(range) : undefined;
    const page = joined ?? { bodies: this.items(range), mayCut: true };
    this.#length = page.bodies.reduce((sum, { length }) => sum + length, 0) / (page.bodies.length || 1);
    return page;
  }

  /**
   * As one text, which is cut here: each row that the driver hands over costs more than what stands in it,
   * unless that is long: texts of megabytes take memory that the system clears first.
   * Undefined for what is too long for one text, or was written by another codec on several lines.
   */
  #joined(range: ItemRange): ItemPage | undefined {
    try {
      const row = this.#db.get<[string | null, number, number]>(JOINED_ITEMS, ...bound(range));
      const [text, count, bytes] = row ?? [null, 0, 0];
      const bodies = text?.split("\n") ?? [];
      if (text === null || bodies.length !== count) return undefined;
      // else values are copied out of it, and it would be kept for a few of them, or take twice their bytes
      const isAscii = text.length === bytes + count - 1;
      return { bodies, mayCut: isAscii && text.length <= MOST_KEPT && !text.includes("\\") };
    } catch (error) {
      if (isTooLong(error)) return undefined;
      throw error;
    }
  }

  itemsByKey(tid: number, lane: number, keys: readonly number[]): { key: number; ord: number }[] {
    const found: { key: number; ord: number }[] = [];
    for (let i = 0; i < keys.length; i += MAX_PARAMETERS) {
      const some = keys.slice(i, i + MAX_PARAMETERS);
      // few texts, so that few statements are kept
      const places = 2 ** Math.ceil(Math.log2(some.length));
      const padded = [...some, ...Array.from({ length: places - some.length }, () => null)];
      const sql = `SELECT key, ord FROM items WHERE tid = ? AND lane = ? AND key IN (${padded.map(() => "?").join(", ")})`;
      for (const [key, ord] of this.#db.all<[number, number]>(sql, tid, lane, ...padded))
        found.push({ key, ord });
    }
    return found;
  }
}

/** What `ITEMS` binds. */
function bound([tid, lane, from, to, generation]: ItemRange): unknown[] {
  const seen = generation ?? null;
  return [tid, lane, from, to, seen, tid, seen];
}
