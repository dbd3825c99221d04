import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { MemorySaver as LangGraphSaver } from "@langchain/langgraph-checkpoint";
import { BaseCheckpointSaver } from "../src/base/index.ts";
import {
  back,
  branches,
  createCodec,
  deleteBranch,
  diffCheckpoints,
  goTo,
  lineage,
  MemorySaver,
  migrateThread,
  undo,
} from "../src/index.ts";
import { PostgresSaver } from "../src/postgres/index.ts";
import { SqliteSaver } from "../src/sqlite/index.ts";
import { InMemoryStore } from "../src/store/index.ts";
import { PostgresStore } from "../src/store/postgres/index.ts";
import { SqliteStore } from "../src/store/sqlite/index.ts";
import { ALL_SAVERS, type Saver } from "./savers.ts";
import { at, chat, contents } from "./turns.ts";

const refused = { code: "INVALID_CONFIGURATION" };
const NO_IDS: readonly unknown[] = [undefined, null, {}, []];
const DATABASE = { prepare() {} } as never;
const POOL = { query() {}, connect() {}, on() {} } as never;

describe.each(ALL_SAVERS)("what a program without types gives to $name", (kind) => {
  let saver: Saver;
  let close: () => Promise<void>;
  beforeEach(async () => {
    ({ saver, close } = kind.open());
    await chat(saver, "t", 1);
  });
  afterEach(() => close());

  it("no id of a message erases nothing: everything without an id is not the message", async () => {
    await saver.putWrites(at("t", 2), [["n", { role: "x", content: "kept" }]], "task");
    for (const id of [...NO_IDS, "", 5]) {
      await expect(saver.eraseMessage(at("t"), id as string)).rejects.toMatchObject(refused);
    }
    const texts = "x" as unknown as string[];
    await expect(saver.eraseMessage(at("t"), "h2", { texts })).rejects.toMatchObject(refused);
    expect((await saver.getTuple(at("t")))?.pendingWrites).toEqual([
      ["task", "n", { role: "x", content: "kept" }],
    ]);
    expect(await contents(saver, "t")).toEqual(["question 1", "answer 1"]);
  });

  it("no id of a thread makes, copies and deletes none", async () => {
    for (const given of NO_IDS) {
      const id = given as string;
      await expect(saver.copyThread("t", id)).rejects.toMatchObject(refused);
      await expect(saver.copyThread(id, "u")).rejects.toMatchObject(refused);
      await expect(saver.deleteThread(id)).rejects.toMatchObject(refused);
      await expect(saver.moveHead("t", id)).rejects.toMatchObject(refused);
      await expect(migrateThread(saver, new MemorySaver(), { threadId: id })).rejects.toMatchObject(refused);
    }
    expect((await saver.listThreads()).map(({ threadId }) => threadId)).toEqual(["t"]);
  });

  it("wrong options, counts and texts are said to be wrong", async () => {
    for (const given of [undefined, null]) {
      const none = given as never;
      await expect(saver.prune("t", none)).rejects.toMatchObject(refused);
      await expect(saver.history(at("t"), none)).rejects.toMatchObject(refused);
      await expect(saver.sweep(none)).rejects.toMatchObject(refused);
      await expect(saver.search(at("t"), none)).rejects.toMatchObject(refused);
      await expect(saver.importThread(none)).rejects.toMatchObject({ code: "INVALID_INPUT" });
    }
    for (const limit of [-1, 1.5, Number.NaN, "3" as unknown as number]) {
      await expect(saver.listThreads({ limit })).rejects.toMatchObject(refused);
      await expect(saver.history(at("t"), { limit })).rejects.toMatchObject(refused);
      await expect(saver.search(at("t"), "question", { limit })).rejects.toMatchObject(refused);
    }
    const channels = "messages" as never;
    await expect(saver.search(at("t"), "question", { channels })).rejects.toMatchObject(refused);
    expect(await saver.listThreads({ limit: Number.POSITIVE_INFINITY })).toHaveLength(1);
    // a timer that is told a longer time goes off at once
    for (const every of [0, Number.NaN, 2 ** 31]) {
      expect(() => saver.startSweeper({ ttl: 1e12, every })).toThrow(/between two sweeps/);
    }
  });

  it("what is no checkpoint, no writes, no config or no filter is put and listed nowhere", async () => {
    const head = at("t");
    const { checkpoint, metadata = {} as never } = (await saver.getTuple(head)) ?? ({} as never);
    const objects: unknown[] = [undefined, null, 5, {}, { ...checkpoint, id: 5 }];
    for (const given of [...objects, [], "text"]) {
      await expect(saver.put(head, given as never, metadata, {})).rejects.toMatchObject(refused);
    }
    for (const given of [...objects, "text"]) {
      await expect(saver.putWrites(head, given as never, "t")).rejects.toMatchObject(refused);
    }
    for (const given of [...objects, []]) {
      await expect(saver.putWrites(head, [], given as never)).rejects.toMatchObject(refused);
    }
    await expect(saver.putWrites(head, [null as never], "t")).rejects.toMatchObject(refused);
    const listing = (...given: unknown[]) => saver.list(given[0] as never, given[1] as never).next();
    for (const given of [undefined, null, 5, "t", []])
      await expect(listing(given)).rejects.toMatchObject(refused);
    for (const options of [{ limit: "3" }, { limit: -1 }, { before: "id" }, { filter: "loop" }])
      await expect(listing(head, options)).rejects.toMatchObject(refused);
    for (const options of [null, { limit: null, before: null, filter: null }])
      expect((await listing(head, options)).done).toBe(false);
    for (const derived of [5, {}, () => 1]) {
      const erased = saver.eraseMessage(head, "h2", { derived: derived as never });
      await expect(erased).rejects.toMatchObject(refused);
    }
    await expect(saver.importThread([null as never])).rejects.toMatchObject({ code: "INVALID_INPUT" });
    expect(await contents(saver, "t")).toEqual(["question 1", "answer 1"]);
  });
});

describe("what is no saver, no pool, no database and no options", () => {
  const threads: [string, (saver: never) => Promise<unknown>][] = [
    ["lineage", (saver) => lineage(saver, "t")],
    ["goTo", (saver) => goTo(saver, "t", "x")],
    ["back", (saver) => back(saver, "t")],
    ["undo", (saver) => undo(saver, "t")],
    ["branches", (saver) => branches(saver, "t")],
    ["deleteBranch", (saver) => deleteBranch(saver, "t", "x")],
    ["diffCheckpoints", (saver) => diffCheckpoints(saver, "t", "x", "y")],
    ["migrateThread, from", (saver) => migrateThread(saver, new MemorySaver(), { threadId: "t" })],
    ["migrateThread, to", (saver) => migrateThread(new MemorySaver(), saver, { threadId: "t" })],
  ];
  it.each(threads)("%s", async (_, call) => {
    for (const given of [undefined, null, 5, "text", {}, MemorySaver]) {
      await expect(call(given as never)).rejects.toMatchObject(refused);
    }
  });
  it("LangGraph's savers can't go back in time, and say so", async () => {
    const foreign = new LangGraphSaver();
    const own = new MemorySaver();
    await chat(own, "t", 2);
    await migrateThread(own, foreign, { threadId: "t" });
    expect((await lineage(foreign, "t")).length).toBeGreaterThan(2);
    for (const call of [back(foreign as never, "t"), deleteBranch(foreign as never, "t", "x")]) {
      await expect(call).rejects.toMatchObject(refused);
    }
  });
  const made: [string, (given: never) => unknown][] = [
    ["MemorySaver", (given) => new MemorySaver(given)],
    ["a codec", (codec) => new MemorySaver({ codec })],
    ["a tenant", (tenant) => new MemorySaver({ tenant })],
    ["tags of a codec", (tags) => createCodec({ tags })],
    ["SqliteSaver", (given) => new SqliteSaver(given)],
    ["SqliteStore", (given) => new SqliteStore(given)],
    ["PostgresSaver", (given) => new PostgresSaver(given)],
    ["PostgresStore", (given) => new PostgresStore(given)],
    ["InMemoryStore", (given) => new InMemoryStore(given)],
  ];
  it.each(made)("%s", (_, make) => {
    expect(() => make(5 as never)).toThrow(expect.objectContaining(refused));
  });
  const written: [string, (serde: never) => unknown][] = [
    ["new MemorySaver", (serde) => new MemorySaver(serde)],
    ["new MemorySaver, among options", (serde) => new MemorySaver({ serde } as never)],
    ["new SqliteSaver", (serde) => new SqliteSaver(DATABASE, serde)],
    ["SqliteSaver.fromConnString", (serde) => SqliteSaver.fromConnString(":memory:", serde)],
    ["new PostgresSaver", (serde) => new PostgresSaver(POOL, serde)],
    ["PostgresSaver.fromConnString", (serde) => PostgresSaver.fromConnString("postgres://nowhere", serde)],
    ["new InMemoryStore", (serde) => new InMemoryStore(serde)],
    ["new SqliteStore", (serde) => new SqliteStore(DATABASE, serde)],
    ["new PostgresStore", (serde) => new PostgresStore(POOL, serde)],
    ["a saver that was made", (serde) => Object.assign(new MemorySaver(), { serde })],
  ];
  it.each(written)("a serializer, which would encrypt nothing: %s", (_, make) => {
    const { serde } = new LangGraphSaver();
    for (const given of [serde, { dumpsTyped: () => [], loadsTyped: () => {} }]) {
      expect(() => make(given as never)).toThrow(expect.objectContaining(refused));
      expect(() => make(given as never)).toThrow(/serializer.*codec/);
    }
  });
  it("a serializer that a subclass names as its own", () => {
    class Encrypting extends MemorySaver {
      constructor() {
        super();
        this.serde = new LangGraphSaver().serde;
      }
    }
    expect(() => new Encrypting()).toThrow(/serializer/);
    class EncryptingField extends MemorySaver {
      override serde = new LangGraphSaver().serde;
    }
    expect(() => new EncryptingField()).toThrow(/serde/);
  });
  it("savers of other classes take serializers, and ours show LangGraph's", async () => {
    const { serde } = new LangGraphSaver();
    class Foreign extends LangGraphSaver {}
    class OverBase extends BaseCheckpointSaver {
      override serde = serde;
      getTuple = async () => undefined;
      async *list(): AsyncGenerator<never> {}
      put = async () => ({});
      putWrites = async () => {};
      deleteThread = async () => {};
    }
    expect([new Foreign(serde).serde, new OverBase().serde]).toEqual([serde, serde]);
    expect(await new MemorySaver().serde.dumpsTyped(1)).toEqual(await serde.dumpsTyped(1));
  });
  it("null for options is as if they were left out", async () => {
    const none = null as never;
    expect(await new MemorySaver(none).listThreads(none)).toEqual([]);
    expect(createCodec(none).encode(1)).toBe("1");
    expect(await new InMemoryStore(none).search(["a"], { query: none })).toEqual([]);
    expect(await new InMemoryStore(none).listNamespaces(none)).toEqual([]);
  });
});
