import { createRequire } from "node:module";
import { HumanMessage } from "@langchain/core/messages";
import { describe, expect, it } from "vitest";
import { type Codec, createCodec } from "../src/index.ts";
import { PostgresSaver } from "../src/postgres/index.ts";
import { SqliteSaver, type SqliteDatabase } from "../src/sqlite/index.ts";
import type { Saver } from "./savers.ts";
import { newSchema, sharedPool } from "./support/postgres.ts";

const Database = createRequire(import.meta.url)("libsql") as new (path: string) => SqliteDatabase;
const config = { configurable: { thread_id: "thread", checkpoint_ns: "" } };

interface Storage {
  /** A saver that remembers nothing. */
  open(codec: Codec): Saver;
  execute(sql: string): unknown;
}

const STORAGES: readonly { readonly name: string; make(): Promise<Storage> }[] = [
  {
    name: "SQLite",
    async make() {
      const db = new Database(":memory:");
      return { open: (codec) => new SqliteSaver(db, { codec }), execute: (sql) => db.exec(sql) };
    },
  },
  {
    name: "PostgreSQL",
    async make() {
      const schema = newSchema();
      const pool = await sharedPool();
      const execute = async (sql: string) => pool.query(sql.replace("FROM ", `FROM "${schema}".`));
      return { open: (codec) => new PostgresSaver(pool, { schema, codec }), execute };
    },
  },
];

const plain = createCodec();
const onSeveralLines = (text: string): string => JSON.stringify(JSON.parse(text), null, 2);
const spread: Codec = { ...plain, encode: (...given) => onSeveralLines(plain.encode(...given)) };

async function putList(saver: Saver, list: unknown[]): Promise<void> {
  const checkpoint = {
    v: 4,
    id: "1f0c5b2e-0000-6d10-8000-000000000000",
    ts: new Date(0).toISOString(),
    channel_values: { list },
    channel_versions: { list: 1 },
    versions_seen: {},
  };
  await saver.put(config, checkpoint, { source: "loop", step: 1, parents: {} }, { list: 1 });
}

describe.each(STORAGES)("a long list on $name, read as the lines of texts (F2)", ({ make }) => {
  const elements = Array.from({ length: 1_200 }, (_, i) => ({
    id: `e${i}`,
    // those in the middle are too long to be read together
    text: `line\n${i}\u2028 "\\n" 😀${i >= 500 && i < 1_000 ? "long".repeat(1_000) : ""}`,
  }));

  async function stored(codec: Codec) {
    const { open, execute } = await make();
    await putList(open(codec), elements);
    const read = async () => (await open(codec).getTuple(config))?.checkpoint.channel_values["list"];
    return { read, execute };
  }

  it("comes back as it was, whatever lines its elements have", async () => {
    const { read } = await stored(plain);
    expect(await read()).toEqual(elements);
  });

  it("comes back, though its codec writes on several lines", async () => {
    const { read } = await stored(spread);
    expect(await read()).toEqual(elements);
  });

  it("of which an element is gone says so", async () => {
    const { read, execute } = await stored(plain);
    await execute("DELETE FROM items WHERE ord = 700");
    await expect(read()).rejects.toMatchObject({ code: "STORAGE_CORRUPT" });
  });
});

describe("a long list on SQLite (I7)", () => {
  it("of long elements is read row by row, once it is known how long they are", async () => {
    const texts: number[] = [];
    const db = new Database(":memory:");
    const told: SqliteDatabase = {
      prepare: (sql) => {
        const statement = db.prepare(sql);
        const get = statement.get.bind(statement);
        statement.get = (...parameters) => {
          const row = get(...parameters);
          if (Array.isArray(row) && typeof row[0] === "string") texts.push(row[0].length);
          return row;
        };
        return statement;
      },
      exec: (sql) => db.exec(sql),
      close: () => db.close(),
    };
    const list = Array.from({ length: 1_200 }, (_, i) => ({ id: `e${i}`, text: "x".repeat(5_000) }));
    await putList(new SqliteSaver(db), list);
    expect((await new SqliteSaver(told).getTuple(config))?.checkpoint.channel_values["list"]).toEqual(list);
    expect(texts.filter((read) => read > 500_000)).toHaveLength(1);
  });
});

describe("a message is cut out of the text of its page (F2)", () => {
  const letters = "lorem ipsum ".repeat(30);
  it.each([
    ["only plain letters", letters, true],
    ["an accent", `${letters}é`, false],
    ["an emoji", `${letters}👩`, false],
    ["a line end", `${letters}\n`, false],
    ["a megabyte", "x".repeat(950_000), false],
  ])("where all of it are few plain letters: %s", async (_, content, isCut) => {
    const messages = Array.from(
      { length: 320 },
      (_, i) => new HumanMessage({ id: `m${i}`, content: letters }),
    );
    const last = new HumanMessage({ id: "last", content });
    const cut: (boolean | undefined)[] = [];
    const codec: Codec = {
      ...plain,
      decode(text, mayCut) {
        if (text.includes('"human"')) cut.push(mayCut);
        return plain.decode(text, mayCut);
      },
    };
    const db = new Database(":memory:");
    await putList(new SqliteSaver(db, {}), [...messages.slice(1), last]);
    const tuple = await new SqliteSaver(db, { codec }).getTuple(config);
    expect(tuple?.checkpoint.channel_values["list"]).toEqual([...messages.slice(1), last]);
    expect(cut).toEqual(cut.map(() => isCut));
    expect(cut.length).toBe(320);
  });
});
