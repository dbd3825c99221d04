import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { MemorySaver } from "../src/memory/index.ts";
import { SqliteSaver } from "../src/sqlite/index.ts";
import type { Saver } from "./savers.ts";
import { putValue } from "./steps.ts";
import { openPostgres, postgresUrl } from "./support/postgres.ts";
import { startProgram } from "./support/program.ts";
import { at, chat, commitTurn, contents, idOf, stored } from "./turns.ts";

const TURNS = 400;
/** The first checkpoints and their writes are stored then, and no item. */
const LINES = 1100;

const folder = mkdtempSync(join(tmpdir(), "skein-import-"));
const file = join(folder, "thread.jsonl");
let lines: string[] = [];

beforeAll(async () => {
  const source = new MemorySaver();
  await chat(source, "t", TURNS);
  for await (const line of source.exportThread("t")) lines.push(line);
  writeFileSync(file, lines.join(""));
});
afterAll(() => {
  lines = [];
  rmSync(folder, { recursive: true });
});

const KINDS = {
  SQLite() {
    const path = join(folder, "threads.db");
    const saver: Saver = SqliteSaver.fromConnString(path);
    return { saver, target: async () => path, close: () => saver.close() };
  },
  PostgreSQL() {
    const { saver, schema, close } = openPostgres();
    return { saver: saver as Saver, target: async () => `${await postgresUrl()}#${schema}`, close };
  },
};

/** Checklist B5. */
it.each(Object.entries(KINDS))(
  "%s: of an import whose process is killed nobody sees anything, and its id is free",
  async (_, open) => {
    const { saver, target, close } = open();
    await saver.listThreads();
    const ids = ["again", "run", "put"];
    const killed = await startProgram(
      join(import.meta.dirname, "importer.ts"),
      file,
      await target(),
      String(LINES),
      ...ids,
    );
    expect((await once(killed, "exit"))[1]).toBe("SIGKILL");
    for (const id of ids) {
      expect((await saver.storageReport(id))?.manifestBytes).toBeGreaterThan(0);
      expect(await saver.getTuple(at(id))).toBeUndefined();
      expect(await saver.getTuple(at(id, 2))).toBeUndefined();
      expect(await stored(saver, id)).toEqual([]);
      expect(await saver.checkpoints(id)).toEqual([]);
      expect(await saver.listThreads()).toEqual([]);
      await expect(saver.putWrites(at(id, 2), [["n", 1]], "task")).rejects.toMatchObject({
        code: "UNKNOWN_CHECKPOINT",
      });
    }
    const refused = { code: "UNKNOWN_THREAD" };
    await expect(saver.copyThread("run", "copy")).rejects.toMatchObject(refused);
    await expect(saver.exportThread("run").next()).rejects.toMatchObject(refused);

    expect(await saver.importThread(lines, { as: "again" })).toMatchObject({ checkpoints: TURNS * 2 });
    expect(await contents(saver, "again")).toHaveLength(TURNS * 2);
    await commitTurn(saver, { thread: "run", n: 2, question: "q", answer: "a" });
    expect(await contents(saver, "run")).toEqual(["q", "a"]);
    await putValue(saver, "put", idOf(1), 5);
    expect(await stored(saver, "put")).toEqual([1]);
    await close();
  },
);
