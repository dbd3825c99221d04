import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AIMessage, HumanMessage, ToolMessage, type BaseMessage } from "@langchain/core/messages";
import { Pool } from "pg";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { PostgresSaver } from "../src/postgres/index.ts";
import { CHANGE_SETS, type Claim } from "../src/index.ts";
import { SqliteSaver } from "../src/sqlite/index.ts";
import { ALL_SAVERS, type Saver } from "./savers.ts";
import { commitValue } from "./steps.ts";
import { PostgresServer } from "./support/postgres-server.ts";
import { at, chat, commitTurn, contents, idOf } from "./turns.ts";

async function exported(saver: Saver, thread = "t"): Promise<string> {
  let lines = "";
  for await (const line of saver.exportThread(thread)) lines += line;
  return lines;
}

describe.each(ALL_SAVERS)("eraseMessage of $name (B9)", (kind) => {
  let saver: Saver;
  let reopen: () => Saver;
  let close: () => Promise<void>;
  beforeEach(() => ({ saver, reopen, close } = kind.open()));
  afterEach(() => close());

  const secret = "My card number is 4242 4242 4242 4242 and the code is 123.";

  it("leaves nothing of the message in any checkpoint, copy, write, input or quote", async () => {
    await chat(saver, "t", 1);
    await commitTurn(saver, { thread: "t", n: 4, question: secret, answer: `You said: "${secret}"` });
    await commitTurn(saver, { thread: "t", n: 6, question: "question 3", answer: "answer 3" });
    await saver.putWrites(
      at("t", 6),
      [
        ["recall", new ToolMessage({ tool_call_id: "call", content: `Found: ${secret.slice(0, 40)} ...` })],
        ["__start__", { messages: [{ role: "user", content: secret }] }],
      ],
      "task",
    );
    await saver.copyThread("t", "copy");
    await saver.copyThread("copy", "copy of the copy");
    const report = await saver.eraseMessage(at("copy"), "h4");
    expect(report.threads.toSorted()).toEqual(["copy", "copy of the copy", "t"]);
    for (const { threadId } of await saver.listThreads()) {
      let lines = "";
      for await (const line of saver.exportThread(threadId)) lines += line;
      expect(lines).not.toMatch(/4242 4242|card number/);
      expect(await contents(saver, threadId)).toEqual([
        "question 1",
        "answer 1",
        "[erased]",
        'You said: "[erased]"',
        "question 3",
        "answer 3",
      ]);
    }
    await commitTurn(saver, { thread: "t", n: 8, question: "question 4", answer: "answer 4" });
    expect(await contents(reopen(), "t")).toHaveLength(8);
  });

  it("keeps what belongs together: a call, its results, and both their ids", async () => {
    const call = new AIMessage({
      id: "ai",
      content: secret,
      tool_calls: [{ id: "call-1", name: "pay", args: { card: secret } }],
    });
    const result = new ToolMessage({ id: "tool", tool_call_id: "call-1", name: "pay", content: "paid" });
    await putMessages(saver, [call, result]);
    await saver.eraseMessage(at("t"), "ai");
    const [ai, tool] = ((await saver.getTuple(at("t")))?.checkpoint.channel_values["messages"] ??
      []) as BaseMessage[];
    expect(ai).toBeInstanceOf(AIMessage);
    expect((ai as AIMessage).tool_calls).toMatchObject([{ id: "call-1", name: "pay", args: {} }]);
    expect(tool).toMatchObject({ tool_call_id: "call-1", content: "paid" });
  });

  it("leaves short words of others alone, and says when there is no such message", async () => {
    await putMessages(saver, [
      new HumanMessage({ id: "1", content: "yes" }),
      new HumanMessage({ id: "2", content: "yes" }),
    ]);
    expect(await saver.eraseMessage(at("t"), "1")).toMatchObject({ threads: ["t"] });
    expect(await contents(saver, "t")).toEqual(["[erased]", "yes"]);
    expect(await saver.eraseMessage(at("t"), "nobody")).toMatchObject({ threads: [], items: 0 });
    await expect(saver.eraseMessage(at("u"), "1")).rejects.toMatchObject({ code: "UNKNOWN_THREAD" });
  });

  it("takes short texts with it, where they are named, and refuses blank ones", async () => {
    await chat(saver, "t", 1);
    await commitTurn(saver, { thread: "t", n: 4, question: "PIN zq11", answer: "Is zq11 right?" });
    await saver.putWrites(at("t", 4), [["note", { pin: "zq11", deep: [["zq", "xzq11x"]] }]], "task");
    await saver.eraseMessage(at("t"), "h4");
    expect(await exported(saver)).toContain("zq11");
    for (const texts of [[""], ["zq11", " "]]) {
      await expect(saver.eraseMessage(at("t"), "h4", { texts })).rejects.toMatchObject({
        code: "INVALID_CONFIGURATION",
      });
    }
    await expect(saver.eraseMessage(at("t"), "h4", { text: ["zq11"] } as never)).rejects.toMatchObject({
      code: "INVALID_CONFIGURATION",
      message: expect.stringContaining('no option "text"; the nearest one that it has is "texts"') as string,
    });
    // once more: what was erased is no hindrance
    await saver.eraseMessage(at("t"), "h4", { texts: ["zq", "zq11"] });
    expect(await exported(saver)).not.toContain("zq");
    expect(await contents(reopen(), "t")).toEqual([
      "question 1",
      "answer 1",
      "[erased]",
      "Is [erased] right?",
    ]);
  });

  it("asks of every stored object whether it was made of the message, and tells the states of all branches", async () => {
    await chat(saver, "t", 2);
    await commitTurn(saver, { thread: "t", n: 20, question: "other", answer: "branch", after: 2 });
    await saver.putWrites(at("t", 4), [["digest", [{ kind: "digest", says: "two turns" }]]], "task");
    const seen: unknown[] = [];
    const derived = {
      matches: ({ kind: is }: Readonly<Record<string, unknown>>) => is === "digest",
      rewrite: async (erased: { found: readonly unknown[]; states: readonly { messages?: unknown }[] }) => {
        seen.push(
          erased.found,
          erased.states.map(({ messages }) => (messages as unknown[]).length).toSorted(),
        );
        return (value: object) => ({ ...value, says: "one turn" });
      },
    };
    await saver.eraseMessage(at("t"), "a20", { derived });
    expect(seen).toEqual([[{ kind: "digest", says: "two turns" }], [4, 4]]);
    expect((await reopen().getTuple(at("t", 4)))?.pendingWrites).toEqual([
      ["task", "digest", [{ kind: "digest", says: "one turn" }]],
    ]);
  });
});

const read = (file: string) => (existsSync(file) ? readFileSync(file, "latin1") : "");

describe("the files of a SQLite database", () => {
  const folders: string[] = [];
  afterEach(() => {
    for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
  });

  function open(): { saver: SqliteSaver; bytes: () => string; lasting: () => string } {
    const folder = mkdtempSync(join(tmpdir(), "skein-erase-"));
    folders.push(folder);
    const path = join(folder, "t.db");
    return {
      saver: SqliteSaver.fromConnString(path),
      bytes: () => read(path) + read(`${path}-wal`) + read(`${path}-shm`),
      // without the index of the log, in which readers leave marks
      lasting: () => read(path) + read(`${path}-wal`),
    };
  }

  const secret = "SECRET-4242 ".repeat(40);

  it.each([
    ["a message was erased", (saver: SqliteSaver) => saver.eraseMessage(at("t"), "h4")],
    ["the thread was deleted", (saver: SqliteSaver) => saver.deleteThread("t")],
    // which overwrites nothing itself: all of it is left to the clean-up
    [
      "its branch was deleted",
      async (saver: SqliteSaver) => {
        await commitTurn(saver, { thread: "t", n: 8, question: "other", answer: "branch", after: 2 });
        await saver.deleteBranch("t", idOf(4));
      },
    ],
  ])("hold no byte of it after %s and cleaned up", async (_, remove) => {
    const { saver, bytes } = open();
    await commitTurn(saver, { thread: "other", n: 2, question: "stays", answer: "here" });
    await chat(saver, "t", 1);
    await commitTurn(saver, { thread: "t", n: 4, question: secret, answer: `It was: ${secret}` });
    // recorded, then moved to an item: its old bytes stand in free space
    await saver.putWrites(
      at("t", 4),
      [["messages", [new HumanMessage({ id: "h4", content: secret })]]],
      "t2",
    );
    await saver.search(at("t"), "SECRET");
    expect(bytes()).toContain("SECRET-4242");
    await remove(saver);
    await saver.cleanUp();
    expect(bytes()).not.toContain("SECRET-4242");
    expect(bytes()).toContain("stays");
    await saver.close();
    expect(bytes()).not.toContain("SECRET-4242");
  });

  it("hold no byte of it inside a record that is stored as what changed", async () => {
    const { saver, bytes } = open();
    await chat(saver, "t", 1);
    const facts = Object.fromEntries(
      Array.from({ length: 20 }, (_, i) => [`fact ${i}`, "known ".repeat(20)]),
    );
    const sets = saver[CHANGE_SETS];
    const change = async (n: number, value: unknown): Promise<void> => {
      const { claim, headId } = await sets.open({ threadId: "t", namespace: "" }, { claim: "fail" });
      await commitValue(saver, claim as Claim, idOf(n), headId, value);
      await sets.release(claim as Claim);
    };
    await change(3, facts);
    await change(4, { ...facts, more: 1 });
    const whole = (await saver.storageReport("t"))?.itemBytes ?? 0;
    await change(5, { ...facts, more: 1, said: secret });
    // that entry and no other was stored
    expect(((await saver.storageReport("t"))?.itemBytes ?? 0) - whole).toBeLessThan(secret.length + 100);
    await commitTurn(saver, { thread: "t", n: 8, question: secret, answer: "ok" });
    await saver.eraseMessage(at("t"), "h8");
    await saver.cleanUp();
    expect(bytes()).not.toContain("SECRET-4242");
    const { channel_values: values } = (await saver.getTuple(at("t", 5)))?.checkpoint ?? {};
    expect(values?.["n"]).toEqual({ ...facts, more: 1, said: expect.stringContaining("[erased]") as string });
    await saver.close();
  });

  it("do not change by a byte where no thread has the message, not even while a run holds it", async () => {
    const { saver, lasting } = open();
    await chat(saver, "t", 1);
    await saver[CHANGE_SETS].open({ threadId: "t", namespace: "" }, { claim: "fail" });
    const before = lasting();
    expect(await saver.eraseMessage(at("t"), "nobody")).toMatchObject({ threads: [], items: 0 });
    expect(lasting() === before).toBe(true);
    await saver.close();
  });
});

it("the files of a PostgreSQL server hold no byte of it after clean-up, a checkpoint and an unrecycled log", async () => {
  await using server = await PostgresServer.start();
  const pool = new Pool({ connectionString: server.url });
  try {
    await pool.query("ALTER SYSTEM SET wal_recycle = off");
    await pool.query("SELECT pg_reload_conf()");
    const { rows } = await pool.query("SHOW data_directory");
    const data = (rows[0] as { data_directory: string }).data_directory;
    const holders = (folder: string) =>
      readdirSync(join(data, folder), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile() && read(join(entry.parentPath, entry.name)).includes("SECRET-4242"))
        .map(({ name }) => name);
    const saver = new PostgresSaver(pool, { schema: "skein" });
    await chat(saver, "t", 1);
    await commitTurn(saver, { thread: "t", n: 4, question: "SECRET-4242 is mine", answer: "ok" });
    await commitTurn(saver, { thread: "u", n: 2, question: "SECRET-4242 is ours", answer: "ok" });
    await pool.query("CHECKPOINT");
    expect([holders("base").length > 0, holders("pg_wal").length > 0]).toEqual([true, true]);
    await saver.eraseMessage(at("t"), "h4");
    await saver.deleteThread("u");
    await saver.cleanUp();
    // as docs/concepts/checkpoint.md says
    await pool.query("SELECT pg_switch_wal()");
    await pool.query("CHECKPOINT");
    expect([holders("base"), holders("pg_wal")]).toEqual([[], []]);
    expect(await contents(saver, "t")).toEqual(["question 1", "answer 1", "[erased]", "ok"]);
  } finally {
    await pool.end();
  }
});

async function putMessages(saver: Saver, messages: BaseMessage[]): Promise<void> {
  await saver.put(
    { configurable: { thread_id: "t", checkpoint_ns: "" } },
    {
      v: 4,
      id: idOf(1),
      ts: "2026-01-01T00:00:00.000Z",
      channel_values: { messages },
      channel_versions: { messages: 1 },
      versions_seen: {},
    },
    { source: "update", step: 0, parents: {} },
    { messages: 1 },
  );
}
