import { expect, it } from "vitest";
import { crashRepeatedly, onDyingServer, onPostgres, onSqlite } from "./crash.ts";

it.each([
  ["SQLite", onSqlite, 5],
  ["PostgreSQL", onPostgres, 3],
  ["PostgreSQL, the server", onDyingServer, 2],
] as const)(
  "loses nothing that was acknowledged when it is killed at any moment: %s (F9)",
  { timeout: 60_000 },
  async (_, storage, rounds) => {
    expect(await crashRepeatedly(await storage(), rounds, Math.random)).toBeGreaterThan(5);
  },
);
