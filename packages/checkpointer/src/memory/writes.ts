import type { WriteRow } from "../core/backend.ts";

/** From this many rows on, a table finds one faster than looking through them. */
const TABLE_FROM = 8;
const NO_ROWS: readonly WriteRow[] = [];

/** The writes under a checkpoint, one row for a task and slot. Nearly all have one row: no list is made for it. */
export class WriteRows {
  #rows: WriteRow | WriteRow[] | undefined;
  #places: Map<string, number> | undefined;

  constructor(rows: readonly WriteRow[] = NO_ROWS) {
    this.#rows = rows.length < 2 ? rows[0] : [...rows];
  }
  /** In the order in which they came. Not to be changed. */
  values(): readonly WriteRow[] {
    const rows = this.#rows;
    if (rows === undefined) return NO_ROWS;
    return Array.isArray(rows) ? rows : [rows];
  }
  has(row: WriteRow): boolean {
    return this.#place(row) !== undefined;
  }
  /** Puts a row in the place of that of its task and slot. */
  set(row: WriteRow): void {
    if (this.#rows === undefined) {
      this.#rows = row;
      return;
    }
    const rows = (this.#rows = Array.isArray(this.#rows) ? this.#rows : [this.#rows]);
    const place = this.#place(row);
    if (place === undefined) {
      this.#places?.set(keyOf(row), rows.length);
      rows.push(row);
    } else rows[place] = row;
  }
  #place({ task, slot }: WriteRow): number | undefined {
    const rows = this.values();
    if (rows.length >= TABLE_FROM) {
      this.#places ??= new Map(rows.map((row, i) => [keyOf(row), i]));
      return this.#places.get(keyOf({ task, slot }));
    }
    const place = rows.findIndex((row) => row.slot === slot && row.task === task);
    return place < 0 ? undefined : place;
  }
}

function keyOf({ task, slot }: Pick<WriteRow, "task" | "slot">): string {
  return `${slot} ${task}`;
}
