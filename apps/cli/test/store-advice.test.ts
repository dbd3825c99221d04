import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SqliteSaver } from "@skein/checkpointer/sqlite";
import { SqliteStore } from "@skein/checkpointer/store/sqlite";
import Database from "libsql";
import { afterEach, beforeEach, expect, it } from "vitest";
import { openSqlite } from "../src/store.ts";

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "skein-advice-"));
  path = join(folder, "customers.db");
  const db = new Database(path);
  db.exec("CREATE TABLE customers (name)");
  db.close();
});
afterEach(() => rmSync(folder, { recursive: true }));

it.each(["read", "write"] as const)(
  "to %s another program's database, a command has its own advice",
  async (mode) => {
    await expect(openSqlite(path, mode)).rejects.toMatchObject({
      code: "STORAGE_UNAVAILABLE",
      message: `The database "${path}" belongs to another program: it has 1 tables (customers ...) and none of ours. Nothing was changed. Give another path with --db.`,
      details: { path, tables: ["customers"] },
    });
  },
);

it("a program learns from the details which option would allow it, whatever the words", async () => {
  const refused = { details: { path, tables: ["customers"], option: "alongside" } };
  const saver = SqliteSaver.fromConnString(path);
  expect(() => saver.setup()).toThrow(expect.objectContaining(refused));
  await saver.close();
  const store = SqliteStore.fromConnString(path);
  await expect(store.setup()).rejects.toMatchObject(refused);
  await store.stop();
});
