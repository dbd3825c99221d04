import { expect, it } from "vitest";
import { onDyingServer, onPostgres, onSqlite, type Ground } from "./crash/grounds.ts";
import { CrashMatrix, type Moment } from "./crash/matrix.ts";

interface Row {
  readonly name: string;
  readonly open: () => Ground | Promise<Ground>;
  readonly turns: number;
  /** Of the boundaries; all of them unless told. */
  readonly boundaries?: number;
  /** Moments by chance, a third of them in each durability. */
  readonly random: number;
  /** At least: a moment may come when the run has ended. */
  readonly kills: number;
  /** Processes at a time. */
  readonly lanes: number;
}

/** More than 1,000 kills in all, on either storage more than 400. */
const ROWS: readonly Row[] = [
  { name: "SQLite, the process", open: onSqlite, turns: 4, random: 120, kills: 800, lanes: 2 },
  { name: "PostgreSQL, the client", open: onPostgres, turns: 3, random: 240, kills: 340, lanes: 2 },
  {
    name: "PostgreSQL, the server",
    open: onDyingServer,
    turns: 2,
    boundaries: 90,
    random: 30,
    kills: 100,
    lanes: 1,
  },
];

const DURABILITIES = ["sync", "async", "exit"] as const;

/** Boundaries of the set-up on empty storage and of the run, then random moments. */
function moments(matrix: CrashMatrix, { boundaries = Number.POSITIVE_INFINITY, random }: Row): Moment[] {
  const all: Moment[] = [
    ...Array.from({ length: matrix.setupBoundaries }, (_, boundary) => ({ boundary, empty: true })),
    ...Array.from({ length: matrix.boundaries }, (_, boundary) => ({ boundary })),
  ];
  const most = Math.min(boundaries, all.length);
  return [
    ...Array.from({ length: most }, (_, i) => all[Math.floor((i * all.length) / most)] as Moment),
    ...Array.from({ length: random }, (_, i): Moment => ({
      part: Math.random(),
      durability: DURABILITIES[i % 3] ?? "sync",
    })),
  ];
}

// none of them keeps two cores busy
it.concurrent.each(ROWS)(
  "a thread whose $name is killed with SIGKILL loses nothing and applies nothing twice: at least $kills kills (F9)",
  { timeout: 1_800_000 },
  async (row) => {
    const matrix = await CrashMatrix.prepare(await row.open(), row.turns);
    try {
      expect(await matrix.strikeAll(moments(matrix, row), row.lanes)).toEqual([]);
      expect(matrix.kills).toBeGreaterThanOrEqual(row.kills);
    } finally {
      await matrix.close();
    }
  },
);
