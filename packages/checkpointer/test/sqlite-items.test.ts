import { createRequire } from "node:module";
import { describe, expect, it } from "vitest";
import { type Codec, createCodec } from "../src/index.ts";
import { SqliteSaver, type SqliteDatabase } from "../src/sqlite/index.ts";

const Database = createRequire(import.meta.url)("libsql") as new (path: string) => SqliteDatabase;
const config = { configurable: { thread_id: "thread", checkpoint_ns: "" } };

const spread = (text: string): string => JSON.stringify(JSON.parse(text), null, 2);

async function stored(elements: readonly unknown[], codec?: Codec) {
  const db = new Database(":memory:");
  const open = () => new SqliteSaver(db, codec === undefined ? {} : { codec });
  const checkpoint = {
    v: 4,
    id: "1f0c5b2e-0000-6d10-8000-000000000000",
    ts: new Date(0).toISOString(),
    channel_values: { list: elements },
    channel_versions: { list: 1 },
    versions_seen: {},
  };
  const metadata = { source: "loop" as const, step: 1, parents: {} };
  await open().put(config, checkpoint, metadata, { list: 1 });
  const read = async () => (await open().getTuple(config))?.checkpoint.channel_values["list"];
  return { db, read };
}

describe("a long list on SQLite, read as the lines of one text", () => {
  const elements = Array.from({ length: 1_500 }, (_, i) => ({
    id: `e${i}`,
    text: `line\n${i}\u2028 "\\n" 😀`,
  }));

  it("comes back as it was, whatever lines its elements have", async () => {
    const { read } = await stored(elements);
    expect(await read()).toEqual(elements);
  });

  it("comes back, though its codec writes on several lines", async () => {
    const plain = createCodec();
    const codec = {
      ...plain,
      encode: (...given: Parameters<Codec["encode"]>) => spread(plain.encode(...given)),
    };
    const { read } = await stored(elements, codec);
    expect(await read()).toEqual(elements);
  });

  it("of which an element is gone says so", async () => {
    const { db, read } = await stored(elements);
    db.exec("DELETE FROM items WHERE ord = 700");
    await expect(read()).rejects.toMatchObject({ code: "STORAGE_CORRUPT" });
  });
});
