import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "libsql";
import { afterEach, beforeEach, expect, it } from "vitest";
import { CHANGE_SETS, type Claim, type Opened } from "../src/index.ts";
import { type SqliteDatabase, SqliteSaver, type SqliteStatement } from "../src/sqlite/index.ts";
import { commitValue } from "./steps.ts";

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "skein-group-"));
  path = join(folder, "threads.db");
});
afterEach(() => rmSync(folder, { recursive: true }));

const coded = (code: string) => expect.objectContaining({ code }) as unknown;
const names = (count: number): string[] => Array.from({ length: count }, (_, i) => `t${i}`);

/** A database that counts how often statements that begin with some words are run. */
function counted(): { db: SqliteDatabase; raw: Database.Database; runs(words: string): number } {
  const raw = new Database(path);
  const runs: string[] = [];
  const db: SqliteDatabase = {
    exec: (sql) => raw.exec(sql),
    close: () => raw.close(),
    prepare: (sql) => {
      const statement = raw.prepare(sql) as unknown as SqliteStatement;
      return {
        run: (...parameters) => {
          runs.push(sql);
          return statement.run(...parameters);
        },
        get: (...parameters) => statement.get(...parameters),
        all: (...parameters) => statement.all(...parameters),
        raw: (toggle) => statement.raw(toggle),
      };
    },
  };
  return { db, raw, runs: (words) => runs.filter((sql) => sql.startsWith(words)).length };
}

async function openAll(saver: SqliteSaver, threads: readonly string[]): Promise<Claim[]> {
  const opened = await Promise.all(
    threads.map((threadId) =>
      saver[CHANGE_SETS].open({ threadId, namespace: "" }, { claim: "fail", crowded: true }),
    ),
  );
  return opened.map(({ claim }) => claim as Claim);
}

/** Threads of which another connection finds a checkpoint. */
function storedThreads(id: string): string[] {
  const other = new Database(path);
  try {
    const rows = other
      .prepare(
        `SELECT thread_id FROM threads JOIN namespaces USING (tid) JOIN checkpoints USING (nsid)
         WHERE CAST(cid AS TEXT) LIKE ? ORDER BY tid`,
      )
      .raw()
      .all(`%${id}`) as [string][];
    return rows.map(([thread]) => thread);
  } finally {
    other.close();
  }
}

it("runs that are under way together share transactions, and what a commit says is stored is", async () => {
  const { db, runs } = counted();
  const saver = new SqliteSaver(db);
  saver.setup();
  const threads = names(40);
  const claims = await openAll(saver, threads);
  // the first commit names the channels, which has a transaction of its own
  await commitValue(saver, claims[0] as Claim, "000001", undefined);
  const before = runs("BEGIN");
  const commits = claims.slice(1).map((claim) => commitValue(saver, claim, "000001", undefined));
  expect(storedThreads("000001")).toEqual(["t0"]);
  await commits[0];
  expect(storedThreads("000001")).toEqual(threads);
  await Promise.all(commits);
  expect(runs("BEGIN") - before).toBe(1);
  await Promise.all(claims.map((claim) => saver[CHANGE_SETS].release(claim)));
  // a run by itself waits for nobody
  const alone = saver[CHANGE_SETS].open({ threadId: "t0", namespace: "" }, { claim: "fail" }) as Opened;
  expect(alone.headId).toBe("000001");
  expect(commitValue(saver, alone.claim as Claim, "000002", "000001")).toBeUndefined();
  expect(storedThreads("000002")).toEqual(["t0"]);
  await saver.close();
});

it("a run that lost its thread is told so, and those that would have been stored with it are stored", async () => {
  const saver = SqliteSaver.fromConnString(path);
  const claims = await openAll(saver, names(5));
  const db = new Database(path);
  db.exec("UPDATE threads SET epoch = epoch + 1 WHERE thread_id = 't3'");
  db.close();
  const outcomes = await Promise.allSettled(
    claims.map((claim) => commitValue(saver, claim, "000001", undefined)),
  );
  const refused = { status: "rejected", reason: coded("THREAD_CONFLICT") };
  const done = { status: "fulfilled" };
  expect(outcomes).toMatchObject([done, done, done, refused, done]);
  expect(storedThreads("000001")).toEqual(["t0", "t1", "t2", "t4"]);
  await saver.close();
});

it("a value that the disk has no room for fails by itself, and its thread can go on", async () => {
  const { db, raw } = counted();
  const saver = new SqliteSaver(db);
  const claims = await openAll(saver, names(4));
  await commitValue(saver, claims[0] as Claim, "000001", undefined);
  const pages = (raw.prepare("PRAGMA page_count").get() as { page_count: number }).page_count;
  raw.exec(`PRAGMA max_page_count = ${pages + 8}`);
  const big = "x".repeat(100_000);
  const outcomes = await Promise.allSettled(
    claims.slice(1).map((claim, i) => commitValue(saver, claim, "000001", undefined, i === 1 ? big : i)),
  );
  expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  expect((outcomes[1] as PromiseRejectedResult).reason).toEqual(coded("STORAGE_UNAVAILABLE"));
  expect(storedThreads("000001")).toEqual(["t0", "t1", "t3"]);
  await commitValue(saver, claims[2] as Claim, "000001", undefined, "small");
  expect(storedThreads("000001")).toEqual(names(4));
  await saver.close();
});

it("a database that another process keeps is waited for once, not once for each run", async () => {
  const { db, raw, runs } = counted();
  const saver = new SqliteSaver(db);
  const claims = await openAll(saver, names(20));
  raw.exec("PRAGMA busy_timeout = 100");
  await commitValue(saver, claims[0] as Claim, "000001", undefined);
  const other = new Database(path);
  other.exec("BEGIN IMMEDIATE");
  const before = { begun: runs("BEGIN"), stored: runs("INSERT") };
  const outcomes = await Promise.allSettled(
    claims.slice(1).map((claim) => commitValue(saver, claim, "000001", undefined)),
  );
  for (const outcome of outcomes)
    expect(outcome).toMatchObject({ status: "rejected", reason: coded("STORAGE_UNAVAILABLE") });
  expect({ begun: runs("BEGIN"), stored: runs("INSERT") }).toEqual({ ...before, begun: before.begun + 1 });
  other.exec("COMMIT");
  other.close();
  await Promise.all(claims.slice(1).map((claim) => commitValue(saver, claim, "000001", undefined)));
  expect(storedThreads("000001")).toEqual(names(20));
  await saver.close();
});

it("what waits when the saver is closed is stored", async () => {
  const saver = SqliteSaver.fromConnString(path);
  const claims = await openAll(saver, names(3));
  const commits = claims.map((claim) => commitValue(saver, claim, "000001", undefined));
  await saver.close();
  await Promise.all(commits);
  expect(storedThreads("000001")).toEqual(names(3));
});
