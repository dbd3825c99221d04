import type { Checkpoint, PendingWrite } from "@langchain/langgraph-checkpoint";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CHANGE_SETS, type Claim } from "../src/index.ts";
import { ALL_SAVERS, type Saver } from "./savers.ts";
import { commitValue, putValue } from "./steps.ts";
import { at, checkpoint, ids } from "./support/puts.ts";

describe.each(ALL_SAVERS)("$name as a checkpointer", (kind) => {
  let storage: ReturnType<typeof kind.open>;
  let saver: Saver;
  beforeEach(() => {
    storage = kind.open();
    saver = storage.saver;
  });
  afterEach(() => storage.close());

  it("stores all channels that a put without versions has, as LangGraph's MemorySaver does", async () => {
    const id = "1ef00000-0000-6000-8000-000000000001";
    const metadata = { source: "input", step: -1, parents: {} } as const;
    await saver.put(at(), checkpoint(id, { list: [1, 2], text: "a" }), metadata);
    expect((await saver.getTuple(at()))?.checkpoint.channel_values).toEqual({ list: [1, 2], text: "a" });
  });

  it("takes any strings as ids: two that differ in a lone surrogate or behind a NUL are two threads", async () => {
    const threads = [
      "\uD800",
      "\uD801",
      "a\0b",
      "a\0c",
      "a",
      '\u0001"a"',
      "'; DROP TABLE threads; --",
      "__proto__",
      "",
    ];
    const values = threads.map((_, i) => ({ "a\0\uD800": `${i}\0\uDFFF` }));
    for (const [i, thread] of threads.entries()) await putValue(saver, thread, thread || "empty", values[i]);
    for (const [i, thread] of threads.entries()) {
      const found = await saver.getTuple(at(thread || "empty", thread));
      expect(found?.checkpoint.channel_values).toEqual({ n: values[i] });
    }
    expect((await saver.listThreads()).map(({ threadId }) => threadId).sort()).toEqual([...threads].sort());
  });

  it("lists newest first, in pages, with before, limit and filter", async () => {
    const all = Array.from({ length: 150 }, (_, i) => `c${String(i).padStart(3, "0")}`);
    let parent: string | undefined;
    for (const [i, id] of all.entries()) {
      const metadata = {
        source: i % 2 === 0 ? ("loop" as const) : ("input" as const),
        step: i,
        parents: {},
        user: "eve",
      };
      await saver.put(at(parent), checkpoint(id, { n: i }, i), metadata, { n: i });
      parent = id;
    }
    const newest = all.toReversed();
    expect(await ids(saver, at())).toEqual(newest);
    expect(await ids(saver, at(), { limit: 3 })).toEqual(newest.slice(0, 3));
    expect(await ids(saver, at(), { limit: 0 })).toEqual([]);
    expect(await ids(saver, at(), { before: at("c100"), limit: 2 })).toEqual(["c099", "c098"]);
    expect(await ids(saver, at(), { filter: { source: "input" }, limit: 2 })).toEqual(["c149", "c147"]);
    expect(await ids(saver, at(), { filter: { source: "loop", step: 70, user: "eve" } })).toEqual(["c070"]);
    expect(await ids(saver, at("c042"))).toEqual(["c042"]);
    expect(await ids(saver, at(undefined, "other"))).toEqual([]);
    for (const [i, id] of [
      [0, "c000"],
      [77, "c077"],
      [149, "c149"],
    ] as const) {
      expect((await storage.reopen().getTuple(at(id)))?.checkpoint.channel_values).toEqual({ n: i });
    }
  });

  it("lists UUIDs and other ids of one thread in the order of their texts", async () => {
    const mixed = [
      "1f0c5b2e-0002-6d10-8123-000000000123",
      "1f0c5b2e-0002-6d10-8123-000000000124",
      "1f0c5b2e",
      "a",
      "fffffff0-0002-6d10-8123-000000000123",
      "FFFFFFF0-0002-6D10-8123-000000000123",
      "zz",
    ];
    for (const id of mixed) await putValue(saver, "t", id, id);
    const sorted = mixed.toSorted((a, b) => (a < b ? 1 : -1));
    expect(await ids(saver, at())).toEqual(sorted);
    for (const [i, id] of sorted.entries()) {
      expect(await ids(saver, at(), { before: at(id) })).toEqual(sorted.slice(i + 1));
      expect((await storage.reopen().getTuple(at(id)))?.checkpoint.channel_values).toEqual({ n: id });
    }
    expect((await saver.getTuple(at()))?.checkpoint.id).toBe("zz");
  });

  it("a filter with undefined finds checkpoints without that key, as in LangGraph's memory", async () => {
    const named = { source: "loop", step: 2, parents: {}, user: "eve" } as const;
    await putValue(saver, "t", "1", 1);
    await saver.put(at("1"), checkpoint("2", { n: 2 }, 2), named, { n: 2 });
    expect(await ids(saver, at(), { filter: { user: undefined } })).toEqual(["1"]);
    expect(await ids(saver, at(), { filter: { other: undefined } })).toEqual(["2", "1"]);
    expect(await ids(saver, at(), { filter: { other: undefined, user: "eve" } })).toEqual(["2"]);
    expect(await ids(saver, at(), { filter: { constructor: undefined } })).toEqual(["2", "1"]);
    expect(await ids(saver, at(), { filter: { source: undefined } })).toEqual([]);
    expect(await ids(saver, at(), { filter: { user: null } })).toEqual([]);
  });

  it("takes filters, ids and names as data, whatever they hold", async () => {
    await putValue(saver, "t", "1", 1);
    for (const filter of [
      { "source' OR '1'='1": "x" },
      { source: "update' OR '1'='1" },
      { __proto__: null, constructor: "x" },
      JSON.parse('{"__proto__": {"source": "update"}}') as Record<string, unknown>,
      { toString: Object.prototype.toString },
    ]) {
      expect(await ids(saver, at(), { filter })).toEqual([]);
    }
    expect(await ids(saver, at(undefined, "t' OR '1'='1"))).toEqual([]);
    expect(await ids(saver, at(), { before: at("1' OR '1'='1") })).toEqual(["1"]);
  });

  it("keeps channels and nodes that are called like parts of an object", async () => {
    const values = JSON.parse('{"__proto__": {"a": 1}, "constructor": [1], "hasOwnProperty": "x"}') as Record<
      string,
      unknown
    >;
    const seen = JSON.parse('{"__proto__": {"__proto__": 2, "toString": 1}}') as Checkpoint["versions_seen"];
    const versions = { ...checkpoint("1", values).channel_versions };
    await saver.put(
      at(),
      { ...checkpoint("1", values), versions_seen: seen },
      { source: "input", step: 0, parents: {} },
      versions,
    );
    const back = (await storage.reopen().getTuple(at()))?.checkpoint;
    expect(JSON.stringify(back?.channel_values)).toBe(JSON.stringify(values));
    expect(JSON.stringify(back?.versions_seen)).toBe(JSON.stringify(seen));
    expect(({} as { a?: unknown }).a).toBeUndefined();
  });

  it("keeps the first regular writes of a task and the last special ones", async () => {
    await putValue(saver, "t", "1", 1);
    await saver.putWrites(
      at("1"),
      [
        ["a", 1],
        ["b", 2],
      ],
      "task",
    );
    await saver.putWrites(
      at("1"),
      [
        ["a", "late"],
        ["b", "late"],
        ["c", 3],
      ],
      "task",
    );
    await saver.putWrites(at("1"), [["__error__", "first"]], "task");
    await saver.putWrites(at("1"), [["__error__", "second"]], "task");
    expect((await storage.reopen().getTuple(at("1")))?.pendingWrites).toEqual([
      ["task", "__error__", "second"],
      ["task", "a", 1],
      ["task", "b", 2],
      ["task", "c", 3],
    ]);
  });

  it("adds no regular write again that was put among special ones", async () => {
    await putValue(saver, "t", "1", 1);
    const writes: PendingWrite[] = [
      ["__error__", "first"],
      ["a", 1],
      ["b", 2],
    ];
    for (const put of [writes, writes, [...writes, ["c", 3] as PendingWrite]])
      await saver.putWrites(at("1"), put, "task");
    expect((await storage.reopen().getTuple(at("1")))?.pendingWrites).toEqual([
      ["task", "__error__", "first"],
      ["task", "a", 1],
      ["task", "b", 2],
      ["task", "c", 3],
    ]);
  });

  it("gives back what each node has seen as it was put, also where a node of the parent is missing", async () => {
    const seen = [{ a: { n: 1 }, b: { n: 1, "branch:to:b": 2 } }, { b: { n: 2 } }, {}, { a: { n: 3 } }];
    for (const [i, versions] of seen.entries()) {
      const parent = i === 0 ? {} : { checkpoint_id: String(i) };
      await saver.put(
        { configurable: { thread_id: "t", checkpoint_ns: "", ...parent } },
        { ...checkpoint(String(i + 1), {}), versions_seen: versions },
        { source: "loop", step: i, parents: {} },
        {},
      );
    }
    for (const [i, versions] of seen.entries()) {
      for (const one of [saver, storage.reopen()])
        expect((await one.getTuple(at(String(i + 1))))?.checkpoint.versions_seen).toEqual(versions);
    }
  });

  it("keeps the id of a parent that is not stored", async () => {
    await saver.put(
      at("elsewhere"),
      checkpoint("2", { n: 1 }),
      { source: "fork", step: 0, parents: {} },
      { n: 1 },
    );
    expect((await storage.reopen().getTuple(at()))?.parentConfig).toEqual(at("elsewhere"));
  });

  it("does not move the latest checkpoint back when an older one is put", async () => {
    await putValue(saver, "t", "5", 5);
    await putValue(saver, "t", "3", 3);
    expect((await saver.getTuple(at()))?.checkpoint.id).toBe("5");
    expect((await storage.reopen().getTuple(at("3")))?.checkpoint.channel_values).toEqual({ n: 3 });
  });

  it("deletes a thread with everything in it, and no other; a run on it can write no more", async () => {
    await putValue(saver, "keep", "1", "x".repeat(1000));
    const opened = await saver[CHANGE_SETS].open({ threadId: "t", namespace: "" }, { claim: "fail" });
    await commitValue(saver, opened.claim as Claim, "1", undefined, "secret".repeat(100));
    await saver.deleteThread("t");
    await saver.deleteThread("never was");
    expect(await saver.getTuple(at())).toBeUndefined();
    expect(await saver.storageReport("t")).toBeUndefined();
    await expect(async () => commitValue(saver, opened.claim as Claim, "2", "1")).rejects.toThrow(
      expect.objectContaining({ code: "THREAD_CONFLICT" }),
    );
    await putValue(saver, "t", "1", "new");
    expect((await storage.reopen().getTuple(at()))?.checkpoint.channel_values).toEqual({ n: "new" });
    expect((await saver.getTuple(at(undefined, "keep")))?.checkpoint.id).toBe("1");
  });

  it("lists threads, the last changed first, page by page", async () => {
    // a thread is as young as its creation, whatever times its checkpoints have
    const year = new Date().getFullYear() + 1;
    for (const [i, thread] of ["a", "b", "c", "d"].entries()) {
      await saver.put(
        at(undefined, thread),
        checkpoint("1", { n: 1 }, i, year),
        { source: "input", step: 0, parents: {} },
        { n: 1 },
      );
    }
    await saver.put(
      at("1", "a"),
      checkpoint("2", { n: 2 }, 9, year),
      { source: "loop", step: 0, parents: {} },
      { n: 2 },
    );
    const first = await saver.listThreads({ limit: 3 });
    expect(first.map(({ threadId, checkpoints, headId }) => [threadId, checkpoints, headId])).toEqual([
      ["a", 2, "2"],
      ["d", 1, "1"],
      ["c", 1, "1"],
    ]);
    const last = first.at(-1);
    expect(
      (await saver.listThreads({ limit: 3, ...(last && { before: last }) })).map(({ threadId }) => threadId),
    ).toEqual(["b"]);
    expect(first[0]).toMatchObject({ updatedAt: `${year}-01-01T00:00:09.000Z` });
    const createdAt = first[0]?.createdAt ?? "";
    expect(createdAt).toBe(new Date(createdAt).toISOString());
    expect(Math.abs(Date.now() - Date.parse(createdAt))).toBeLessThan(60_000);
  });

  it("stores a value of 20 MB and names the path of one it cannot store", async () => {
    const large = "x".repeat(20_000_000);
    await putValue(saver, "t", "1", large);
    expect((await storage.reopen().getTuple(at()))?.checkpoint.channel_values["n"]).toBe(large);
    await expect(putValue(saver, "t", "2", { a: [() => 1] })).rejects.toThrow(/"a\[0\]" holds a function/);
    expect((await saver.getTuple(at()))?.checkpoint.id).toBe("1");
  });
});
