import assert from "node:assert/strict";
import type { BaseStore } from "@langchain/langgraph-checkpoint";
import type { StoreSpec } from "./types.ts";

/** Texts that storages confuse, cut, or take for something else. */
export const AWKWARD = [
  "",
  " ",
  "a.b",
  "a:b",
  "a/b",
  "a\0b",
  "\0",
  "%",
  "_",
  "*",
  "'; DROP TABLE store; --",
  '"',
  "\\",
  "\n",
  "\u0001",
  "\ud800",
  "\udc00",
  "\ufffd",
  "日本",
  "😀",
  "é",
  "e\u0301",
  "__proto__",
  "constructor",
  "x".repeat(2000),
];

const keys = (items: readonly { readonly key: string }[]): string[] => items.map(({ key }) => key).sort();

/** What is there to see of a store. */
async function contents(store: BaseStore): Promise<Record<string, unknown>> {
  const items = await store.search([], { limit: 1000 });
  return Object.fromEntries(
    items.map(({ namespace, key, value }) => [JSON.stringify([namespace, key]), value]),
  );
}

const group = "items";

export const itemSpecs: readonly StoreSpec[] = [
  {
    group,
    name: "gives back what was put, and null for what was not",
    async test(store) {
      const value = { text: "hello", n: 1.5, yes: true, no: null, list: [1, [2]], deep: { er: {} } };
      await store.put(["a", "b"], "k", value);
      const item = await store.get(["a", "b"], "k");
      assert.deepEqual(item?.value, value);
      assert.deepEqual([item?.namespace, item?.key], [["a", "b"], "k"]);
      assert.ok(item?.createdAt instanceof Date && item.updatedAt instanceof Date);
      assert.equal(await store.get(["a", "b"], "other"), null);
      assert.equal(await store.get(["a"], "k"), null);
      assert.equal(await store.get(["a", "b", "c"], "k"), null);
    },
  },
  {
    group,
    name: "a second put replaces the value and keeps when the item came to be",
    async test(store) {
      await store.put(["a"], "k", { old: 1 });
      const before = await store.get(["a"], "k");
      const created = before?.createdAt.getTime() as number;
      while (Date.now() <= created) await new Promise((resolve) => setImmediate(resolve));
      await store.put(["a"], "k", { new: 2 });
      const after = await store.get(["a"], "k");
      assert.deepEqual(after?.value, { new: 2 });
      assert.equal(after?.createdAt.getTime(), created);
      assert.ok((after?.updatedAt.getTime() as number) > created);
    },
  },
  {
    group,
    name: "delete removes one item, and a null value does, too",
    async test(store) {
      for (const key of ["1", "2", "3"]) await store.put(["a"], key, { key });
      await store.delete(["a"], "1");
      await store.batch([{ namespace: ["a"], key: "2", value: null }]);
      await store.delete(["a"], "never there");
      await store.delete(["never there"], "1");
      assert.equal(await store.get(["a"], "1"), null);
      assert.deepEqual(keys(await store.search(["a"])), ["3"]);
    },
  },
  {
    group,
    name: "an item that was deleted and is put again is a new one",
    async test(store) {
      await store.put(["a"], "1", { n: 1 });
      await store.put(["a"], "2", { n: 2 });
      await store.delete(["a"], "1");
      await store.put(["a"], "1", { n: 3 });
      assert.deepEqual(
        (await store.search(["a"])).map(({ value }) => value["n"]),
        [2, 3],
      );
    },
  },
  {
    group,
    name: "any text is a key",
    async test(store) {
      for (const [i, key] of AWKWARD.entries()) await store.put(["a"], key, { i });
      for (const [i, key] of AWKWARD.entries()) {
        const item = await store.get(["a"], key);
        assert.deepEqual([item?.key, item?.value], [key, { i }]);
      }
      const found = await store.search(["a"], { limit: 100 });
      assert.deepEqual(
        found.map(({ key }) => key),
        AWKWARD,
      );
    },
  },
  {
    group,
    name: "any text is a part of a namespace",
    async test(store) {
      for (const [i, part] of AWKWARD.entries()) await store.put(["n", part], "k", { i });
      for (const [i, part] of AWKWARD.entries()) {
        const found = await store.search(["n", part]);
        assert.deepEqual(
          found.map(({ namespace, value }) => [namespace, value]),
          [[["n", part], { i }]],
        );
        assert.deepEqual((await store.get(["n", part], "k"))?.namespace, ["n", part]);
      }
    },
  },
  {
    group,
    name: "namespaces are lists, not texts joined by something",
    async test(store) {
      const namespaces = [
        ["a", "b"],
        ["a:b"],
        ["a.b"],
        ["a/b"],
        ["a\0b"],
        ["a", "", "b"],
        ["a", "b", ""],
        ["", "a", "b"],
      ];
      for (const [i, namespace] of namespaces.entries()) await store.put(namespace, "k", { i });
      for (const [i, namespace] of namespaces.entries()) {
        assert.deepEqual((await store.get(namespace, "k"))?.value, { i });
      }
      await store.delete(["a:b"], "k");
      assert.equal(Object.keys(await contents(store)).length, namespaces.length - 1);
    },
  },
  {
    group,
    name: "values are copies, when they go in and when they come out",
    async test(store) {
      const value = { list: [1], inner: { n: 1 } };
      const put = store.put(["a"], "k", value);
      value.list.push(2);
      await put;
      value.inner.n = 2;
      for (const item of [await store.get(["a"], "k"), ...(await store.search(["a"]))]) {
        const out = item?.value as typeof value;
        out.list.push(3);
        out.inner.n = 4;
      }
      assert.deepEqual((await store.get(["a"], "k"))?.value, { list: [1], inner: { n: 1 } });
    },
  },
  {
    group,
    name: "values hold awkward texts, names and sizes",
    async test(store) {
      const awkward: Record<string, unknown> = Object.fromEntries(AWKWARD.map((text) => [`.${text}`, text]));
      const value = { ...awkward, ...(JSON.parse('{"__proto__": {"polluted": 1}}') as object) };
      Object.defineProperty(value, "__proto__", {
        value: 1,
        enumerable: true,
        configurable: true,
        writable: true,
      });
      await store.put(["a"], "k", value);
      const back = (await store.get(["a"], "k"))?.value as Record<string, unknown>;
      assert.deepEqual(Object.entries(back).sort(), Object.entries(value).sort());
      assert.equal(({} as Record<string, unknown>)["polluted"], undefined);
      const long = { text: "ä".repeat(500_000) };
      await store.put(["a"], "long", long);
      assert.deepEqual((await store.get(["a"], "long"))?.value, long);
    },
  },
  {
    group,
    name: "refuses what is no item, and stores nothing of it",
    async test(store) {
      const bad: [unknown, unknown, unknown][] = [
        [[], "k", {}],
        [["a", 1], "k", {}],
        ["a", "k", {}],
        [["a"], 1, {}],
        [["a"], "k", "text"],
        [["a"], "k", [1]],
        [["a"], "k", undefined],
        [["langgraph", "x"], "k", {}],
      ];
      for (const [namespace, key, value] of bad) {
        await assert.rejects(async () => store.put(namespace as string[], key as string, value as object));
      }
      assert.deepEqual(await contents(store), {});
    },
  },
  {
    group: "batches",
    name: "results stand in the order of the operations",
    async test(store) {
      await store.put(["a"], "k", { n: 1 });
      const results: unknown[] = await store.batch([
        { namespacePrefix: ["a"], limit: 5, offset: 0 },
        { namespace: ["a"], key: "k" },
        { namespace: ["a"], key: "new", value: { n: 2 } },
        { namespace: ["a"], key: "none" },
        { matchConditions: [{ matchType: "prefix", path: ["a"] }], limit: 5, offset: 0 },
      ]);
      assert.equal(results.length, 5);
      assert.deepEqual(keys(results[0] as { key: string }[]), ["k"]);
      assert.deepEqual((results[1] as { value: unknown }).value, { n: 1 });
      assert.equal(results[3], null);
      assert.deepEqual(results[4], [["a"]]);
      assert.deepEqual((await store.get(["a"], "new"))?.value, { n: 2 });
    },
  },
  {
    group: "batches",
    name: "reads see what was there before the batch; of several puts to one item the last counts",
    async test(store) {
      await store.put(["a"], "k", { n: 1 });
      const [, before] = await store.batch([
        { namespace: ["a"], key: "k", value: { n: 2 } },
        { namespace: ["a"], key: "k" },
        { namespace: ["a"], key: "k", value: { n: 3 } },
        { namespace: ["a"], key: "gone", value: { n: 4 } },
        { namespace: ["a"], key: "gone", value: null },
      ]);
      assert.deepEqual((before as { value: unknown } | null)?.value, { n: 1 });
      assert.deepEqual(await contents(store), { '[["a"],"k"]': { n: 3 } });
    },
  },
  {
    group: "batches",
    name: "one bad operation, and nothing of the batch is done",
    async test(store) {
      const good = { namespace: ["a"], key: "k", value: { n: 1 } };
      for (const bad of [{ namespace: ["a", 2], key: "k", value: {} }, { nonsense: true }, null]) {
        await assert.rejects(async () => store.batch([good, bad as never]));
      }
      assert.deepEqual(await contents(store), {});
      assert.deepEqual(await store.batch([]), []);
    },
  },
  {
    group: "writers at once",
    name: "none of many puts at once is lost",
    async test(store) {
      await Promise.all(
        Array.from({ length: 100 }, async (_, i) => store.put(["a", String(i % 7)], `${i}`, { i })),
      );
      assert.equal((await store.search(["a"], { limit: 1000 })).length, 100);
    },
  },
  {
    group: "writers at once",
    name: "puts to one item take effect in the order in which they were called",
    async test(store) {
      await Promise.all(Array.from({ length: 20 }, async (_, i) => store.put(["a"], "k", { i })));
      assert.deepEqual((await store.get(["a"], "k"))?.value, { i: 19 });
      assert.equal((await store.search(["a"])).length, 1);
    },
  },
];
