import { expect, it } from "vitest";
import { onDyingServer, onPostgres, onSqlite, type Ground } from "./crash/grounds.ts";
import { CrashMatrix, type Moment } from "./crash/matrix.ts";

const GROUNDS: readonly (readonly [
  string,
  () => Ground | Promise<Ground>,
  strikes: number,
  lanes: number,
])[] = [
  ["SQLite, the process", onSqlite, 9, 2],
  ["PostgreSQL, the client", onPostgres, 8, 2],
  ["PostgreSQL, the server", onDyingServer, 3, 1],
];

it.concurrent.each(GROUNDS)(
  "a thread whose %s is killed with SIGKILL loses nothing and applies nothing twice, before and after queries (F9)",
  { timeout: 120_000 },
  async (_, open, strikes, lanes) => {
    const matrix = await CrashMatrix.prepare(await open(), 1);
    try {
      const boundaries = Array.from({ length: strikes }, (_, i) => ({
        boundary: Math.floor(((i + 0.5) * matrix.boundaries) / strikes),
      }));
      const others: Moment[] = [
        { part: Math.random(), durability: "async" },
        { part: Math.random(), durability: "exit" },
      ];
      expect(await matrix.strikeAll([...boundaries, ...others], lanes)).toEqual([]);
      expect(matrix.kills).toBeGreaterThanOrEqual(strikes);
    } finally {
      await matrix.close();
    }
  },
);
