import { expect, it } from "vitest";
import { onDyingServer, onPostgres, onSqlite, type Ground } from "./crash/grounds.ts";
import { CrashMatrix, type Moment } from "./crash/matrix.ts";

interface Row {
  readonly name: string;
  readonly open: () => Ground | Promise<Ground>;
  readonly turns: number;
  readonly strikes: number;
  /** Processes at a time. */
  readonly lanes: number;
}

/** 1,000 in all, on either storage more than 400. */
const ROWS: readonly Row[] = [
  { name: "SQLite, the process", open: onSqlite, turns: 4, strikes: 450, lanes: 2 },
  { name: "PostgreSQL, the client", open: onPostgres, turns: 2, strikes: 450, lanes: 2 },
  { name: "PostgreSQL, the server", open: onDyingServer, turns: 2, strikes: 100, lanes: 1 },
];

/** Every boundary of the set-up on empty storage and of the run, evenly chosen if there are too many, then random moments. */
function moments(matrix: CrashMatrix, strikes: number): Moment[] {
  const boundaries: Moment[] = [
    ...Array.from({ length: matrix.setupBoundaries }, (_, boundary) => ({ boundary, empty: true })),
    ...Array.from({ length: matrix.boundaries }, (_, boundary) => ({ boundary })),
  ];
  const most = Math.floor(strikes * 0.9);
  const chosen =
    boundaries.length <= most
      ? boundaries
      : Array.from(
          { length: most },
          (_, i) => boundaries[Math.floor((i * boundaries.length) / most)] as Moment,
        );
  const random = Array.from({ length: strikes - chosen.length }, () => ({ part: Math.random() }));
  return [...chosen, ...random];
}

// none of them keeps two cores busy
it.concurrent.each(ROWS)(
  "a thread whose $name is killed with SIGKILL loses nothing and applies nothing twice: $strikes strikes (F9)",
  { timeout: 1_800_000 },
  async ({ open, turns, strikes, lanes }) => {
    const matrix = await CrashMatrix.prepare(await open(), turns);
    try {
      const chosen = moments(matrix, strikes);
      expect(chosen).toHaveLength(strikes);
      expect(await matrix.strikeAll(chosen, lanes)).toEqual([]);
    } finally {
      await matrix.close();
    }
  },
);
