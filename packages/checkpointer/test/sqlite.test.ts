import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { HumanMessage } from "@langchain/core/messages";
import Database from "libsql";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CHANGE_SETS, type Claim, type Opened } from "../src/index.ts";
import { openDatabase } from "../src/sqlite/driver.ts";
import { SqliteSaver } from "../src/sqlite/index.ts";
import { commitValue, putValue } from "./steps.ts";
import { chat, contents } from "./turns.ts";

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "skein-sqlite-"));
  path = join(folder, "threads.db");
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

const coded = (code: string, text = ""): unknown =>
  expect.objectContaining({ code, message: expect.stringContaining(text) as string });

describe("opening", () => {
  it("makes a database in WAL mode that a second saver reads", async () => {
    const saver = SqliteSaver.fromConnString(path);
    await putValue(saver, "t", "1", 5);
    const other = new SqliteSaver(new Database(path) as never);
    expect((await other.getTuple({ configurable: { thread_id: "t" } }))?.checkpoint.channel_values).toEqual({
      n: 5,
    });
    expect(new Database(path).prepare("PRAGMA journal_mode").get()).toMatchObject({ journal_mode: "wal" });
    await saver.close();
    await other.close();
  });

  it("takes a database whose owner reads integers as bigints", async () => {
    const db = new Database(path);
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
    writeFileSync(path, "this is a text file, and longer than a header of SQLite has to be.".repeat(20));
    const before = readFileSync(path);
    expect(() => SqliteSaver.fromConnString(path).setup()).toThrow(
      coded("STORAGE_CORRUPT", "not a SQLite database"),
    );
    expect(readFileSync(path)).toEqual(before);
    expect(readdirSync(folder)).toEqual(["threads.db"]);
  });

  it("refuses a damaged database", async () => {
    const saver = SqliteSaver.fromConnString(path);
    for (let i = 1; i < 50; i += 1) await putValue(saver, "t", String(i).padStart(3, "0"), "x".repeat(3000));
    await saver.close();
    const bytes = readFileSync(path);
    bytes.fill(0xff, 100, 60_000);
    writeFileSync(path, bytes);
    expect(() => SqliteSaver.fromConnString(path).setup()).toThrow(coded("STORAGE_CORRUPT", path));
  });

  it("makes its tables in a file of 0 bytes", async () => {
    writeFileSync(path, "");
    const saver = SqliteSaver.fromConnString(path);
    await putValue(saver, "t", "1", 5);
    await saver.close();
    const again = SqliteSaver.fromConnString(path, { readOnly: true });
    expect((await again.getTuple({ configurable: { thread_id: "t" } }))?.checkpoint.id).toBe("1");
    await again.close();
  });

  it("tells a damaged page as damage, whichever it is, and never as another program's tables", async () => {
    const saver = SqliteSaver.fromConnString(path);
    await putValue(saver, "t", "1", 5);
    await saver.close();
    const whole = readFileSync(path);
    const codes = new Set<unknown>();
    for (let page = 0; page < whole.length / 4096; page += 1) {
      for (const fill of [0, 0xff]) {
        const bytes = Buffer.from(whole);
        bytes.fill(fill, page * 4096 + (page === 0 ? 100 : 0), (page + 1) * 4096);
        writeFileSync(path, bytes);
        for (const end of ["-wal", "-shm"]) rmSync(path + end, { force: true });
        const damaged = SqliteSaver.fromConnString(path);
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
    const saver = SqliteSaver.fromConnString(path);
    await putValue(saver, "t", "1", 5);
    await saver.close();
    const db = new Database(path);
    db.exec("UPDATE meta SET value = '99' WHERE key = 'format'");
    db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    db.close();
    const before = readFileSync(path);
    const newer = SqliteSaver.fromConnString(path);
    await expect(putValue(newer, "t", "2", 6)).rejects.toThrow(coded("STORAGE_NEWER", "format 99"));
    expect(() => newer[CHANGE_SETS].open({ threadId: "t", namespace: "" })).toThrow(coded("STORAGE_NEWER"));
    await newer.close();
    expect(readFileSync(path)).toEqual(before);
  });

  it("refuses a database that has another program's tables under our names", () => {
    const db = new Database(path);
    db.exec("CREATE TABLE checkpoints (thread_id TEXT)");
    db.close();
    expect(() => SqliteSaver.fromConnString(path).setup()).toThrow(
      coded("STORAGE_UNAVAILABLE", "another program"),
    );
  });

  it("says what to do about a path that cannot be opened", () => {
    mkdirSync(join(folder, "d"));
    for (const bad of [join(folder, "no", "such", "folder.db"), join(folder, "d")]) {
      expect(() => SqliteSaver.fromConnString(bad).setup()).toThrow(coded("STORAGE_UNAVAILABLE", "Check"));
    }
  });

  it("waits for a lock, then says who to look for", { timeout: 20_000 }, async () => {
    const saver = SqliteSaver.fromConnString(path);
    await putValue(saver, "t", "1", 5);
    const other = new Database(path);
    other.exec("BEGIN IMMEDIATE");
    await expect(putValue(saver, "t", "2", 6)).rejects.toThrow(coded("STORAGE_UNAVAILABLE", "locked"));
    other.exec("ROLLBACK");
    await putValue(saver, "t", "2", 6);
    other.close();
    await saver.close();
  });

  it("opens for reading only without making or changing anything", async () => {
    expect(() => SqliteSaver.fromConnString(path, { readOnly: true })).toThrow(
      coded("STORAGE_UNAVAILABLE", path),
    );
    expect(existsSync(path)).toBe(false);
    writeFileSync(path, "");
    const empty = SqliteSaver.fromConnString(path, { readOnly: true });
    expect(await empty.listThreads()).toEqual([]);
    expect(await empty.getTuple({ configurable: { thread_id: "t" } })).toBeUndefined();
    await empty.close();
    expect(statSync(path).size).toBe(0);
    const saver = SqliteSaver.fromConnString(path);
    await putValue(saver, "t", "1", 5);
    await saver.close();
    const reader = SqliteSaver.fromConnString(path, { readOnly: true });
    expect((await reader.getTuple({ configurable: { thread_id: "t" } }))?.checkpoint.id).toBe("1");
    await expect(putValue(reader, "t", "2", 5)).rejects.toThrow(coded("STORAGE_UNAVAILABLE", "written"));
    await reader.close();
  });
});

it("an error names the path that was given, not the URI that SQLite is", () => {
  const missing = join(folder, "gone", "threads.db");
  const address = `${pathToFileURL(missing).href}?immutable=1`;
  expect(() => openDatabase(address, missing)).toThrow(
    coded("STORAGE_UNAVAILABLE", `"${missing}" cannot be opened`),
  );
});

describe("after a lock that was not given back in time", () => {
  /** Calls that write, each of which is tried while somebody else holds the database. */
  const CALLS: Readonly<Record<string, (saver: SqliteSaver, claim: Claim) => unknown>> = {
    commit: (saver, claim) => commitValue(saver, claim, "2", "1"),
    "commit of items": (saver, claim) => commitValue(saver, claim, "2", "1", "x".repeat(1000)),
    record: (saver, claim) =>
      saver[CHANGE_SETS].record(claim, { threadId: "t", namespace: "", checkpointId: "1" }, [
        { taskId: "a", writes: [["n", 1]] },
      ]),
    release: (saver, claim) => saver[CHANGE_SETS].release(claim),
    "open with a claim": (saver) =>
      saver[CHANGE_SETS].open({ threadId: "free", namespace: "" }, { claim: "fail" }),
    "open of a new thread": (saver) =>
      saver[CHANGE_SETS].open({ threadId: "new", namespace: "" }, { claim: "fail" }),
    put: (saver) => putValue(saver, "put", "1", 1),
    deleteThread: (saver) => saver.deleteThread("free"),
  };

  it.each(Object.entries(CALLS))(
    "%s: all that is acknowledged later is stored, and others can write",
    async (_, call) => {
      const db = new Database(path);
      const saver = new SqliteSaver(db as never);
      await putValue(saver, "free", "1", 1);
      const { claim } = saver[CHANGE_SETS].open(
        { threadId: "t", namespace: "" },
        { claim: "fail" },
      ) as Opened;
      await commitValue(saver, claim as Claim, "1", undefined);
      db.exec("PRAGMA busy_timeout = 10");
      const other = new Database(path);
      other.exec("PRAGMA busy_timeout = 10; BEGIN IMMEDIATE");
      await expect(async () => call(saver, claim as Claim)).rejects.toThrow(
        coded("STORAGE_UNAVAILABLE", "locked"),
      );
      expect((await saver.getTuple({ configurable: { thread_id: "t" } }))?.checkpoint.id).toBe("1");
      other.exec("ROLLBACK");
      // one statement, a transaction, the same again
      await saver.putWrites(
        { configurable: { thread_id: "free", checkpoint_ns: "", checkpoint_id: "1" } },
        [["n", 2]],
        "w",
      );
      other.exec("UPDATE threads SET updated_at = 1 WHERE thread_id = 'free'");
      await putValue(saver, "later", "1", 1);
      await commitValue(saver, claim as Claim, "3", "1", "third");
      await putValue(saver, "later", "2", 2);
      const reader = SqliteSaver.fromConnString(path, { readOnly: true });
      expect((await reader.getTuple({ configurable: { thread_id: "free" } }))?.pendingWrites).toEqual([
        ["w", "n", 2],
      ]);
      expect((await reader.getTuple({ configurable: { thread_id: "later" } }))?.checkpoint.id).toBe("2");
      expect(
        (await reader.getTuple({ configurable: { thread_id: "t" } }))?.checkpoint.channel_values,
      ).toEqual({ n: "third" });
      expect((await reader.listThreads()).map(({ threadId }) => threadId).sort()).toEqual([
        "free",
        "later",
        "t",
      ]);
      await reader.close();
      await saver.close();
      other.close();
    },
  );
});

it("a saver that was closed says so", async () => {
  const saver = SqliteSaver.fromConnString(path);
  await putValue(saver, "t", "1", 5);
  await saver.close();
  const gone = coded("STORAGE_UNAVAILABLE", "was closed");
  await expect(saver.getTuple({ configurable: { thread_id: "t" } })).rejects.toThrow(gone);
  await expect(putValue(saver, "t", "2", 5)).rejects.toThrow(gone);
  expect(() => SqliteSaver.fromConnString(undefined as unknown as string)).toThrow(
    coded("INVALID_CONFIGURATION"),
  );
});

const worker = (...args: string[]) =>
  spawn(
    process.execPath,
    ["--import", "tsx", "--conditions=@skein/source", join(import.meta.dirname, "worker.ts"), path, ...args],
    { stdio: ["pipe", "pipe", "inherit"] },
  );

describe("several processes on one file", () => {
  it("make the tables and write at the same time, and lose nothing (F6)", async () => {
    const workers = ["a", "b", "c"].map((name) => worker("put", name, "40"));
    const ends = await Promise.all(workers.map((child) => once(child, "exit")));
    expect(ends.map(([code]) => code as unknown)).toEqual([0, 0, 0]);
    const saver = SqliteSaver.fromConnString(path);
    for (const name of ["a", "b", "c"]) {
      const ids: string[] = [];
      for await (const { checkpoint } of saver.list({ configurable: { thread_id: name } }))
        ids.push(checkpoint.id);
      expect(ids).toHaveLength(40);
    }
    // one thread that all of them wrote to
    let shared = 0;
    for await (const { checkpoint } of saver.list({ configurable: { thread_id: "shared" } })) {
      expect(checkpoint.channel_values["list"]).toEqual([
        { id: checkpoint.id, text: checkpoint.id.repeat(100) },
      ]);
      shared += 1;
    }
    expect(shared).toBe(120);
    await saver.close();
  });

  it("runs of many processes on one thread come one after the other, and no update is lost (A9, F6)", async () => {
    const counters = ["a", "b", "c"].map(() => worker("count", "n", "25"));
    const ends = await Promise.all(counters.map((child) => once(child, "exit")));
    expect(ends.map(([code]) => code as unknown)).toEqual([0, 0, 0]);
    const saver = SqliteSaver.fromConnString(path);
    const tuple = await saver.getTuple({ configurable: { thread_id: "n" } });
    expect(tuple?.checkpoint.channel_values).toEqual({ n: 75 });
    expect(await saver.checkpoints("n")).toHaveLength(75);
    await saver.close();
  });

  it("a thread of a killed process is taken over at once, a living one's is not", async () => {
    const child = worker("claim", "t");
    await once(child.stdout, "data");
    const saver = SqliteSaver.fromConnString(path);
    const take = (): Opened =>
      saver[CHANGE_SETS].open({ threadId: "t", namespace: "" }, { claim: "fail" }) as Opened;
    expect(take).toThrow(coded("THREAD_CONFLICT", "onConflict"));
    child.kill("SIGKILL");
    await once(child, "exit");
    const opened = take();
    expect(opened.headId).toBe("1");
    expect(opened.claim?.epoch).toBe(2);
    await saver.close();
  });

  it("notices what another process wrote between two runs", async () => {
    const [one, two] = [SqliteSaver.fromConnString(path), SqliteSaver.fromConnString(path)];
    const address = { threadId: "t", namespace: "" };
    let head: string | undefined;
    for (let i = 1; i <= 12; i += 1) {
      const saver = i % 3 === 0 ? two : one;
      const opened = saver[CHANGE_SETS].open(address, { claim: "fail" }) as Opened;
      expect(opened.headId).toBe(head);
      const list = opened.checkpoint?.channels.get("list")?.load() as HumanMessage[] | undefined;
      expect(list?.map(({ content }) => content) ?? []).toEqual(
        Array.from({ length: i - 1 }, (_, n) => `m${n + 1}`),
      );
      head = `c${String(i).padStart(3, "0")}`;
      void saver[CHANGE_SETS].commit(opened.claim as Claim, {
        namespace: "",
        parentId: opened.headId,
        expectedHead: opened.headId,
        checkpoint: {
          id: head,
          ts: "2026-01-01T00:00:00.000Z",
          metadata: { source: "loop", step: i, parents: {} },
          channelVersions: { list: i },
          versionsSeen: {},
        },
        channels: new Map([
          [
            "list",
            {
              op: "list",
              segments: [
                ...(i > 1 ? [{ keep: [0, i - 1] as [number, number] }] : []),
                { add: [new HumanMessage({ id: `i${i}`, content: `m${i}` })] },
              ],
            },
          ],
        ]),
        writes: [],
        release: true,
      });
    }
    await one.close();
    await two.close();
  });

  it("a run that lost its thread to another can write no more", () => {
    const [one, two] = [SqliteSaver.fromConnString(path), SqliteSaver.fromConnString(path)];
    const first = one[CHANGE_SETS].open({ threadId: "t", namespace: "" }, { claim: "fail" }) as Opened;
    void commitValue(one, first.claim as Claim, "1", undefined);
    const db = new Database(path);
    db.exec("UPDATE threads SET lease_until = 1");
    db.close();
    const second = two[CHANGE_SETS].open({ threadId: "t", namespace: "" }, { claim: "fail" }) as Opened;
    expect(() => commitValue(one, first.claim as Claim, "2", "1")).toThrow(coded("THREAD_CONFLICT"));
    const record = () =>
      one[CHANGE_SETS].record(first.claim as Claim, { threadId: "t", namespace: "", checkpointId: "1" }, [
        { taskId: "a", writes: [["n", 1]] },
      ]);
    expect(record).toThrow(coded("THREAD_CONFLICT"));
    // giving it back late takes nothing from the new holder
    void one[CHANGE_SETS].release(first.claim as Claim);
    void commitValue(two, second.claim as Claim, "2", "1");
  });
});
