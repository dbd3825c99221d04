import type { BaseStore } from "@langchain/langgraph-checkpoint";
import * as fc from "fast-check";
import Database from "libsql";
import { describe, expect, it } from "vitest";
import { InMemoryStore } from "../src/store/index.ts";
import { PostgresStore } from "../src/store/postgres/index.ts";
import { SqliteStore } from "../src/store/sqlite/index.ts";
import { newSchema, postgresUrl } from "./support/postgres.ts";

/** What a model of a store would be: the last value of each key. */
type Step =
  | { readonly op: "put"; readonly at: number; readonly key: string; readonly n: number }
  | { readonly op: "batch"; readonly at: number; readonly keys: readonly string[] }
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
      op: fc.constant("batch" as const),
      at: fc.nat(6),
      keys: fc.array(fc.string({ unit: "binary", maxLength: 2 }), { minLength: 2, maxLength: 6 }),
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
    else if (each.op === "delete") await store.delete(namespace, each.key);
    else await store.batch(each.keys.map((key, n) => ({ namespace, key, value: { n, text: `word${n}` } })));
  }
  const seen: unknown[] = [await store.listNamespaces(), await store.listNamespaces({ maxDepth: 1 })];
  for (const namespace of [[], ...NAMESPACES]) {
    const all = await store.search(namespace, { limit: 1000 });
    const some = await store.search(namespace, { filter: { n: { $gte: 2 } }, limit: 2, offset: 1 });
    const words = await store.search(namespace, { query: "word3 word1", limit: 1000 });
    seen.push(all.map(({ key, value }) => [key, value]));
    seen.push(some.map(({ key, value }) => [key, value]));
    seen.push(words.map(({ key, value, score }) => [key, value, score]));
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
