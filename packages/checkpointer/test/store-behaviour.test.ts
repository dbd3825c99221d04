import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { HumanMessage } from "@langchain/core/messages";
import { Embeddings } from "@langchain/core/embeddings";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { InMemoryStore, type StoreOptions } from "../src/store/index.ts";
import { SqliteStore } from "../src/store/sqlite/index.ts";
import { startProgram } from "./support/program.ts";

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "skein-store-"));
  path = join(folder, "store.db");
});
afterEach(() => {
  vi.useRealTimers();
  rmSync(folder, { recursive: true });
});

const coded = (code: string, text = ""): unknown =>
  expect.objectContaining({ code, message: expect.stringContaining(text) as string });

/** Embeddings whose answers a test decides. */
class Scripted extends Embeddings {
  readonly #answer: (texts: string[]) => Promise<number[][]>;

  constructor(answer: (texts: string[]) => Promise<number[][]>) {
    super({});
    this.#answer = answer;
  }

  override async embedDocuments(texts: string[]): Promise<number[][]> {
    return this.#answer(texts);
  }

  override async embedQuery(text: string): Promise<number[]> {
    return (await this.#answer([text]))[0] as number[];
  }
}

const indexed = (answer: (texts: string[]) => Promise<number[][]>): StoreOptions => ({
  index: { dims: 2, embeddings: new Scripted(answer) },
});

describe("values", () => {
  it("are what the codec stores: messages, dates and maps come back as such", async () => {
    const store = new InMemoryStore();
    const value = {
      said: new HumanMessage({ id: "1", content: "hi" }),
      at: new Date(5),
      map: new Map([["a", 1]]),
    };
    await store.put(["a"], "k", value);
    expect((await store.get(["a"], "k"))?.value).toEqual(value);
    expect(await store.search(["a"], { filter: { at: { $gt: new Date(4) } } })).toHaveLength(1);
    expect(await store.search(["a"], { query: "hi" })).toHaveLength(1);
  });

  it("that cannot be stored are an error that names the path; nothing of the batch is stored", async () => {
    const store = new InMemoryStore();
    const bad = { namespace: ["a"], key: "bad", value: { deep: [{ fn: () => 1 }] } };
    const batch = store.batch([{ namespace: ["a"], key: "good", value: {} }, bad]);
    await expect(batch).rejects.toEqual(coded("UNSTORABLE_VALUE", "deep"));
    expect(await store.search([])).toEqual([]);
  });
});

describe("embeddings", () => {
  it("that take long do not change the order of puts", async () => {
    const waits = [30, 0];
    const store = new InMemoryStore(
      indexed(async (texts) => {
        await new Promise((resolve) => {
          setTimeout(resolve, waits.shift());
        });
        return texts.map(() => [1, 0]);
      }),
    );
    await Promise.all([store.put(["a"], "k", { n: 1 }), store.put(["a"], "k", { n: 2 })]);
    expect((await store.get(["a"], "k"))?.value).toEqual({ n: 2 });
  });

  it("that fail leave the item as it was, and do not block the next put", async () => {
    let fails = false;
    const store = SqliteStore.fromConnString(
      path,
      indexed(async (texts) => {
        if (fails) throw new Error("no model");
        return texts.map(() => [1, 0]);
      }),
    );
    await store.put(["a"], "k", { n: 1 });
    fails = true;
    await expect(store.put(["a"], "k", { n: 2 })).rejects.toThrow("no model");
    expect((await store.get(["a"], "k"))?.value).toEqual({ n: 1 });
    await store.put(["a"], "k", { n: 3 }, false);
    expect((await store.get(["a"], "k"))?.value).toEqual({ n: 3 });
    await store.stop();
  });

  it("of another size than dims, or too few, are an error", async () => {
    const wide = new InMemoryStore(indexed(async (texts) => texts.map(() => [1, 0, 0])));
    await expect(wide.put(["a"], "k", { n: 1 })).rejects.toEqual(coded("INVALID_CONFIGURATION", "dims"));
    const few = new InMemoryStore(indexed(async () => []));
    await expect(few.put(["a"], "k", { n: 1 })).rejects.toEqual(coded("INVALID_CONFIGURATION", "0 vectors"));
    const nothing = new InMemoryStore(indexed(async () => undefined as never));
    await expect(nothing.put(["a"], "k", { n: 1 })).rejects.toEqual(
      coded("INVALID_CONFIGURATION", "vectors"),
    );
    expect(() => new InMemoryStore({ index: { dims: 0, embeddings: new Scripted(async () => []) } })).toThrow(
      coded("INVALID_CONFIGURATION"),
    );
    const none = new InMemoryStore();
    await expect(none.search([], { query: "x", mode: "vector" })).rejects.toEqual(
      coded("INVALID_CONFIGURATION"),
    );
  });

  it.each<[string, unknown[]]>([
    ["no vector", [undefined]],
    ["a text", ["12"]],
    ["NaN, as some models give for an empty text", [[Number.NaN, 1]]],
    ["what is infinite", [[1, Number.POSITIVE_INFINITY]]],
    ["null, which is NaN in JSON", [[null, 1]]],
  ])("of %s are an error, when an item is stored and when one is searched for", async (_, given) => {
    const store = new InMemoryStore(indexed(async () => given as number[][]));
    const refused = coded("INVALID_CONFIGURATION", "The embeddings gave");
    await expect(store.put(["a"], "k", { text: "x" })).rejects.toEqual(refused);
    expect(await store.get(["a"], "k")).toBeNull();
    await expect(store.search(["a"], { query: "x" })).rejects.toEqual(refused);
  });

  it("a store with embeddings searches for words, too, when asked", async () => {
    const store = new InMemoryStore(indexed(async (texts) => texts.map(() => [1, 0])));
    await store.put(["a"], "1", { text: "red fox" });
    await store.put(["a"], "2", { text: "blue whale" });
    const found = await store.search(["a"], { query: "whale", mode: "text" });
    expect(found.map(({ key }) => key)).toEqual(["2"]);
    expect(await store.search(["a"], { query: "whale" })).toHaveLength(2);
  });
});

it("texts of thousands of halves of surrogate pairs come back", async () => {
  const [key, namespace] = ["\ud800".repeat(20_000), ["a", "x\udc00é".repeat(5_000)]];
  const store = new InMemoryStore();
  await store.put(namespace, key, { n: 1 });
  expect(await store.search(["a"])).toEqual([expect.objectContaining({ namespace, key, value: { n: 1 } })]);
  expect(await store.listNamespaces()).toEqual([namespace]);
});

it("a clock that tells no time is an error", async () => {
  const store = new InMemoryStore({ now: () => Number.NaN });
  await expect(store.put(["a"], "k", { n: 1 })).rejects.toEqual(coded("INVALID_CONFIGURATION", "now"));
  await expect(store.get(["a"], "k")).rejects.toEqual(coded("INVALID_CONFIGURATION", "now"));
});

it("a path to an element that is no number leads nowhere, as in LangGraph", async () => {
  const store = new InMemoryStore();
  const list = ["first", "second"];
  for (const path of ["list[1]", "list[x]", "list[]"]) await store.put(["a"], path, { list }, [path]);
  expect(await store.search(["a"], { query: "first" })).toEqual([]);
  expect(await store.search(["a"], { query: "second" })).toHaveLength(1);
});

describe("the sweeper", () => {
  it("sweeps every so often after start, and no more after stop", async () => {
    vi.useFakeTimers();
    const store = new InMemoryStore({ ttl: { defaultTtl: 1, sweepIntervalMinutes: 10 } });
    const swept = vi.spyOn(store, "sweepExpiredItems");
    await store.start();
    await store.start();
    await vi.advanceTimersByTimeAsync(20 * 60_000);
    expect(swept).toHaveBeenCalledTimes(2);
    await store.stop();
    await vi.advanceTimersByTimeAsync(60 * 60_000);
    expect(swept).toHaveBeenCalledTimes(2);
    await store.start();
    await vi.advanceTimersByTimeAsync(10 * 60_000);
    expect(swept).toHaveBeenCalledTimes(3);
    await store.stop();
  });

  it("sweeps as seldom as a timer can where it is to sweep more seldom", async () => {
    const timers = vi.spyOn(globalThis, "setInterval");
    const store = new InMemoryStore({ ttl: { sweepIntervalMinutes: 60 * 24 * 30 } });
    try {
      await store.start();
      expect(timers.mock.calls.map(([, ms]) => ms)).toEqual([2 ** 31 - 1]);
    } finally {
      await store.stop();
      timers.mockRestore();
    }
  });

  it("says when it failed, and tries again", async () => {
    vi.useFakeTimers();
    const errors: unknown[] = [];
    const store = new InMemoryStore({
      ttl: { sweepIntervalMinutes: 1 },
      onSweepError: (error) => errors.push(error),
    });
    vi.spyOn(store, "sweepExpiredItems").mockRejectedValueOnce(new Error("locked"));
    await store.start();
    await vi.advanceTimersByTimeAsync(2 * 60_000);
    expect(errors).toEqual([new Error("locked")]);
    expect(store.sweepExpiredItems).toHaveBeenCalledTimes(2);
    await store.stop();
  });

  it("keeps no process alive", async () => {
    const child = await startProgram(join(import.meta.dirname, "sweeper.ts"));
    const [code] = (await once(child, "exit")) as [number];
    expect(code).toBe(0);
  });

  it.each([0, -1, Number.NaN])("refuses %s minutes", (minutes) => {
    expect(() => new InMemoryStore({ ttl: { defaultTtl: minutes } })).toThrow(coded("INVALID_CONFIGURATION"));
  });
});
