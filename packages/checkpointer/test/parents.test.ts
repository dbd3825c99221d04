import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "libsql";
import { expect, it } from "vitest";
import { branches, deleteBranch, lineage, undo } from "../src/index.ts";
import { PostgresSaver } from "../src/postgres/index.ts";
import { SqliteSaver } from "../src/sqlite/index.ts";
import { ALL_SAVERS, type Saver } from "./savers.ts";
import { putValue } from "./steps.ts";
import { newSchema, postgresUrl, sharedPool } from "./support/postgres.ts";
import { at, chat, contents, idOf } from "./turns.ts";

const exported = async (saver: Saver, thread = "t"): Promise<string[]> => {
  const lines: string[] = [];
  for await (const line of saver.exportThread(thread)) lines.push(line);
  return lines;
};

/** Four checkpoints that build on none, and a thread of which one builds on the other. */
async function putFour(saver: Saver): Promise<void> {
  for (const n of [1, 2, 3, 4]) await putValue(saver, "t", idOf(n), n);
  await chat(saver, "damaged", 1);
}

/** A database in which every checkpoint is its own parent. */
const stored: readonly (readonly [
  name: string,
  open: () => Promise<{ saver: Saver; close(): Promise<void> }>,
])[] = [
  [
    "SQLite",
    async () => {
      const folder = mkdtempSync(join(tmpdir(), "skein-parents-"));
      const path = join(folder, "threads.db");
      const before = SqliteSaver.fromConnString(path);
      await putFour(before);
      await before.close();
      const db = new Database(path);
      db.exec("UPDATE checkpoints SET parent = seq");
      db.close();
      const saver = SqliteSaver.fromConnString(path);
      const close = async () => {
        await saver.close();
        rmSync(folder, { recursive: true });
      };
      return { saver, close };
    },
  ],
  [
    "PostgreSQL",
    async () => {
      const [schema, url, pool] = [newSchema(), await postgresUrl(), await sharedPool()];
      const before = PostgresSaver.fromConnString(url, { schema });
      await putFour(before);
      await before.close();
      await pool.query(`UPDATE ${schema}.checkpoints SET parent = seq`);
      const saver = PostgresSaver.fromConnString(url, { schema });
      const close = async () => {
        await saver.close();
        await pool.query(`DROP SCHEMA ${schema} CASCADE`);
      };
      return { saver, close };
    },
  ],
];

it.each(stored)("a checkpoint that is its own parent is read as one without (%s)", async (_name, open) => {
  const { saver, close } = await open();
  expect((await saver.checkpoints("t")).map(({ parentId }) => parentId)).toEqual(Array(4).fill(undefined));
  expect(await branches(saver, "t")).toHaveLength(4);
  expect(await lineage(saver, "t")).toHaveLength(1);
  expect((await saver.getTuple(at("t", 1)))?.parentConfig).toBeUndefined();
  await expect(undo(saver, "t")).rejects.toMatchObject({ code: "INVALID_CONFIGURATION" });
  await saver.moveHead("t", idOf(3));
  await saver.moveHead("t", idOf(4));
  await deleteBranch(saver, "t", idOf(3));
  await saver.prune("t", { keepLast: 2 });
  expect((await saver.getTuple(at("t")))?.checkpoint.channel_values).toEqual({ n: 4 });
  // one that builds on its parent is damaged without it
  const reading = (async () => saver.getTuple(at("damaged")))();
  await expect(reading).rejects.toMatchObject({ code: "STORAGE_CORRUPT" });
  await close();
});

it.each(ALL_SAVERS)(
  "what builds on itself or on what comes after it is not imported ($name)",
  async (kind) => {
    const { saver, close } = kind.open();
    await chat(saver, "t", 2);
    const lines = await exported(saver);
    const changed = (seq: number, change: object): string[] =>
      lines.map((text) => {
        const line = JSON.parse(text) as { seq?: number };
        return line.seq === seq ? `${JSON.stringify({ ...line, ...change })}\n` : text;
      });
    for (const [seq, change] of [
      [4, { parent: 4 }],
      [1, { parent: 4 }],
      [2, { parent: 3 }],
      [4, { base: 5 }],
      [1, { base: 2 }],
    ] as const) {
      const importing = saver.importThread(changed(seq, change), { as: "u" });
      await expect(importing).rejects.toMatchObject({ code: "INVALID_INPUT", details: { line: seq + 2 } });
    }
    for (const seq of [1, 3, 4]) {
      const lost = lines.filter((text) => (JSON.parse(text) as { seq?: number }).seq !== seq);
      const end = `${JSON.stringify({ ...(JSON.parse(lost.pop() as string) as object), checkpoints: 3 })}\n`;
      const importing = saver.importThread([...lost, end], { as: "u" });
      await expect(importing).rejects.toMatchObject({ code: "INVALID_INPUT" });
    }
    expect(await saver.importThread(changed(4, {}), { as: "u" })).toMatchObject({ checkpoints: 4 });
    await close();
  },
);

/** What LangGraph's contract allows: a checkpoint that is put once more, under one that goes back to it. */
it.each(ALL_SAVERS)(
  "a circle of parents that was put is told as it was, and comes to an end ($name)",
  async (kind) => {
    const { saver, reopen, close } = kind.open();
    const put = (id: string, under: string | undefined, n: number) =>
      saver.put(
        { configurable: { thread_id: "t", checkpoint_ns: "", checkpoint_id: under } },
        {
          v: 4,
          id,
          ts: "2026-01-01T00:00:00.000Z",
          channel_values: { n },
          channel_versions: { n },
          versions_seen: {},
        },
        { source: "update", step: 0, parents: {} },
        { n },
      );
    await put(idOf(1), undefined, 1);
    await put(idOf(2), idOf(1), 2);
    await put(idOf(3), idOf(2), 3);
    await put(idOf(1), idOf(3), 4);
    for (const reader of [saver, reopen()]) {
      const { checkpoint, parentConfig } = (await reader.getTuple(at("t", 1))) ?? {};
      expect(checkpoint?.channel_values).toEqual({ n: 4 });
      expect(parentConfig?.configurable?.["checkpoint_id"]).toBe(idOf(3));
      expect((await lineage(reader, "t")).map(({ id }) => Number(id))).toEqual([3, 2, 1]);
    }
    await saver.importThread(await exported(saver), { as: "u" });
    expect(await contents(saver, "u")).toEqual([]);
    expect((await lineage(saver, "u")).map(({ id }) => Number(id))).toEqual([3, 2, 1]);
    expect(await branches(saver, "t")).toMatchObject([{ tip: idOf(3), length: 3 }]);
    await saver.prune("t", { keepLast: 1 });
    await close();
  },
);
