import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BaseMessage } from "@langchain/core/messages";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CHANGE_SETS, type Claim } from "../src/index.ts";
import { MemorySaver } from "../src/memory/index.ts";
import { SqliteSaver } from "../src/sqlite/index.ts";
import { ALL_SAVERS, type Saver } from "./savers.ts";
import { putValue } from "./steps.ts";
import { openPostgres } from "./support/postgres.ts";
import { at, chat, commitTurn, contents, idOf } from "./turns.ts";

async function found(saver: Saver, query: string): Promise<unknown[]> {
  return (await saver.search(at("t"), query)).hits.map(({ id }) => id);
}

const dialogue = (...turns: number[]) => turns.flatMap((turn) => [`question ${turn}`, `answer ${turn}`]);

it("a tenant sees and touches nothing of another, whatever it asks for", async () => {
  const folder = mkdtempSync(join(tmpdir(), "skein-tenant-"));
  const path = join(folder, "t.db");
  const memory = new MemorySaver({ tenant: "a" });
  const postgres = openPostgres();
  const pairs: [Saver, Saver][] = [
    [memory, memory.forTenant("b")],
    [SqliteSaver.fromConnString(path, { tenant: "a" }), SqliteSaver.fromConnString(path, { tenant: "b" })],
    [postgres.reopen({ tenant: "a" }), postgres.reopen({ tenant: "b" })],
  ];
  for (const [mine, theirs] of pairs) {
    await chat(mine, "t", 2);
    await chat(mine, "only mine", 1);
    await putValue(theirs, "t", idOf(50), "theirs");
    expect(await theirs.getTuple(at("t", 4))).toBeUndefined();
    expect(await theirs.getTuple(at("only mine"))).toBeUndefined();
    const listed: unknown[] = [];
    for await (const tuple of theirs.list({}, { filter: {} })) listed.push(tuple.checkpoint.id);
    expect(listed).toEqual([idOf(50)]);
    expect((await theirs.listThreads()).map(({ threadId }) => threadId)).toEqual(["t"]);
    expect(await theirs.storageReport("only mine")).toBeUndefined();
    expect((await theirs.search(at("only mine"), "question")).hits).toEqual([]);
    expect((await theirs.history(at("only mine"), { limit: 9 })).elements).toEqual([]);
    const refused = { code: "UNKNOWN_THREAD" };
    await expect(theirs.eraseMessage(at("only mine"), "h2")).rejects.toMatchObject(refused);
    await expect(theirs.prune("only mine", { keepLast: 0 })).rejects.toMatchObject(refused);
    await expect(theirs.copyThread("only mine", "got it")).rejects.toMatchObject(refused);
    await expect(theirs.moveHead("only mine", idOf(2))).rejects.toMatchObject(refused);
    await expect(theirs.exportThread("only mine").next()).rejects.toMatchObject(refused);
    await expect(theirs.putWrites(at("t", 4), [["n", 1]], "task")).rejects.toMatchObject({
      code: "UNKNOWN_CHECKPOINT",
    });
    await theirs.sweep({ ttl: 0 });
    await theirs.deleteThread("t");
    await theirs.deleteThread("only mine");
    expect(await contents(mine, "t")).toEqual(dialogue(1, 2));
    expect(await contents(mine, "only mine")).toEqual(dialogue(1));
  }
  for (const saver of pairs.flat()) if (saver instanceof SqliteSaver) await saver.close();
  await postgres.close();
  rmSync(folder, { recursive: true });
});

describe.each(ALL_SAVERS)("$name", (kind) => {
  let saver: Saver;
  let reopen: () => Saver;
  let close: () => Promise<void>;
  beforeEach(() => ({ saver, reopen, close } = kind.open()));
  afterEach(() => close());

  it("a verb finds no thread where only a claim was made, and leaves none", async () => {
    const { claim } = await saver[CHANGE_SETS].open({ threadId: "t", namespace: "" }, { claim: "fail" });
    await saver[CHANGE_SETS].release(claim as Claim);
    await expect(saver.prune("t", { keepLast: 1 })).rejects.toMatchObject({ code: "UNKNOWN_THREAD" });
    expect(await saver.listThreads()).toEqual([]);
  });

  describe("copyThread", () => {
    it("copies everything, and either goes on alone", async () => {
      await chat(saver, "t", 3);
      await saver.putWrites(at("t", 6), [["messages", ["pending"]]], "task");
      await saver.copyThread("t", "copy");
      expect(await contents(saver, "copy")).toEqual(dialogue(1, 2, 3));
      expect((await saver.getTuple(at("copy")))?.pendingWrites).toHaveLength(1);
      await commitTurn(saver, { thread: "copy", n: 8, question: "question 4", answer: "answer 4" });
      expect(await contents(saver, "t")).toEqual(dialogue(1, 2, 3));
      await saver.deleteThread("t");
      expect(await contents(reopen(), "copy")).toEqual(dialogue(1, 2, 3, 4));
    });

    it("lists the namespaces of the copy in the order of the original's", async () => {
      const names = ["", "z:1", "a:2", "m"];
      for (const [n, name] of names.entries()) await putValue(saver, "order", idOf(n + 1), n, name);
      await putValue(saver, "order", idOf(9), 9);
      await saver.moveHead("order", idOf(1));
      await saver.deleteBranch("order", idOf(9));
      await saver.cleanUp(); // PostgreSQL writes rows in another order
      await saver.copyThread("order", "same order");
      for (const thread of ["order", "same order"]) {
        const listed: unknown[] = [];
        for await (const { config } of saver.list({ configurable: { thread_id: thread } }))
          listed.push(config.configurable?.["checkpoint_ns"]);
        expect(listed).toEqual(names);
      }
    });

    it("overwrites no thread and copies none that is not there", async () => {
      await chat(saver, "t", 1);
      await chat(saver, "u", 1);
      await expect(saver.copyThread("t", "u")).rejects.toMatchObject({ code: "INVALID_CONFIGURATION" });
      await expect(saver.copyThread("nobody", "v")).rejects.toMatchObject({ code: "UNKNOWN_THREAD" });
    });
  });

  describe("exportThread and importThread", () => {
    it("give the same thread: branches, archive, pending writes, strange keys", async () => {
      await chat(saver, "t", 4);
      await commitTurn(saver, {
        thread: "t",
        n: 20,
        question: "other",
        answer: "branch \ud800 \0",
        after: 4,
      });
      const strange = JSON.parse('{"__proto__": {"a": 1}, "$": "tag"}') as unknown;
      await saver.putWrites(at("t", 20), [["strange", strange]], "task");
      const lines: string[] = [];
      for await (const line of saver.exportThread("t")) lines.push(line);
      const target = new MemorySaver();
      expect(await target.importThread(lines)).toMatchObject({ threadId: "t", checkpoints: 10 });
      for (const n of [1, 4, 8, 20]) {
        expect(await target.getTuple(at("t", n))).toEqual(await saver.getTuple(at("t", n)));
      }
      await saver.importThread(
        (function* () {
          // in pieces that end anywhere
          const bytes = Buffer.from(lines.join(""));
          for (let i = 0; i < bytes.length; i += 777) yield bytes.subarray(i, i + 777);
        })(),
        { as: "again" },
      );
      await commitTurn(saver, { thread: "again", n: 30, question: "on", answer: "and on" });
      expect(await contents(saver, "again")).toHaveLength(8);
    });

    it("store nothing of lines that are wrong or end early", async () => {
      await chat(saver, "t", 2);
      const lines: string[] = [];
      for await (const line of saver.exportThread("t")) lines.push(line);
      const target = kind.open();
      for (const wrong of [
        [],
        lines.slice(0, -1),
        [...lines, lines[1] as string],
        lines.toSpliced(3, 1, "{}\n"),
        lines.toSpliced(3, 1, "nonsense\n"),
        lines.toSpliced(2, 1),
      ]) {
        await expect(target.saver.importThread(wrong)).rejects.toMatchObject({ code: "INVALID_INPUT" });
        expect(await target.saver.listThreads()).toEqual([]);
      }
      await target.saver.importThread(lines);
      await expect(target.saver.importThread(lines)).rejects.toMatchObject({ code: "INVALID_CONFIGURATION" });
      await target.close();
    });
  });

  it("history pages backwards through the archive", async () => {
    await chat(saver, "t", 5);
    const last = await saver.history(at("t"), { limit: 3 });
    expect((last.elements as BaseMessage[]).map(({ id }) => id)).toEqual(["a8", "h10", "a10"]);
    const before = await saver.history(at("t"), { limit: 7, before: last.before as number });
    expect((before.elements as BaseMessage[]).map(({ id }) => id)).toEqual([
      "h2",
      "a2",
      "h4",
      "a4",
      "h6",
      "a6",
      "h8",
    ]);
    expect(before.before).toBeUndefined();
    expect(await saver.history(at("nobody"), { limit: 3 })).toEqual({ elements: [], before: undefined });
  });

  describe("search", () => {
    it("finds words of any language, of two characters and of one", async () => {
      const texts = [
        "東京都に行きたい",
        "我想去北京看长城",
        "서울에서 만나요",
        "Der Zug nach Köln",
        "the night train",
      ];
      for (const [i, text] of texts.entries()) {
        await commitTurn(saver, { thread: "t", n: i * 2 + 2, question: text, answer: "ok" });
      }
      expect(await found(saver, "東京")).toEqual(["h2"]);
      expect(await found(saver, "京都")).toEqual(["h2"]);
      expect(await found(saver, "长城")).toEqual(["h4"]);
      expect(await found(saver, "京")).toEqual(expect.arrayContaining(["h2", "h4"]));
      expect(await found(saver, "서울")).toEqual(["h6"]);
      expect(await found(saver, "KOLN zug")).toEqual(["h8"]);
      expect(await found(saver, 'night" OR "ok')).toEqual([]);
      expect(await found(saver, "")).toEqual([]);
    });

    it("ranks, pages, sees only its branch, and forgets what was erased", async () => {
      for (let turn = 1; turn <= 6; turn += 1) {
        const question = `kettle ${"kettle ".repeat(turn === 3 ? 3 : 0)}${turn}`;
        await commitTurn(saver, { thread: "t", n: turn * 2, question, answer: "fine" });
      }
      await commitTurn(saver, { thread: "t", n: 20, question: "teapot", answer: "no kettle", after: 4 });
      const first = await saver.search(at("t", 12), "kettle", { limit: 4 });
      const second = await saver.search(at("t", 12), "kettle", { limit: 4, cursor: first.cursor as string });
      expect(first.hits[0]?.id).toBe("h6");
      expect([...first.hits, ...second.hits].map(({ id }) => id).toSorted()).toEqual([
        "h10",
        "h12",
        "h2",
        "h4",
        "h6",
        "h8",
      ]);
      expect(second.cursor).toBeUndefined();
      expect((await found(saver, "kettle")).toSorted()).toEqual(["a20", "h2", "h4"]);
      await saver.eraseMessage(at("t"), "a20");
      expect((await found(saver, "kettle")).toSorted()).toEqual(["h2", "h4"]);
      for (const cursor of ["nonsense", "5:zzz", "5:"]) {
        await expect(saver.search(at("t"), "kettle", { cursor })).rejects.toMatchObject({
          code: "INVALID_CONFIGURATION",
        });
      }
    });
  });
});
