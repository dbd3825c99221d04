import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import Database from "libsql";
import { describe, expect, it } from "vitest";
import { CHANGE_SETS } from "../src/index.ts";
import { openDatabase } from "../src/sqlite/driver.ts";
import type { SqliteDatabase } from "../src/sqlite/driver.ts";
import { setupSchema } from "../src/sqlite/schema.ts";
import { SqliteSaver } from "../src/sqlite/index.ts";
import { SqliteStore } from "../src/store/sqlite/index.ts";
import { putValue } from "./steps.ts";
import { chat, contents } from "./turns.ts";
import { databasePerTest } from "./support/database-per-test.ts";

const database = databasePerTest();

const coded = (code: string, text = ""): unknown =>
  expect.objectContaining({ code, message: expect.stringContaining(text) as string });

describe("opening", () => {
  it("makes a database in WAL mode that a second saver reads", async () => {
    const saver = SqliteSaver.fromConnString(database.path);
    await putValue(saver, "t", "1", 5);
    const other = new SqliteSaver(new Database(database.path) as never);
    expect((await other.getTuple({ configurable: { thread_id: "t" } }))?.checkpoint.channel_values).toEqual({
      n: 5,
    });
    expect(new Database(database.path).prepare("PRAGMA journal_mode").get()).toMatchObject({
      journal_mode: "wal",
    });
    await saver.close();
    await other.close();
  });

  it("takes a database whose owner reads integers as bigints", async () => {
    const db = new Database(database.path);
    db.defaultSafeIntegers(true);
    const saver = new SqliteSaver(db as never);
    await chat(saver, "t", 2);
    await saver.prune("t", { keepLast: 1 });
    expect(await contents(saver, "t")).toEqual(["question 1", "answer 1", "question 2", "answer 2"]);
    expect(await saver.listThreads()).toMatchObject([{ threadId: "t", checkpoints: 1 }]);
    expect(db.prepare("SELECT 1 AS one").get()).toMatchObject({ one: 1n });
    await saver.close();
  });

  it("refuses a file that is no database, and leaves it as it is", () => {
    writeFileSync(
      database.path,
      "this is a text file, and longer than a header of SQLite has to be.".repeat(20),
    );
    const before = readFileSync(database.path);
    expect(() => SqliteSaver.fromConnString(database.path).setup()).toThrow(
      coded("STORAGE_CORRUPT", "not a SQLite database"),
    );
    expect(readFileSync(database.path)).toEqual(before);
    expect(readdirSync(database.folder)).toEqual(["threads.db"]);
  });

  it("refuses a damaged database", async () => {
    const saver = SqliteSaver.fromConnString(database.path);
    for (let i = 1; i < 50; i += 1) await putValue(saver, "t", String(i).padStart(3, "0"), "x".repeat(3000));
    await saver.close();
    const bytes = readFileSync(database.path);
    bytes.fill(0xff, 100, 60_000);
    writeFileSync(database.path, bytes);
    expect(() => SqliteSaver.fromConnString(database.path).setup()).toThrow(
      coded("STORAGE_CORRUPT", database.path),
    );
  });

  it("makes its tables in a file of 0 bytes", async () => {
    writeFileSync(database.path, "");
    const saver = SqliteSaver.fromConnString(database.path);
    await putValue(saver, "t", "1", 5);
    await saver.close();
    const again = SqliteSaver.fromConnString(database.path, { readOnly: true });
    expect((await again.getTuple({ configurable: { thread_id: "t" } }))?.checkpoint.id).toBe("1");
    await again.close();
  });

  it("tells a damaged page as damage, whichever it is, and never as another program's tables", async () => {
    const saver = SqliteSaver.fromConnString(database.path);
    await putValue(saver, "t", "1", 5);
    await saver.close();
    const whole = readFileSync(database.path);
    const codes = new Set<unknown>();
    for (let page = 0; page < whole.length / 4096; page += 1) {
      for (const fill of [0, 0xff]) {
        const bytes = Buffer.from(whole);
        bytes.fill(fill, page * 4096 + (page === 0 ? 100 : 0), (page + 1) * 4096);
        writeFileSync(database.path, bytes);
        for (const end of ["-wal", "-shm"]) rmSync(database.path + end, { force: true });
        const damaged = SqliteSaver.fromConnString(database.path);
        try {
          await damaged.getTuple({ configurable: { thread_id: "t" } });
          damaged.check();
        } catch (error) {
          codes.add((error as { code: unknown }).code);
        }
        await damaged.close().catch(() => {});
      }
    }
    expect([...codes]).toEqual(["STORAGE_CORRUPT"]);
  });

  it("refuses a database of a newer format, and changes nothing", async () => {
    const saver = SqliteSaver.fromConnString(database.path);
    await putValue(saver, "t", "1", 5);
    await saver.close();
    const db = new Database(database.path);
    db.exec("UPDATE meta SET value = '99' WHERE key = 'format'");
    db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    db.close();
    const before = readFileSync(database.path);
    const newer = SqliteSaver.fromConnString(database.path);
    await expect(putValue(newer, "t", "2", 6)).rejects.toThrow(coded("STORAGE_NEWER", "format 99"));
    expect(() => newer[CHANGE_SETS].open({ threadId: "t", namespace: "" })).toThrow(coded("STORAGE_NEWER"));
    await newer.close();
    expect(readFileSync(database.path)).toEqual(before);
  });

  it("refuses a database that has another program's tables under our names", () => {
    const db = new Database(database.path);
    db.exec("CREATE TABLE checkpoints (thread_id TEXT)");
    db.close();
    expect(() => SqliteSaver.fromConnString(database.path).setup()).toThrow(
      coded("STORAGE_UNAVAILABLE", "another program"),
    );
  });

  it.each([
    ["makes the tables", [], () => SqliteSaver.fromConnString(database.path).setup()],
    ["brings them up to date", ["meta", "threads", "namespaces"], () => undefined],
  ])("is opened while another process %s", async (_what, seen, meanwhile) => {
    if (seen.length > 0) await SqliteSaver.fromConnString(database.path).setup();
    const db = new Database(database.path);
    let looks = 0;
    const slow: SqliteDatabase = {
      exec: (sql) => db.exec(sql),
      close: () => db.close(),
      prepare: (sql) => {
        if (!sql.includes("sqlite_master") || ++looks > 1) return db.prepare(sql) as never;
        meanwhile();
        return { raw: () => ({ all: () => seen.map((name) => [name]) }) } as never;
      },
    };
    expect(() => setupSchema(slow, database.path, false)).not.toThrow();
    expect(looks).toBeGreaterThan(1);
    slow.close();
  });

  it("waits for others who open it for the first time", () => {
    const db = new Database(database.path);
    let tries = 0;
    const contended: SqliteDatabase = {
      prepare: (sql) => db.prepare(sql) as never,
      close: () => db.close(),
      exec: (sql) => {
        if (!sql.includes("journal_mode") || ++tries > 3) return db.exec(sql);
        throw Object.assign(new Error("database is locked"), { code: "SQLITE_BUSY" });
      },
    };
    setupSchema(contended, database.path, false);
    expect(tries).toBe(4);
    expect(db.prepare("PRAGMA journal_mode").raw().get()).toEqual(["wal"]);
    contended.close();
  });

  it("says that the disk is full where its tables do not fit, and makes them when there is space", async () => {
    const db = new Database(database.path);
    let isFull = true;
    const saver = new SqliteSaver({
      prepare: (sql) => db.prepare(sql) as never,
      close: () => db.close(),
      exec: (sql) => {
        if (!isFull || !sql.includes("CREATE TABLE")) return db.exec(sql);
        // SQLite ends the transaction by itself
        db.exec("ROLLBACK");
        throw Object.assign(new Error("database or disk is full"), { code: "SQLITE_FULL" });
      },
    });
    expect(() => saver.setup()).toThrow(
      coded("STORAGE_UNAVAILABLE", "does not fit on its disk any more. Free some space"),
    );
    isFull = false;
    saver.setup();
    expect(await saver.listThreads()).toEqual([]);
    await saver.close();
  });

  it("says what to do about a path that cannot be opened", () => {
    mkdirSync(join(database.folder, "d"));
    for (const bad of [join(database.folder, "no", "such", "folder.db"), join(database.folder, "d")]) {
      expect(() => SqliteSaver.fromConnString(bad).setup()).toThrow(coded("STORAGE_UNAVAILABLE", "Check"));
    }
  });

  it.each(["corrupt", "busybox", "locked", "readonly", "full", "malformed"])(
    "a folder that is not there is no other trouble for its name: %s",
    (name) => {
      const missing = join(database.folder, name, "threads.db");
      expect(() => SqliteSaver.fromConnString(missing).setup()).toThrow(
        coded("STORAGE_UNAVAILABLE", `"${missing}" cannot be opened`),
      );
    },
  );

  it("waits for a lock, then says who to look for", { timeout: 20_000 }, async () => {
    const saver = SqliteSaver.fromConnString(database.path);
    await putValue(saver, "t", "1", 5);
    const other = new Database(database.path);
    other.exec("BEGIN IMMEDIATE");
    await expect(putValue(saver, "t", "2", 6)).rejects.toThrow(coded("STORAGE_UNAVAILABLE", "locked"));
    other.exec("ROLLBACK");
    await putValue(saver, "t", "2", 6);
    other.close();
    await saver.close();
  });

  it("opens for reading only without making or changing anything", async () => {
    expect(() => SqliteSaver.fromConnString(database.path, { readOnly: true })).toThrow(
      coded("STORAGE_UNAVAILABLE", database.path),
    );
    expect(existsSync(database.path)).toBe(false);
    writeFileSync(database.path, "");
    const empty = SqliteSaver.fromConnString(database.path, { readOnly: true });
    expect(await empty.listThreads()).toEqual([]);
    expect(await empty.getTuple({ configurable: { thread_id: "t" } })).toBeUndefined();
    await empty.close();
    expect(statSync(database.path).size).toBe(0);
    const saver = SqliteSaver.fromConnString(database.path);
    await putValue(saver, "t", "1", 5);
    await saver.close();
    const reader = SqliteSaver.fromConnString(database.path, { readOnly: true });
    expect((await reader.getTuple({ configurable: { thread_id: "t" } }))?.checkpoint.id).toBe("1");
    await expect(putValue(reader, "t", "2", 5)).rejects.toThrow(coded("STORAGE_UNAVAILABLE", "written"));
    await reader.close();
  });
});

it("an error names the path that was given, not the URI that SQLite is", () => {
  const missing = join(database.folder, "gone", "threads.db");
  const address = `${pathToFileURL(missing).href}?immutable=1`;
  expect(() => openDatabase(address, missing)).toThrow(
    coded("STORAGE_UNAVAILABLE", `"${missing}" cannot be opened`),
  );
});

it("a saver that was closed says so", async () => {
  const saver = SqliteSaver.fromConnString(database.path);
  await putValue(saver, "t", "1", 5);
  await saver.close();
  const gone = coded("STORAGE_UNAVAILABLE", "was closed");
  await expect(saver.getTuple({ configurable: { thread_id: "t" } })).rejects.toThrow(gone);
  await expect(putValue(saver, "t", "2", 5)).rejects.toThrow(gone);
});

it.each([undefined, "", "a\0b.db", "http://example.com", "libsql://example.com"])("%j is no path", (path) => {
  const refused = coded("INVALID_CONFIGURATION", '":memory:"');
  expect(() => SqliteSaver.fromConnString(path as string)).toThrow(refused);
  expect(() => SqliteStore.fromConnString(path as string)).toThrow(refused);
});

it("savers that share a database, and the program that opened it, may each close it", async () => {
  const db = new Database(database.path) as unknown as SqliteDatabase;
  const savers = [new SqliteSaver(db), new SqliteSaver(db, { tenant: "other" })];
  for (const saver of savers) await putValue(saver, "t", "1", 5);
  for (const saver of [...savers, ...savers]) await saver.close();
  const another = new Database(database.path) as unknown as SqliteDatabase;
  const saver = new SqliteSaver(another);
  await putValue(saver, "u", "1", 5);
  another.close();
  await expect(saver.close()).resolves.toBeUndefined();
});
