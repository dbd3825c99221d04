import assert from "node:assert/strict";
import { Embeddings } from "@langchain/core/embeddings";
import type { BaseStore } from "@langchain/langgraph-checkpoint";
import type { OpenOptions, StoreSpec } from "./types.ts";

/** Counts of a few words: near is what speaks of the same things. */
class CountingEmbeddings extends Embeddings {
  static readonly words = ["cat", "dog", "car"];

  constructor() {
    super({});
  }

  override async embedQuery(text: string): Promise<number[]> {
    return CountingEmbeddings.words.map((word) => text.toLowerCase().split(word).length - 1);
  }

  override async embedDocuments(texts: string[]): Promise<number[][]> {
    return Promise.all(texts.map(async (text) => this.embedQuery(text)));
  }
}

const indexed = (...fields: string[]): OpenOptions => ({
  index: { dims: 3, embeddings: new CountingEmbeddings(), ...(fields.length === 0 ? {} : { fields }) },
});

async function found(store: BaseStore, query: string, options: object = {}): Promise<string[]> {
  return (await store.search(["d"], { query, ...options })).map(({ key }) => key);
}

async function fill(store: BaseStore, texts: Record<string, string>): Promise<void> {
  for (const [key, text] of Object.entries(texts)) await store.put(["d"], key, { text });
}

const words = { group: "search for words", needs: "text" } as const;
const meaning = { group: "search by meaning" } as const;

export const findingSpecs: readonly StoreSpec[] = [
  {
    ...words,
    name: "finds what holds a word, and more of the words first",
    async test(store) {
      await fill(store, {
        one: "night boats to Malta",
        both: "night train to Berlin",
        other: "slow train to Vienna",
        none: "something else here",
        more: "and another one",
        last: "and yet another one",
      });
      assert.deepEqual((await found(store, "NIGHT train")).slice(0, 1), ["both"]);
      assert.deepEqual((await found(store, "NIGHT train")).sort(), ["both", "one", "other"]);
      assert.deepEqual(await found(store, "berlin?"), ["both"]);
      assert.deepEqual(await found(store, "nigh"), []);
      const items = await store.search(["d"], { query: "night" });
      assert.ok(items.every(({ score }) => typeof score === "number"));
    },
  },
  {
    ...words,
    name: "finds Chinese, Japanese and Korean, from two characters on",
    async test(store) {
      await fill(store, {
        ja: "東京都に住んでいます",
        zh: "我明天去北京",
        ko: "서울에서 부산까지",
        two: "東京と京都",
      });
      assert.deepEqual((await found(store, "東京")).sort(), ["ja", "two"]);
      assert.deepEqual(await found(store, "東京都"), ["ja"]);
      assert.deepEqual(await found(store, "北京"), ["zh"]);
      assert.deepEqual(await found(store, "부산"), ["ko"]);
      // a question in a language without spaces finds as one with them does
      assert.deepEqual((await found(store, "北京明天的天气怎么样")).slice(0, 1), ["zh"]);
    },
  },
  {
    ...words,
    name: "nothing of a query is an operator",
    async test(store) {
      await fill(store, { a: "say AND or NOT", b: "plain words" });
      const cases: [string, ...string[]][] = [
        ['"'],
        ["a' OR 1=1 --", "a"],
        ["plain* NEAR(", "b"],
        ["((("],
        ["NOT plain", "a", "b"],
        ["text:plain", "b"],
        ["\0"],
        ["\ud800"],
        ["-"],
      ];
      for (const [query, ...keys] of cases) assert.deepEqual((await found(store, query)).sort(), keys, query);
      assert.deepEqual(await found(store, "NOT"), ["a"]);
      assert.deepEqual(await found(store, "?!"), []);
      assert.equal((await found(store, "")).length, 2);
    },
  },
  {
    ...words,
    name: "a rare word counts more than several common ones",
    async test(store) {
      await fill(store, {
        sea: "What do I like about the sea",
        rent: "I know what I do about rent",
        time: "do you know what the time is about now",
        work: "what I know about work I do",
        cars: "She asked what do I know about cars",
        kyoto: "matcha in Kyoto",
      });
      assert.equal((await found(store, "What do I know about matcha?"))[0], "kyoto");
    },
  },
  {
    ...words,
    name: "what other namespaces hold has no part in a ranking",
    async test(store) {
      await fill(store, { sea: "I know the sea", rent: "I know the rent", tea: "matcha" });
      const ranking = async () => {
        const items = await store.search(["d"], { query: "know matcha" });
        return items.map(({ key, score }) => [key, score]);
      };
      const before = await ranking();
      for (let i = 0; i < 20; i += 1) await store.put(["e"], `${i}`, { text: "matcha" });
      assert.deepEqual(await ranking(), before);
    },
  },
  {
    ...words,
    name: "an item is found by its present value, and by nothing once it is gone",
    async test(store) {
      await fill(store, { a: "first thought", b: "second thought" });
      await store.put(["d"], "a", { text: "changed" });
      await store.delete(["d"], "b");
      assert.deepEqual(await found(store, "thought"), []);
      assert.deepEqual(await found(store, "changed"), ["a"]);
    },
  },
  {
    ...words,
    name: "put says what an item is found by",
    async test(store) {
      const value = { title: "apples", body: "oranges", list: [{ t: "pears" }] };
      await store.put(["d"], "all", value);
      await store.put(["d"], "none", value, false);
      await store.put(["d"], "title", value, ["title"]);
      await store.put(["d"], "list", value, ["list[*].t"]);
      assert.deepEqual((await found(store, "apples")).sort(), ["all", "title"]);
      assert.deepEqual((await found(store, "oranges")).sort(), ["all"]);
      assert.deepEqual((await found(store, "pears")).sort(), ["all", "list"]);
    },
  },
  {
    ...words,
    name: "namespaces, filters and pages narrow what words find",
    async test(store) {
      for (let i = 0; i < 30; i += 1)
        await store.put(["d", i < 20 ? "x" : "y"], `${i}`, { text: "word", even: i % 2 === 0 });
      await store.put(["dd"], "near by", { text: "word" });
      assert.equal((await found(store, "word", { limit: 100 })).length, 30);
      const filter = { even: true };
      const pages = [
        await found(store, "word", { filter, limit: 8 }),
        await found(store, "word", { filter, limit: 8, offset: 8 }),
      ];
      assert.deepEqual(
        pages.map(({ length }) => length),
        [8, 7],
      );
      assert.equal(new Set(pages.flat()).size, 15);
      assert.equal((await store.search(["d", "y"], { query: "word", limit: 100 })).length, 10);
    },
  },
  {
    ...meaning,
    name: "the nearest comes first, with its cosine as score",
    options: indexed("text"),
    async test(store) {
      await fill(store, { cats: "cat cat", mixed: "cat dog", cars: "car", dogs: "dog" });
      const items = await store.search(["d"], { query: "a cat" });
      assert.deepEqual(
        items.slice(0, 2).map(({ key }) => key),
        ["cats", "mixed"],
      );
      assert.ok(Math.abs((items[0]?.score ?? 0) - 1) < 1e-5);
      assert.ok(Math.abs((items[1]?.score ?? 0) - Math.SQRT1_2) < 1e-5);
      assert.equal(items.length, 4);
    },
  },
  {
    ...meaning,
    name: "an item counts by its nearest text",
    options: indexed("parts[*]", "title"),
    async test(store) {
      await store.put(["d"], "a", { title: "car", parts: ["dog", "cat"] });
      await store.put(["d"], "b", { title: "cat dog", parts: [] });
      const items = await store.search(["d"], { query: "cat" });
      assert.deepEqual(
        items.map(({ key }) => key),
        ["a", "b"],
      );
      assert.ok(Math.abs((items[0]?.score ?? 0) - 1) < 1e-5);
    },
  },
  {
    ...meaning,
    name: "items without a vector come last, without a score",
    options: indexed("text"),
    async test(store) {
      await store.put(["d"], "hidden", { text: "cat" }, false);
      await store.put(["d"], "car", { text: "car" });
      await store.put(["d"], "cat", { text: "cat" });
      const items = await store.search(["d"], { query: "cat" });
      assert.deepEqual(
        items.map(({ key }) => key),
        ["cat", "car", "hidden"],
      );
      assert.equal(items[2]?.score, undefined);
    },
  },
  {
    ...meaning,
    name: "pages of a ranking hold every item once",
    options: indexed("text"),
    async test(store) {
      for (let i = 0; i < 9; i += 1) {
        await store.put(
          ["d"],
          String(i),
          { text: "cat ".repeat(i + 1) + "dog" },
          i % 3 === 2 ? false : undefined,
        );
      }
      const whole = await found(store, "cat", { limit: 9 });
      const pages: string[] = [];
      for (let offset = 0; offset < 12; offset += 2)
        pages.push(...(await found(store, "cat", { limit: 2, offset })));
      assert.deepEqual(pages, whole);
      assert.equal(new Set(whole).size, 9);
    },
  },
  {
    ...meaning,
    name: "an item that is put again loses its old vectors, one that is deleted all",
    options: indexed("text", "more"),
    async test(store) {
      await store.put(["d"], "a", { text: "cat", more: "dog" });
      await store.put(["d"], "a", { text: "car" });
      await store.put(["d"], "b", { text: "cat" });
      await store.delete(["d"], "b");
      await store.put(["d"], "b", { text: "cat" }, false);
      const items = await store.search(["d"], { query: "cat" });
      assert.deepEqual(
        items.map(({ key, score }) => [key, score]),
        [
          ["a", 0],
          ["b", undefined],
        ],
      );
    },
  },
  {
    ...meaning,
    name: "filters narrow a ranking",
    options: indexed("text"),
    async test(store) {
      await store.put(["d"], "a", { text: "cat", ok: false });
      await store.put(["d"], "b", { text: "car cat", ok: true });
      await store.put(["d"], "c", { text: "car", ok: true });
      assert.deepEqual(await found(store, "cat", { filter: { ok: true } }), ["b", "c"]);
    },
  },
];
