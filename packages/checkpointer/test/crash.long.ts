import { expect, it } from "vitest";
import { crashRepeatedly, onDyingServer, onPostgres, onSqlite } from "./crash.ts";

it.each([
  ["SQLite", onSqlite],
  ["PostgreSQL", onPostgres],
  ["PostgreSQL, the server", onDyingServer],
] as const)(
  "loses nothing that was acknowledged in 200 kills: %s (F9)",
  { timeout: 1_800_000 },
  async (_, storage) => {
    expect(await crashRepeatedly(await storage(), 200, Math.random)).toBeGreaterThan(200);
  },
);
