import Database from "libsql";
import { describe, expect, it } from "vitest";
import { CHANGE_SETS, type Claim, type Opened } from "../src/index.ts";
import { SqliteSaver } from "../src/sqlite/index.ts";
import { commitValue, putValue } from "./steps.ts";
import { databasePerTest } from "./support/database-per-test.ts";

const database = databasePerTest();

const coded = (code: string, text = ""): unknown =>
  expect.objectContaining({ code, message: expect.stringContaining(text) as string });

it("a database that somebody else holds is waited for once, and not for every question", async () => {
  const db = new Database(database.path);
  const asked: string[] = [];
  const held = {
    exec: (sql: string) => db.exec(sql),
    close: () => db.close(),
    prepare(sql: string): never {
      asked.push(sql);
      throw Object.assign(new Error("database is locked"), { code: "SQLITE_BUSY" });
    },
  };
  await expect(new SqliteSaver(held).getTuple({ configurable: { thread_id: "t" } })).rejects.toThrow(
    coded("STORAGE_UNAVAILABLE", "locked"),
  );
  expect(asked).toHaveLength(1);
  db.close();
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
      const db = new Database(database.path);
      const saver = new SqliteSaver(db as never);
      await putValue(saver, "free", "1", 1);
      const { claim } = saver[CHANGE_SETS].open(
        { threadId: "t", namespace: "" },
        { claim: "fail" },
      ) as Opened;
      await commitValue(saver, claim as Claim, "1", undefined);
      db.exec("PRAGMA busy_timeout = 10");
      const other = new Database(database.path);
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
      const reader = SqliteSaver.fromConnString(database.path, { readOnly: true });
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
