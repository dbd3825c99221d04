import { execFileSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "libsql";
import { afterEach, beforeEach, expect, it } from "vitest";
import { bundlePrograms } from "../../bench/src/bundle.ts";
import { CHANGE_SETS, type Claim } from "../src/index.ts";
import { SqliteSaver } from "../src/sqlite/index.ts";
import { commitValue, putValue } from "./steps.ts";
import { at, chat, commitTurn, contents } from "./turns.ts";

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "skein-faults-"));
  path = join(folder, "threads.db");
});
afterEach(() => {
  chmodSync(folder, 0o755);
  rmSync(folder, { recursive: true });
});

it("another program's database gets no tables of ours and is not read, unless it is asked for", async () => {
  const db = new Database(path);
  db.exec("CREATE TABLE invoices (id INTEGER)");
  db.close();
  const before = readFileSync(path);
  const refusal = {
    code: "STORAGE_UNAVAILABLE",
    message: expect.stringContaining("invoices") as string,
  };
  const saver = SqliteSaver.fromConnString(path);
  await expect(putValue(saver, "t", "1", 5)).rejects.toMatchObject(refusal);
  await saver.close();
  // one that only reads does not take it for an empty one
  const reader = SqliteSaver.fromConnString(path, { readOnly: true });
  await expect(reader.getTuple({ configurable: { thread_id: "t" } })).rejects.toMatchObject(refusal);
  await reader.close();
  expect(readFileSync(path)).toEqual(before);
  for (const beside of [
    SqliteSaver.fromConnString(path, { alongside: true }),
    new SqliteSaver(new Database(path) as never),
  ]) {
    await putValue(beside, "t", "1", 5);
    await beside.close();
  }
});

it("a full disk is told, and everything stored before stays", async () => {
  const db = new Database(path);
  const saver = new SqliteSaver(db as never);
  await commitTurn(saver, { thread: "t", n: 2, question: "before", answer: "it was full" });
  const pages = (db.prepare("PRAGMA page_count").get() as { page_count: number }).page_count;
  db.exec(`PRAGMA max_page_count = ${pages + 2}`);
  const full = expect.objectContaining({
    code: "STORAGE_UNAVAILABLE",
    message: expect.stringContaining("disk") as string,
  }) as unknown;
  await expect(putValue(saver, "big", "1", "x".repeat(100_000))).rejects.toEqual(full);
  const { claim } = await saver[CHANGE_SETS].open({ threadId: "t", namespace: "" }, { claim: "fail" });
  expect(() => commitValue(saver, claim as Claim, "000003", "000002", "y".repeat(100_000))).toThrow(full);
  await saver[CHANGE_SETS].release(claim as Claim);
  expect(await contents(saver, "t")).toEqual(["before", "it was full"]);
  db.exec(`PRAGMA max_page_count = 1000000`);
  await commitTurn(saver, { thread: "t", n: 4, question: "after", answer: "it was not" });
  expect(await contents(saver, "t")).toEqual(["before", "it was full", "after", "it was not"]);
  saver.check();
  await saver.close();
});

it("a folder that may not be written to can be read from, and a file that may not is told of", async () => {
  // where libsql can be found, and whoever is not root can read
  const bundle = mkdtempSync(join(import.meta.dirname, "../node_modules/.bundle-"));
  chmodSync(bundle, 0o755);
  const [reader = ""] = await bundlePrograms([join(import.meta.dirname, "reader.ts")], bundle);
  const as = (verb: string, database: string): string =>
    execFileSync(process.execPath, [reader, verb, database, "t"], { encoding: "utf8" });
  chmodSync(folder, 0o755);
  const saver = SqliteSaver.fromConnString(path);
  await putValue(saver, "t", "1", "readable");
  await saver.close();
  // the file alone, as somebody would get it from a backup; and one whose log was not folded in
  const backup = join(folder, "backup");
  mkdirSync(backup);
  copyFileSync(path, join(backup, "a.db"));
  copyFileSync(path, join(backup, "b.db"));
  writeFileSync(join(backup, "b.db-wal"), "the last steps");
  copyFileSync(path, join(backup, "c.db"));
  chmodSync(backup, 0o555);
  expect(as("read", join(backup, "a.db"))).toBe('{"n":"readable"}');
  expect(as("read", join(backup, "b.db"))).toBe("STORAGE_UNAVAILABLE");
  expect(as("write", join(backup, "c.db"))).toBe("STORAGE_UNAVAILABLE");
  // the folder may be written to, the file may not
  chmodSync(backup, 0o777);
  chmodSync(join(backup, "c.db"), 0o444);
  expect(as("write", join(backup, "c.db"))).toBe("STORAGE_UNAVAILABLE");
  expect(as("read", join(backup, "c.db"))).toBe('{"n":"readable"}');
  expect(readFileSync(join(backup, "c.db")).equals(readFileSync(path))).toBe(true);
  rmSync(bundle, { recursive: true });
});

it("check finds damage that opening does not", async () => {
  const saver = SqliteSaver.fromConnString(path);
  for (let n = 1; n <= 40; n += 1) await putValue(saver, "t", String(n).padStart(3, "0"), "x".repeat(3000));
  saver.check();
  await saver.close();
  const bytes = readFileSync(path);
  const damaged = bytes.length - 3 * 4096;
  bytes.fill(0xff, damaged, damaged + 4096);
  writeFileSync(path, bytes);
  const again = SqliteSaver.fromConnString(path);
  again.setup();
  expect(() => again.check()).toThrow(expect.objectContaining({ code: "STORAGE_CORRUPT" }));
  await again.close();
});

it.each([
  ["UPDATE meta SET value = '0' WHERE key = 'format'", "STORAGE_UNAVAILABLE", "meta"],
  ["UPDATE meta SET value = '-1' WHERE key = 'format'", "STORAGE_UNAVAILABLE", "meta"],
  ["DROP TABLE items", "STORAGE_CORRUPT", "items"],
  ["DROP VIEW commit_step", "STORAGE_CORRUPT", "commit_step"],
  ["DROP VIEW heads", "STORAGE_CORRUPT", "heads"],
])("a database that is not as we left it is refused when it is opened: %s", async (sql, code, told) => {
  const saver = SqliteSaver.fromConnString(path);
  await putValue(saver, "t", "1", 5);
  await saver.close();
  const db = new Database(path);
  db.exec(sql);
  db.close();
  for (const readOnly of [true, false]) {
    const again = SqliteSaver.fromConnString(path, { readOnly });
    const refusal = { code, message: expect.stringContaining(told) as string };
    await expect((async () => again.listThreads())()).rejects.toMatchObject(refusal);
    await expect((async () => again.deleteThread("t"))()).rejects.toMatchObject({ code });
    await again.close();
  }
});

const DAMAGED = "(SELECT tid FROM threads WHERE thread_id = 't')";
const OF_DAMAGED = `nsid = (SELECT nsid FROM namespaces WHERE tid = ${DAMAGED})`;

it.each([
  `UPDATE items SET body = '{broken' WHERE ord = 1 AND tid = ${DAMAGED}`,
  `DELETE FROM items WHERE ord = 1 AND tid = ${DAMAGED}`,
  `DELETE FROM lanes WHERE tid = ${DAMAGED}`,
  `DELETE FROM checkpoints WHERE seq = 1 AND ${OF_DAMAGED}`,
  `DELETE FROM checkpoints WHERE seq = 4 AND ${OF_DAMAGED}`,
  `DELETE FROM checkpoints WHERE seq = 5 AND ${OF_DAMAGED}`,
  `UPDATE checkpoints SET base = 4 WHERE seq = 5 AND ${OF_DAMAGED}`,
])("a thread with damage is not exported as if it were whole: %s", async (sql) => {
  const saver = SqliteSaver.fromConnString(path);
  await chat(saver, "t", 3);
  await chat(saver, "whole", 3);
  await saver.prune("whole", { keepLast: 3 });
  await commitTurn(saver, { thread: "whole", n: 20, question: "goes", answer: "on" });
  await saver.prune("whole", { keepLast: 4 });
  await saver.close();
  const db = new Database(path);
  db.exec(sql);
  db.close();
  const again = SqliteSaver.fromConnString(path);
  const exported = async (thread: string) => {
    let lines = 0;
    for await (const _ of again.exportThread(thread)) lines += 1;
    return lines;
  };
  await expect(exported("t")).rejects.toMatchObject({ code: "STORAGE_CORRUPT" });
  expect(await exported("whole")).toBeGreaterThan(0);
  await again.close();
});

it("an archive is read when somebody looks at it, by getTuple and list", async () => {
  const saver = SqliteSaver.fromConnString(path);
  await commitTurn(saver, { thread: "t", n: 2, question: "one", answer: "two" });
  const tuple = await saver.getTuple(at("t"));
  const values = tuple?.checkpoint.channel_values ?? {};
  expect(Object.getOwnPropertyDescriptor(values, "full_messages")?.get).toBeTypeOf("function");
  expect(values["full_messages"]).toHaveLength(2);
  expect(values["full_messages"]).toBe(values["full_messages"]);
  expect(structuredClone({ ...values, full_messages: 1 })).toHaveProperty("full_messages", 1);
  await saver.close();
});
