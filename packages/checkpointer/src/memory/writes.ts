import type { WriteRow } from "../core/backend.ts";

/** From this many rows on, a table finds one faster than looking through them. */
const TABLE_FROM = 8;

/** The writes under a checkpoint, one row for a task and slot. Nearly all have one row: no table is made for it. */
export class WriteRows {
  #rows: WriteRow[];
  #places: Map<string, number> | undefined;

  constructor(rows: readonly WriteRow[] = []) {
    this.#rows = [...rows];
  }
  /** In the order in which they came. Not to be changed. */
  values(): readonly WriteRow[] {
    return this.#rows;
  }
  has(row: WriteRow): boolean {
    return this.#place(row) !== undefined;
  }
  /** Puts a row in the place of that of its task and slot. */
  set(row: WriteRow): void {
    const place = this.#place(row);
    if (place === undefined) {
      this.#places?.set(keyOf(row), this.#rows.length);
      // a list that is made with an element has no room for more, which nearly none needs
      if (this.#rows.length === 0) this.#rows = [row];
      else this.#rows.push(row);
    } else this.#rows[place] = row;
  }
  #place({ task, slot }: WriteRow): number | undefined {
    const rows = this.#rows;
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
