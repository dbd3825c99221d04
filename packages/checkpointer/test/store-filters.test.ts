import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { BaseStore } from "@langchain/langgraph-checkpoint";
import { openStore, storeKinds } from "./support/three-stores.ts";

const big = 2n ** 64n;

describe.each(storeKinds)("filters compare what is in a value (%s)", (kind) => {
  let store: BaseStore;
  beforeAll(async () => {
    store = await openStore(kind);
  });
  afterAll(async () => {
    await store.stop();
  });

  const finds = async (stored: unknown, wanted: unknown): Promise<boolean> => {
    await store.put(["a"], "k", { it: stored });
    return (await store.search(["a"], { filter: { it: wanted } })).length === 1;
  };

  it.each<[string, () => unknown, unknown]>([
    ["URLs", () => new URL("http://a/"), new URL("http://b/")],
    ["RegExps", () => /a/g, /a/],
    ["errors", () => new Error("a"), new Error("b")],
    ["errors of different classes", () => new TypeError("a"), new Error("a")],
    ["bytes", () => Uint8Array.of(1, 2), Uint8Array.of(1, 3)],
    ["bytes and a list", () => Uint8Array.of(1, 2), [1, 2]],
    ["dates", () => new Date(1), new Date(2)],
    ["a date and an object", () => new Date(1), {}],
    ["dates that are none", () => new Date(Number.NaN), new Date(0)],
    ["messages", () => new HumanMessage({ id: "1", content: "a" }), new AIMessage({ id: "1", content: "a" })],
    ["sets of objects", () => new Set([{ q: 1 }, { q: 2 }]), new Set([{ q: 1 }, { q: 1 }])],
    ["maps by keys that are objects", () => new Map([[{ q: 1 }, 1]]), new Map([[{ q: 2 }, 1]])],
    ["a map and a set", () => new Map([[1, 1]]), new Set([[1, 1]])],
    ["NaN and null", () => Number.NaN, null],
    ["what lies in lists", () => [new URL("http://a/")], [new URL("http://b/")]],
  ])("%s", async (_, make, other) => {
    expect(await finds(make(), make())).toBe(true);
    expect(await finds(make(), { $eq: make() })).toBe(true);
    expect(await finds(make(), { $in: [other, make()] })).toBe(true);
    expect(await finds(make(), { $ne: other })).toBe(true);
    expect(await finds(make(), other)).toBe(false);
    expect(await finds(make(), { $ne: make() })).toBe(false);
  });

  it("sets and maps in any order, and what cannot be stored equals nothing", async () => {
    expect(await finds(new Set([{ q: 1 }, { q: 2 }]), new Set([{ q: 2 }, { q: 1 }]))).toBe(true);
    expect(await finds({ q: 1 }, new WeakMap())).toBe(false);
    expect(await finds({}, Promise.resolve())).toBe(false);
  });

  it("BigInts exactly, also beside numbers", async () => {
    expect(await finds(big + 1n, { $gt: big })).toBe(true);
    expect(await finds(big + 1n, { $lte: big })).toBe(false);
    expect(await finds(big + 1n, { $gt: 2 ** 64, $lt: 2 ** 65 })).toBe(true);
    expect(await finds(3, { $gte: 3n, $lt: 4n })).toBe(true);
  });
});
