import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { HumanMessage } from "@langchain/core/messages";
import { Embeddings } from "@langchain/core/embeddings";
import type { BaseStore } from "@langchain/langgraph-checkpoint";
import * as fc from "fast-check";
import Database from "libsql";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { SqliteSaver } from "../src/sqlite/index.ts";
import { InMemoryStore, type StoreOptions } from "../src/store/index.ts";
import { PostgresStore } from "../src/store/postgres/index.ts";
import { SqliteStore } from "../src/store/sqlite/index.ts";
import { putValue } from "./steps.ts";
import { newSchema, postgresUrl } from "./support/postgres.ts";

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
    expect(() => new InMemoryStore({ index: { dims: 0, embeddings: new Scripted(async () => []) } })).toThrow(
      coded("INVALID_CONFIGURATION"),
    );
    const none = new InMemoryStore();
    await expect(none.search([], { query: "x", mode: "vector" })).rejects.toEqual(
      coded("INVALID_CONFIGURATION"),
    );
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
    const program = `const { InMemoryStore } = await import(${JSON.stringify(join(import.meta.dirname, "../src/store/index.ts"))});
      await new InMemoryStore({ ttl: { sweepIntervalMinutes: 1 } }).start();`;
    const flags = ["--import", "tsx", "--conditions=@skein/source", "--input-type=module", "-e", program];
    const child = spawn(process.execPath, flags, { stdio: "inherit", cwd: import.meta.dirname });
    const [code] = (await once(child, "exit")) as [number];
    expect(code).toBe(0);
  });

  it.each([0, -1, Number.NaN])("refuses %s minutes", (minutes) => {
    expect(() => new InMemoryStore({ ttl: { defaultTtl: minutes } })).toThrow(coded("INVALID_CONFIGURATION"));
  });
});

describe("a database", () => {
  it("may be that of a saver; stop leaves open what was given, and closes what was opened", async () => {
    const saver = SqliteSaver.fromConnString(path);
    await putValue(saver, "t", "1", 5);
    const db = new Database(path);
    const given = new SqliteStore(db as never);
    await given.put(["a"], "k", { n: 1 });
    await given.stop();
    expect(db.prepare("SELECT count(*) AS n FROM store_items").get()).toMatchObject({ n: 1 });
    const opened = SqliteStore.fromConnString(path);
    expect((await opened.get(["a"], "k"))?.value).toEqual({ n: 1 });
    await opened.stop();
    // a stopped store opens again
    expect(await opened.search([])).toHaveLength(1);
    await opened.stop();
    await putValue(saver, "t", "2", 6);
    await saver.close();
    db.close();
  });

  it("with a store of a later version is left alone", async () => {
    const store = SqliteStore.fromConnString(path);
    await store.put(["a"], "k", {});
    await store.stop();
    const db = new Database(path);
    db.exec("UPDATE meta SET value = '99' WHERE key = 'store_format'");
    await expect(store.put(["a"], "k", { n: 1 })).rejects.toEqual(coded("STORAGE_NEWER", "99"));
    db.exec("UPDATE meta SET value = '1' WHERE key = 'store_format'");
    db.close();
    // the failed opening is tried again
    expect((await store.get(["a"], "k"))?.value).toEqual({});
    await store.stop();
  });

  it("that cannot be reached is an error that says so", async () => {
    const file = SqliteStore.fromConnString(join(folder, "no", "such", "folder", "x.db"));
    await expect(file.get(["a"], "k")).rejects.toEqual(coded("STORAGE_UNAVAILABLE"));
    const nobody = PostgresStore.fromConnString("postgres://skein@127.0.0.1:1/none");
    await expect(nobody.get(["a"], "k")).rejects.toEqual(coded("STORAGE_UNAVAILABLE"));
    await nobody.stop();
    expect(() => PostgresStore.fromConnString("postgres://127.0.0.1/x", { schema: 'x"; --' })).toThrow(
      coded("INVALID_CONFIGURATION"),
    );
  });

  it.each(["SQLite", "PostgreSQL"])(
    "of %s takes several processes at once, from the first table on",
    async (kind) => {
      const schema = newSchema();
      const target = kind === "SQLite" ? path : `${await postgresUrl()}#${schema}`;
      const worker = join(import.meta.dirname, "store-worker.ts");
      const ends = ["a", "b"].map(async (name) => {
        const flags = ["--import", "tsx", "--conditions=@skein/source", worker, target, name, "30"];
        const [code] = (await once(spawn(process.execPath, flags, { stdio: "inherit" }), "exit")) as [number];
        return code;
      });
      expect(await Promise.all(ends)).toEqual([0, 0]);
      const store =
        kind === "SQLite"
          ? SqliteStore.fromConnString(target)
          : PostgresStore.fromConnString(await postgresUrl(), { schema });
      for (const name of ["a", "b"]) {
        expect(await store.search(["shared", name], { limit: 100 })).toHaveLength(20);
        expect(await store.search(["shared", name], { query: `words ${name}`, limit: 100 })).toHaveLength(20);
      }
      expect((await store.get(["shared"], "one for all"))?.value["i"]).toBe(29);
      expect(await store.search(["shared"], { query: "common" })).toHaveLength(1);
      await store.stop();
    },
  );
});

/** What a model of a store would be: the last value of each key. */
type Step =
  | { readonly op: "put"; readonly at: number; readonly key: string; readonly n: number }
  | { readonly op: "delete"; readonly at: number; readonly key: string };

const NAMESPACES = [["a"], ["a", "b"], ["ab"], ["a", "\0"], ["a\0"], ["\ud800"], ["é", "日本"]];
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      op: fc.constant("put" as const),
      at: fc.nat(6),
      key: fc.string({ unit: "binary", maxLength: 3 }),
      n: fc.nat(5),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      op: fc.constant("delete" as const),
      at: fc.nat(6),
      key: fc.string({ unit: "binary", maxLength: 3 }),
    }),
  },
);

async function outcome(store: BaseStore, steps: readonly Step[]): Promise<unknown[]> {
  for (const each of steps) {
    const namespace = NAMESPACES[each.at] as string[];
    if (each.op === "put") await store.put(namespace, each.key, { n: each.n, text: `word${each.n}` });
    else await store.delete(namespace, each.key);
  }
  const seen: unknown[] = [await store.listNamespaces(), await store.listNamespaces({ maxDepth: 1 })];
  for (const namespace of [[], ...NAMESPACES]) {
    const all = await store.search(namespace, { limit: 1000 });
    const some = await store.search(namespace, { filter: { n: { $gte: 2 } }, limit: 2, offset: 1 });
    const words = await store.search(namespace, { query: "word3 word1", limit: 1000 });
    seen.push(all.map(({ key, value }) => [key, value]));
    seen.push(some.map(({ key, value }) => [key, value]));
    seen.push(words.map(({ key, value }) => JSON.stringify([key, value])).sort());
  }
  return seen;
}

async function empty(store: BaseStore): Promise<void> {
  for (const { namespace, key } of await store.search([], { limit: 1000 }))
    await store.delete(namespace, key);
}

describe("the three stores", () => {
  it("do the same, whatever is put and deleted", async () => {
    const sqlite = new SqliteStore(new Database(":memory:") as never);
    const postgres = PostgresStore.fromConnString(await postgresUrl(), { schema: newSchema() });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
        const wanted = await outcome(new InMemoryStore(), steps);
        for (const store of [sqlite, postgres]) {
          await empty(store);
          expect(await outcome(store, steps)).toEqual(wanted);
        }
      }),
      { numRuns: 12, seed: 7 },
    );
    await sqlite.stop();
    await postgres.stop();
  });
});
