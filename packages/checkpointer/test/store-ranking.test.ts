import type { BaseStore } from "@langchain/langgraph-checkpoint";
import * as fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import { openStore, storeKinds } from "./support/three-stores.ts";

const opened: BaseStore[] = [];
const open: typeof openStore = async (...given) => {
  const store = await openStore(...given);
  opened.push(store);
  return store;
};
afterEach(async () => {
  for (const store of opened.splice(0)) await store.stop();
});

type Ranking = readonly (readonly [key: string, score: number | undefined])[];

async function ranking(store: BaseStore, namespace: string[], options: object): Promise<Ranking> {
  const items = await store.search(namespace, { limit: 100, ...options });
  return items.map(({ key, score }) => [key, score]);
}

const word = fc.constantFrom(
  "the",
  "sea",
  "tea",
  "a",
  "aa",
  "東",
  "東京",
  "京都",
  "東京都",
  "ああああ",
  "ああ",
);
const text = fc.array(word, { maxLength: 12 }).map((words) => words.join(" "));

interface Put {
  readonly namespace: string[];
  readonly key: string;
  readonly value: { readonly text: string; readonly n: number };
}

const item: fc.Arbitrary<Put> = fc.record({
  namespace: fc.constantFrom(["m"], ["m", "n"], ["o"]),
  key: fc.constantFrom(..."abcdefghij"),
  value: fc.record({ text, n: fc.nat(2) }),
});

/** Makes a store hold these items only. */
async function fill(store: BaseStore, items: readonly Put[]): Promise<void> {
  const old = await store.search([], { limit: 1000 });
  await store.batch(old.map(({ namespace, key }) => ({ namespace, key, value: null })));
  for (const { namespace, key, value } of items) await store.put(namespace, key, value);
}

describe("a search for words", () => {
  it("gives the same order and the same scores in the three stores", async () => {
    const [memory, ...others] = await Promise.all(storeKinds.map((kind) => open(kind)));
    await fc.assert(
      fc.asyncProperty(
        fc.array(item, { maxLength: 20 }),
        fc.array(text, { maxLength: 6 }),
        async (items, queries) => {
          for (const store of [memory, ...others]) await fill(store as BaseStore, items);
          for (const query of queries) {
            for (const namespace of [[], ["m"]]) {
              for (const options of [{ query }, { query, filter: { n: 1 }, limit: 2 }]) {
                const wanted = await ranking(memory as BaseStore, namespace, options);
                for (const store of others) expect(await ranking(store, namespace, options)).toEqual(wanted);
              }
            }
          }
        },
      ),
      { numRuns: 12, seed: 7 },
    );
  });

  it.each(storeKinds)("is not ranked by what has ended (%s)", async (kind) => {
    let now = 1e12;
    const store = await open(kind, { now: () => now, ttl: { refreshOnRead: false } });
    for (const [key, said] of [
      ["sea", "I know the sea"],
      ["rent", "I know the rent"],
      ["tea", "matcha"],
    ] as const)
      await store.put(["m"], key, { said });
    const before = await ranking(store, ["m"], { query: "know matcha" });
    await store.batch(
      Array.from({ length: 20 }, (_, i) => ({
        namespace: ["m"],
        key: `${i}`,
        value: { said: "matcha" },
        ttl: 1,
      })),
    );
    expect(await ranking(store, ["m"], { query: "know matcha" })).not.toEqual(before);
    now += 60_000;
    expect(await ranking(store, ["m"], { query: "know matcha" })).toEqual(before);
  });

  it.each(storeKinds)(
    "finds the last word of a long text, and the old ones no more when it is put again (%s)",
    async (kind) => {
      const store = await open(kind);
      const words = Array.from({ length: 60_000 }, (_, i) => `word${i}`);
      await store.put(["m"], "long", { text: words.join(" ") });
      await store.put(["m"], "short", { text: "word59999" });
      const found = async (query: string) => (await ranking(store, ["m"], { query })).map(([key]) => key);
      expect(await found("word59999")).toEqual(["short", "long"]);
      expect(await found("word3")).toEqual(["long"]);
      await store.put(["m"], "long", { text: "brief" });
      expect(await found("word59999 word3")).toEqual(["short"]);
    },
  );
});
