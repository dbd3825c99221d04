import { Connection } from "../src/sqlite/connection.ts";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "libsql";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type SqliteDatabase, SqliteSaver } from "../src/sqlite/index.ts";
import { putValue } from "./steps.ts";

let folder: string;
let path: string;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "skein-log-"));
  path = join(folder, "threads.db");
  const saver = SqliteSaver.fromConnString(path);
  await putValue(saver, "t", "1", 1);
  await saver.close();
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

/** A database and what was told to it beside its prepared statements. */
function watched(name: string): { db: SqliteDatabase; told: string[] } {
  const inner = new Database(name);
  const told: string[] = [];
  const db: SqliteDatabase = {
    prepare: (sql) => inner.prepare(sql) as never,
    exec: (sql) => {
      told.push(sql);
      return inner.exec(sql);
    },
    close: () => inner.close(),
  };
  return { db, told };
}

const OFF = "PRAGMA synchronous = OFF";
const synchronous = (db: SqliteDatabase): unknown => db.prepare("PRAGMA synchronous").raw().get();
const logSize = (): number => statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0;

describe("the log of a database", () => {
  it("is begun in an empty file without waiting for the disk, and only that", async () => {
    const { db, told } = watched(path);
    const saver = new SqliteSaver(db);
    expect((await saver.getTuple({ configurable: { thread_id: "t" } }))?.checkpoint.channel_values).toEqual({
      n: 1,
    });
    expect([told.includes(OFF), logSize()]).toEqual([false, 0]);
    await putValue(saver, "t", "2", 2);
    expect(told.slice(told.indexOf(OFF)).filter((sql) => sql.startsWith("PRAGMA"))).toEqual([
      OFF,
      "PRAGMA synchronous = NORMAL",
    ]);
    expect(synchronous(db)).toEqual([1]);
    expect(logSize()).toBeGreaterThan(0);
    expect(db.prepare("SELECT key FROM meta").raw().all()).toEqual([["format"]]);
    await saver.close();
  });

  it("is left as it is where it holds frames, whose header has to be on the disk before others", async () => {
    const holder = SqliteSaver.fromConnString(path);
    await putValue(holder, "t", "2", 2);
    const { db, told } = watched(path);
    const saver = new SqliteSaver(db);
    await putValue(saver, "t", "3", 3);
    expect(told.includes(OFF)).toBe(false);
    await holder.close();
    await saver.close();
  });

  it("is none where the owner of a database keeps a journal, which loses a database without the disk", async () => {
    const journaled = join(folder, "journaled.db");
    const owner = new Database(path);
    owner.exec(`VACUUM INTO '${journaled}'`);
    owner.close();
    const { db, told } = watched(journaled);
    const saver = new SqliteSaver(db);
    await putValue(saver, "t", "2", 2);
    expect(db.prepare("PRAGMA journal_mode").raw().get()).toEqual(["delete"]);
    expect(told.includes(OFF)).toBe(false);
    await saver.close();
  });

  it("is as sure as the owner of a database wants it", async () => {
    const { db, told } = watched(path);
    const saver = new SqliteSaver(db);
    saver.setup();
    db.exec("PRAGMA synchronous = FULL");
    await putValue(saver, "t", "2", 2);
    expect([told.includes(OFF), synchronous(db)]).toEqual([false, [2]]);
    await saver.close();
  });

  it("nothing is stored within a transaction of the program's own, which may be undone", async () => {
    const db = new Database(path) as unknown as SqliteDatabase;
    const saver = new SqliteSaver(db);
    db.exec("BEGIN");
    expect(() => saver.setup()).toThrow(/has a transaction open/);
    db.exec("ROLLBACK");
    saver.setup();
    db.exec("BEGIN");
    const refused = expect.objectContaining({ code: "STORAGE_UNAVAILABLE" }) as Error;
    await expect(putValue(saver, "t", "2", 2)).rejects.toEqual(refused);
    await expect(saver.deleteThread("t")).rejects.toEqual(refused);
    db.exec("ROLLBACK");
    await putValue(saver, "t", "2", 2);
    expect((await saver.getTuple({ configurable: { thread_id: "t" } }))?.checkpoint.channel_values).toEqual({
      n: 2,
    });
    await saver.close();
  });

  it("commits are stored together as ever after a transaction of the program's own", async () => {
    const db = new Database(path) as unknown as SqliteDatabase;
    const connection = new Connection(db, { path, readOnly: false });
    const together = () => connection.together(() => connection.get("SELECT count(*) FROM commit_together"));
    connection.setup();
    db.exec("BEGIN");
    expect(together).toThrow(/has a transaction open/);
    db.exec("ROLLBACK");
    expect(together()).toEqual([1]);
    connection.close();
  });

  it("waits for the disk again after it could not be begun", async () => {
    const other = new Database(path);
    other.exec("BEGIN IMMEDIATE");
    const { db } = watched(path);
    const saver = new SqliteSaver(db);
    await saver.getTuple({ configurable: { thread_id: "t" } });
    db.exec("PRAGMA busy_timeout = 0");
    await expect(putValue(saver, "t", "2", 2)).rejects.toThrow(/locked/);
    expect(synchronous(db)).toEqual([1]);
    other.exec("ROLLBACK");
    await putValue(saver, "t", "2", 2);
    other.close();
    await saver.close();
  });
});
