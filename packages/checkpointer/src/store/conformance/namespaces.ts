import assert from "node:assert/strict";
import type { BaseStore } from "@langchain/langgraph-checkpoint";
import { AWKWARD } from "./items.ts";
import type { StoreSpec } from "./types.ts";

async function fill(store: BaseStore, ...namespaces: string[][]): Promise<void> {
  for (const namespace of namespaces) await store.put(namespace, "k", {});
}

const group = "namespaces";

export const namespaceSpecs: readonly StoreSpec[] = [
  {
    group,
    name: "lists each namespace with items once, in order",
    async test(store) {
      await fill(store, ["b"], ["a", "c"], ["a"], ["a", "b"]);
      await store.put(["a"], "second", {});
      assert.deepEqual(await store.listNamespaces(), [["a"], ["a", "b"], ["a", "c"], ["b"]]);
    },
  },
  {
    group,
    name: "a namespace whose items are gone is gone",
    async test(store) {
      await fill(store, ["a"], ["b"]);
      await store.delete(["a"], "k");
      assert.deepEqual(await store.listNamespaces(), [["b"]]);
    },
  },
  {
    group,
    name: "prefix, suffix and wildcards match whole parts",
    async test(store) {
      await fill(store, ["a", "x", "v1"], ["a", "y", "v1"], ["a", "y", "v2"], ["ab", "x", "v1"], ["v1"]);
      const list = async (options: object) =>
        (await store.listNamespaces(options)).map((parts) => parts.join("/"));
      assert.deepEqual(await list({ prefix: ["a"] }), ["a/x/v1", "a/y/v1", "a/y/v2"]);
      assert.deepEqual(await list({ prefix: ["a", "*", "v1"] }), ["a/x/v1", "a/y/v1"]);
      assert.deepEqual(await list({ prefix: ["*", "x"] }), ["a/x/v1", "ab/x/v1"]);
      assert.deepEqual(await list({ suffix: ["v1"] }), ["a/x/v1", "a/y/v1", "ab/x/v1", "v1"]);
      assert.deepEqual(await list({ suffix: ["y", "*"] }), ["a/y/v1", "a/y/v2"]);
      assert.deepEqual(await list({ prefix: ["a"], suffix: ["v2"] }), ["a/y/v2"]);
      assert.deepEqual(await list({ prefix: ["a", "x", "v1", "more"] }), []);
    },
  },
  {
    group,
    name: "maxDepth cuts, and what became one is listed once",
    async test(store) {
      await fill(store, ["a", "b", "c"], ["a", "b", "d"], ["a", "e"], ["f"]);
      assert.deepEqual(await store.listNamespaces({ maxDepth: 2 }), [["a", "b"], ["a", "e"], ["f"]]);
      assert.deepEqual(await store.listNamespaces({ maxDepth: 1 }), [["a"], ["f"]]);
    },
  },
  {
    group,
    name: "pages come after matching and cutting",
    async test(store) {
      await fill(store, ["a", "1"], ["a", "2"], ["b", "1"], ["c", "1"], ["d"]);
      assert.deepEqual(await store.listNamespaces({ maxDepth: 1, limit: 2 }), [["a"], ["b"]]);
      assert.deepEqual(await store.listNamespaces({ maxDepth: 1, limit: 2, offset: 2 }), [["c"], ["d"]]);
      assert.deepEqual(await store.listNamespaces({ offset: 9 }), []);
    },
  },
  {
    group,
    name: "a hundred unless told",
    async test(store) {
      for (let i = 0; i < 101; i += 1) await store.put(["n", String(i)], "k", {});
      assert.equal((await store.listNamespaces()).length, 100);
    },
  },
  {
    group,
    name: "awkward parts come back as they were",
    async test(store) {
      for (const part of AWKWARD) await store.put(["n", part, "end"], "k", {});
      const listed = (await store.listNamespaces({ prefix: ["n"], suffix: ["end"] })).map(([, part]) => part);
      assert.deepEqual(listed.sort(), AWKWARD.toSorted());
      for (const part of AWKWARD.filter((each) => each !== "*")) {
        assert.deepEqual(await store.listNamespaces({ prefix: ["n", part] }), [["n", part, "end"]]);
      }
    },
  },
];
