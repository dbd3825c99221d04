import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "libsql";
import { Pool } from "pg";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { PostgresSaver } from "../src/postgres/index.ts";
import { SqliteSaver } from "../src/sqlite/index.ts";
import { PostgresStore } from "../src/store/postgres/index.ts";
import { SqliteStore } from "../src/store/sqlite/index.ts";
import { putValue } from "./steps.ts";
import { newSchema, postgresUrl, sharedPool, urlOf } from "./support/postgres.ts";
import { startProgram } from "./support/program.ts";

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "skein-store-"));
  path = join(folder, "store.db");
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

const coded = (code: string, text = ""): unknown =>
  expect.objectContaining({ code, message: expect.stringContaining(text) as string });

describe("a database", () => {
  it("may be that of a saver; stop leaves open what was given, and closes what was opened", async () => {
    const saver = SqliteSaver.fromConnString(path);
    await putValue(saver, "t", "1", 5);
    const db = new Database(path);
    const given = new SqliteStore(db as never);
    await given.put(["a"], "k", { n: 1 });
    await given.stop();
    expect(db.prepare("SELECT count(*) AS n FROM store_items").get()).toMatchObject({ n: 1 });
    const opened = SqliteStore.fromConnString(path);
    expect((await opened.get(["a"], "k"))?.value).toEqual({ n: 1 });
    await opened.stop();
    // a stopped store opens again
    expect(await opened.search([])).toHaveLength(1);
    await opened.stop();
    await putValue(saver, "t", "2", 6);
    await saver.close();
    db.close();
  });

  it("holds no word of a deleted item when the saver has cleaned it up (B9)", async () => {
    const store = SqliteStore.fromConnString(path);
    await store.put(["a"], "k", { text: "zanzibar" });
    for (let i = 0; i < 20; i += 1) await store.put(["a"], `other ${i}`, { text: `word ${i}` });
    await store.delete(["a"], "k");
    const saver = SqliteSaver.fromConnString(path);
    await saver.cleanUp();
    for (const end of ["", "-wal"]) expect(readFileSync(path + end).includes("zanzi")).toBe(false);
    expect(await store.search(["a"], { query: "word", limit: 50 })).toHaveLength(20);
    await saver.close();
    await store.stop();

    const schema = newSchema();
    const url = await postgresUrl();
    const remote = PostgresStore.fromConnString(url, { schema });
    for (let i = 0; i < 100; i += 1) await remote.put(["a"], String(i), { text: "zanzibar" });
    for (let i = 0; i < 100; i += 1) await remote.delete(["a"], String(i));
    await remote.stop();
    const cleaner = PostgresSaver.fromConnString(url, { schema });
    const pool = await sharedPool();
    // a transaction of another test keeps what was deleted since it began
    await vi.waitFor(
      async () => {
        await cleaner.cleanUp();
        const size = "SELECT pg_relation_size($1::text) AS bytes";
        const { rows } = await pool.query<{ bytes: string }>(size, [`${schema}.store_items`]);
        expect(Number(rows[0]?.bytes)).toBe(0);
      },
      { timeout: 20_000, interval: 100 },
    );
    await cleaner.close();
  });

  it("with a store of a later version is left alone", async () => {
    const store = SqliteStore.fromConnString(path);
    await store.put(["a"], "k", {});
    await store.stop();
    const db = new Database(path);
    db.exec("UPDATE meta SET value = '99' WHERE key = 'store_format'");
    await expect(store.put(["a"], "k", { n: 1 })).rejects.toEqual(coded("STORAGE_NEWER", "99"));
    db.exec("UPDATE meta SET value = '1' WHERE key = 'store_format'");
    db.close();
    // the failed opening is tried again
    expect((await store.get(["a"], "k"))?.value).toEqual({});
    await store.stop();
  });

  it("of another program is left alone, unless its tables may stand alongside", async () => {
    const db = new Database(path);
    db.exec("CREATE TABLE customers (name)");
    const store = SqliteStore.fromConnString(path);
    await expect(store.get(["a"], "k")).rejects.toEqual(coded("STORAGE_UNAVAILABLE", "customers"));
    await store.stop();
    expect(db.prepare("SELECT name FROM sqlite_master").all()).toEqual([{ name: "customers" }]);
    expect(db.pragma("journal_mode")).toEqual([{ journal_mode: "delete" }]);
    const alongside = SqliteStore.fromConnString(path, { alongside: true });
    expect(await alongside.get(["a"], "k")).toBeNull();
    await alongside.stop();
    db.close();
    // the tables are there now
    const again = SqliteStore.fromConnString(path);
    expect(await again.get(["a"], "k")).toBeNull();
    await again.stop();
  });

  it("that its caller has opened is the caller's choice", async () => {
    const db = new Database(path);
    db.exec("CREATE TABLE customers (name)");
    const opened = new Database(path);
    const close = vi.spyOn(opened, "close");
    const closing = new SqliteStore(() => opened as never, { alongside: false });
    await expect(closing.get(["a"], "k")).rejects.toEqual(coded("STORAGE_UNAVAILABLE", "customers"));
    expect(close).toHaveBeenCalledOnce();
    const refused = new SqliteStore(db as never, { alongside: false });
    await expect(refused.get(["a"], "k")).rejects.toEqual(coded("STORAGE_UNAVAILABLE", "customers"));
    const store = new SqliteStore(db as never);
    await store.put(["a"], "k", { text: "words" });
    const found = async () => (await store.search(["a"], { query: "words" })).length;
    // as is a transaction that it undoes
    db.exec("BEGIN");
    expect(await found()).toBe(1);
    db.exec("ROLLBACK");
    expect(await found()).toBe(1);
    await store.stop();
    db.close();
  });

  it("keeps no listener of a store that was stopped, or that did not open", async () => {
    const pool = new Pool({ connectionString: await postgresUrl() });
    const schema = newSchema();
    const store = new PostgresStore(pool, { schema });
    for (let round = 0; round < 2; round += 1) {
      await store.put(["a"], "k", { n: round });
      expect(pool.listenerCount("error")).toBe(1);
      await store.stop();
      expect(pool.listenerCount("error")).toBe(0);
    }
    await pool.query(`UPDATE ${schema}.meta SET value = '99' WHERE key = 'store_format'`);
    await expect(store.get(["a"], "k")).rejects.toEqual(coded("STORAGE_NEWER"));
    await store.stop();
    expect(pool.listenerCount("error")).toBe(0);
    await pool.end();
  });

  it.each(["garbage", "host=localhost dbname=x", "localhost:5432/x", "mysql://localhost/x", undefined])(
    "has an address that is a URL of PostgreSQL, which %s is not",
    (url) => {
      const refused = coded("INVALID_CONFIGURATION", "no PostgreSQL URL");
      expect(() => PostgresStore.fromConnString(url as string)).toThrow(refused);
      expect(() => PostgresSaver.fromConnString(url as string)).toThrow(refused);
    },
  );

  it("takes batches also of a user that may use its tables only", async () => {
    const [schema, user] = [newSchema(), `${newSchema()}_user`];
    const url = await postgresUrl();
    const owner = PostgresStore.fromConnString(url, { schema });
    await owner.setup();
    await owner.stop();
    const pool = await sharedPool();
    await pool.query(`CREATE ROLE ${user} LOGIN`);
    await pool.query(`GRANT USAGE ON SCHEMA ${schema} TO ${user}`);
    await pool.query(`GRANT ALL ON ALL TABLES IN SCHEMA ${schema} TO ${user}`);
    const store = PostgresStore.fromConnString(urlOf(url, user), { schema });
    await store.batch(["1", "2"].map((key) => ({ namespace: ["a"], key, value: {} })));
    expect(await store.search(["a"])).toHaveLength(2);
    await store.stop();
  });

  it("that cannot be reached is an error that says so", async () => {
    const file = SqliteStore.fromConnString(join(folder, "no", "such", "folder", "x.db"));
    await expect(file.get(["a"], "k")).rejects.toEqual(coded("STORAGE_UNAVAILABLE"));
    const nobody = PostgresStore.fromConnString("postgres://skein@127.0.0.1:1/none");
    await expect(nobody.get(["a"], "k")).rejects.toEqual(coded("STORAGE_UNAVAILABLE"));
    await nobody.stop();
    expect(() => PostgresStore.fromConnString("postgres://127.0.0.1/x", { schema: 'x"; --' })).toThrow(
      coded("INVALID_CONFIGURATION"),
    );
  });

  it.each(["SQLite", "PostgreSQL"])(
    "of %s takes several processes at once, from the first table on",
    async (kind) => {
      const schema = newSchema();
      const target = kind === "SQLite" ? path : `${await postgresUrl()}#${schema}`;
      const worker = join(import.meta.dirname, "store-worker.ts");
      const ends = ["a", "b"].map(async (name) => {
        const [code] = (await once(await startProgram(worker, target, name, "30"), "exit")) as [number];
        return code;
      });
      expect(await Promise.all(ends)).toEqual([0, 0]);
      const store =
        kind === "SQLite"
          ? SqliteStore.fromConnString(target)
          : PostgresStore.fromConnString(await postgresUrl(), { schema });
      for (const name of ["a", "b"]) {
        expect(await store.search(["shared", name], { limit: 100 })).toHaveLength(20);
        expect(await store.search(["shared", name], { query: `words ${name}`, limit: 100 })).toHaveLength(20);
      }
      expect((await store.get(["shared"], "one for all"))?.value["i"]).toBe(29);
      expect(await store.search(["shared"], { query: "common" })).toHaveLength(1);
      await store.stop();
    },
  );
});
