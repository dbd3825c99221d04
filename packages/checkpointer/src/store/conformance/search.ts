import assert from "node:assert/strict";
import type { BaseStore } from "@langchain/langgraph-checkpoint";
import type { StoreSpec } from "./types.ts";

type Filter = Record<string, unknown>;

/** Keys of what a search finds, in its order. */
async function found(store: BaseStore, prefix: string[], options: object = {}): Promise<string[]> {
  return (await store.search(prefix, { limit: 100, ...options })).map(({ key }) => key);
}

async function fill(store: BaseStore, values: Record<string, Record<string, unknown>>): Promise<void> {
  for (const [key, value] of Object.entries(values)) await store.put(["f"], key, value);
}

/** Each filter with what it has to find, sorted. */
async function check(store: BaseStore, cases: readonly [Filter, ...string[]][]): Promise<void> {
  for (const [filter, ...wanted] of cases) {
    const keys = await found(store, ["f"], { filter });
    assert.deepEqual(keys.sort(), wanted, `filter ${JSON.stringify(filter)}`);
  }
}

const group = "search";

export const searchSpecs: readonly StoreSpec[] = [
  {
    group,
    name: "a prefix is whole parts of a namespace",
    async test(store) {
      for (const namespace of [["a"], ["a", "b"], ["a", "b", "c"], ["ab"], ["a b"], ["b", "a"], ["A"]]) {
        await store.put(namespace, namespace.join("-"), {});
      }
      assert.deepEqual(await found(store, ["a"]), ["a", "a-b", "a-b-c"]);
      assert.deepEqual(await found(store, ["a", "b"]), ["a-b", "a-b-c"]);
      assert.deepEqual(await found(store, [""]), []);
      assert.deepEqual(await found(store, ["%"]), []);
      assert.deepEqual(await found(store, ["_"]), []);
      assert.equal((await found(store, [])).length, 7);
    },
  },
  {
    group,
    name: "fields that equal something",
    async test(store) {
      await fill(store, {
        red: { color: "red", n: 1, ok: true },
        blue: { color: "blue", n: 2, ok: false },
        none: { color: null },
        empty: {},
      });
      await check(store, [
        [{ color: "red" }, "red"],
        [{ n: 2 }, "blue"],
        [{ n: "2" }],
        [{ ok: true }, "red"],
        [{ ok: 1 }],
        [{ color: null }, "none"],
        [{ color: "red", n: 2 }],
        [{}, "blue", "empty", "none", "red"],
      ]);
    },
  },
  {
    group,
    name: "operators compare numbers",
    async test(store) {
      await fill(store, { one: { n: 1 }, two: { n: 2 }, three: { n: 3 }, text: { n: "many" }, none: {} });
      await check(store, [
        [{ n: { $gt: 1 } }, "three", "two"],
        [{ n: { $gte: 2 } }, "three", "two"],
        [{ n: { $lt: 2 } }, "one"],
        [{ n: { $lte: 2 } }, "one", "two"],
        [{ n: { $gt: 1, $lt: 3 } }, "two"],
        [{ n: { $eq: 2 } }, "two"],
        [{ n: { $ne: 2 } }, "none", "one", "text", "three"],
        [{ n: { $in: [1, "many"] } }, "one", "text"],
        [{ n: { $nin: [1, 2, 3] } }, "none", "text"],
      ]);
    },
  },
  {
    group,
    name: "operators compare texts and dates that are texts",
    async test(store) {
      await fill(store, {
        may: { day: "2026-05-01" },
        june: { day: "2026-06-01" },
        zero: { day: 0 },
        null: { day: null },
      });
      await check(store, [
        [{ day: { $gte: "2026-05-15" } }, "june"],
        [{ day: { $lt: "2026-05-15" } }, "may"],
        [{ day: { $gte: 0 } }, "zero"],
      ]);
    },
  },
  {
    group,
    name: "lists and objects equal what looks like them",
    async test(store) {
      await fill(store, { a: { tags: ["x", "y"], at: { x: 1 } }, b: { tags: ["y", "x"], at: {} } });
      await check(store, [
        [{ tags: ["x", "y"] }, "a"],
        [{ at: { x: 1 } }, "a"],
        [{ at: {} }, "b"],
        [{ tags: { $in: [["y", "x"]] } }, "b"],
      ]);
    },
  },
  {
    group,
    name: "$exists tells what has a field",
    async test(store) {
      await fill(store, { with: { n: null }, without: { m: 1 } });
      await check(store, [
        [{ n: { $exists: true } }, "with"],
        [{ n: { $exists: false } }, "without"],
      ]);
    },
  },
  {
    group,
    name: "names and values of a filter are data",
    async test(store) {
      const quote = `' OR '1'='1`;
      const field = `a.b'"]) OR 1=1 --`;
      await fill(store, {
        plain: { name: "x", a: { b: "y" } },
        odd: { name: quote, [field]: quote, "a.b": "y" },
      });
      await check(store, [
        [{ name: quote }, "odd"],
        [{ [field]: quote }, "odd"],
        [{ [field]: "x" }],
        [{ name: "%" }],
        [{ name: "_" }],
        [{ "a.b": "y" }, "odd"],
        [{ name: "\0" }],
        [{ "\0": "\0", "\ud800": "\ud800" }],
      ]);
    },
  },
  {
    group,
    name: "long and awkward texts in filters match as a whole",
    async test(store) {
      const long = "y".repeat(5000);
      await fill(store, {
        a: { t: `${long}a` },
        b: { t: `${long}b` },
        nul: { t: "n\0" },
        half: { t: "n\ud800" },
      });
      await check(store, [
        [{ t: `${long}a` }, "a"],
        [{ t: "n\0" }, "nul"],
        [{ t: "n\ud800" }, "half"],
        [{ t: "n\ufffd" }],
      ]);
    },
  },
  {
    group,
    name: "a filter sees a value's own fields only",
    async test(store) {
      await fill(store, { a: { n: 1 } });
      await check(store, [
        [{ constructor: { $ne: undefined } }],
        [{ toString: { $exists: true } }],
        [JSON.parse('{"__proto__": {"$exists": true}}') as Filter],
      ]);
    },
  },
  {
    group,
    name: "an operator that does not exist is an error",
    async test(store) {
      await fill(store, { a: { n: 1 } });
      await assert.rejects(async () => store.search(["f"], { filter: { n: { $greater: 0 } } }));
    },
  },
  {
    group,
    name: "ten items unless told, in the order in which they came to be",
    async test(store) {
      for (let i = 0; i < 12; i += 1) await store.put(["f"], String(i), { i });
      await store.put(["f"], "0", { i: "again" });
      const keys = (await store.search(["f"])).map(({ key }) => key);
      assert.deepEqual(keys, ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"]);
    },
  },
  {
    group,
    name: "items of one batch stand in its order",
    async test(store) {
      const keys = Array.from({ length: 12 }, (_, i) => String(i));
      await store.batch(keys.map((key) => ({ namespace: ["f"], key, value: { n: 1 } })));
      assert.deepEqual(await found(store, ["f"]), keys);
    },
  },
  {
    group,
    name: "pages hold every item once, also while items are put again",
    async test(store) {
      for (let i = 0; i < 10; i += 1) await store.put(["f", String(i % 3)], String(i), { i });
      const seen: string[] = [];
      for (let offset = 0; offset < 12; offset += 3) {
        seen.push(...(await store.search(["f"], { limit: 3, offset })).map(({ key }) => key));
        await store.put(["f", "0"], "0", { offset });
      }
      assert.deepEqual(seen.sort(), ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"]);
      assert.deepEqual(await store.search(["f"], { offset: 10 }), []);
      assert.deepEqual(await store.search(["f"], { limit: 0 }), []);
    },
  },
  {
    group,
    name: "a page is full when enough items pass the filter",
    async test(store) {
      for (let i = 0; i < 100; i += 1) await store.put(["f"], String(i), { i });
      const filter = { i: { $gte: 90 } };
      const page = await store.search(["f"], { filter, limit: 4, offset: 3 });
      assert.deepEqual(
        page.map(({ value }) => value["i"]),
        [93, 94, 95, 96],
      );
    },
  },
  {
    group,
    name: "a limit or offset that is no count is an error",
    async test(store) {
      await store.put(["f"], "k", {});
      const most = Number.MAX_SAFE_INTEGER;
      assert.equal((await store.search(["f"], { limit: most })).length, 1);
      assert.deepEqual(await store.search(["f"], { offset: most, limit: most }), []);
      for (const options of [{ limit: -1 }, { limit: 1.5 }, { offset: -1 }, { limit: Number.NaN }]) {
        await assert.rejects(async () => store.search(["f"], options));
      }
    },
  },
];
