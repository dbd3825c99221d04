import type { BaseStore } from "@langchain/langgraph-checkpoint";
import Database from "libsql";
import { afterEach, describe, expect, it, vi } from "vitest";
import { PostgresStore } from "../src/store/postgres/index.ts";
import { statements } from "../src/store/postgres/statements.ts";
import { SqliteStore } from "../src/store/sqlite/index.ts";
import { newSchema, postgresUrl, sharedPool } from "./support/postgres.ts";
import { openStore, storeKinds } from "./support/three-stores.ts";

const opened: BaseStore[] = [];
afterEach(async () => {
  for (const store of opened.splice(0)) await store.stop();
});
function kept<Store extends BaseStore>(store: Store): Store {
  opened.push(store);
  return store;
}

async function postgresStore(schema: string, user?: string) {
  const url = new URL(await postgresUrl());
  if (user !== undefined) url.username = user;
  return kept(PostgresStore.fromConnString(url.href, { schema }));
}

async function hasIndex(schema: string): Promise<boolean> {
  const sql = "SELECT to_regclass($1) IS NOT NULL AS found";
  const { rows } = await (await sharedPool()).query<{ found: boolean }>(sql, [`${schema}.store_items_long`]);
  return rows[0]?.found === true;
}

describe("a search for words looks up in an index", () => {
  it("the items whose words are not all in PostgreSQL's", async () => {
    const schema = newSchema();
    await (await postgresStore(schema)).setup();
    const client = await (await sharedPool()).connect();
    try {
      await client.query("BEGIN");
      // of a table this small nobody would take one
      await client.query("SET LOCAL enable_seqscan = off");
      const { text } = statements(`"${schema}"`, undefined).byWords;
      const values = [Date.now(), Buffer.from("a\0"), Buffer.from("a\u0001"), "{}", "'tea'", [" tea "]];
      const { rows } = await client.query({ text: `EXPLAIN ${text}`, values });
      expect(JSON.stringify(rows)).toContain("Scan using store_items_long on store_items");
    } finally {
      await client.query("ROLLBACK");
      client.release();
    }
  });

  it("how many items SQLite has searched", async () => {
    const db = new Database(":memory:");
    const store = kept(new SqliteStore(db as never));
    await store.put(["m"], "k", { text: "tea" });
    const prepare = vi.spyOn(db, "prepare");
    await store.search(["m"], { query: "tea" });
    const sql = prepare.mock.calls.map(([text]) => text).find((text) => text.includes("store_words word"));
    const plan = db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all("[]", Buffer.from("m"), Buffer.from("n"), 0);
    expect(JSON.stringify(plan)).toContain("USING COVERING INDEX sqlite_autoindex_store_items_1");
    expect(JSON.stringify(plan)).toContain("store_items_expiry (expires_at<?)");
  });
});

describe("PostgreSQL's index of long items", () => {
  it("is added to a store that was made without it, whose format stays", async () => {
    const schema = newSchema();
    const pool = await sharedPool();
    await (await postgresStore(schema)).put(["m"], "k", { text: "tea" });
    await pool.query(`DROP INDEX ${schema}.store_items_long`);
    const again = await Promise.all([postgresStore(schema), postgresStore(schema)]);
    for (const found of await Promise.all(again.map((store) => store.search(["m"], { query: "tea" }))))
      expect(found).toHaveLength(1);
    expect(await hasIndex(schema)).toBe(true);
    const { rows } = await pool.query(`SELECT value FROM ${schema}.meta WHERE key = 'store_format'`);
    expect(rows).toEqual([{ value: "1" }]);
  });

  it("is not needed: whoever may not add it searches without", async () => {
    const [schema, user] = [newSchema(), `${newSchema()}_user`];
    const pool = await sharedPool();
    await (await postgresStore(schema)).put(["m"], "k", { text: "tea" });
    await pool.query(`DROP INDEX ${schema}.store_items_long`);
    await pool.query(`CREATE ROLE ${user} LOGIN`);
    await pool.query(`GRANT USAGE ON SCHEMA ${schema} TO ${user}`);
    await pool.query(`GRANT ALL ON ALL TABLES IN SCHEMA ${schema} TO ${user}`);
    expect(await (await postgresStore(schema, user)).search(["m"], { query: "tea" })).toHaveLength(1);
    expect(await hasIndex(schema)).toBe(false);
  });
});

/** A search of one word that two of all items below the namespace hold: its scores tell how many there are. */
async function scores(store: BaseStore, namespace: string[]): Promise<unknown> {
  const found = await store.search(namespace, { query: "tea", limit: 5000 });
  return found.map(({ key, score }) => [key, score]);
}

describe("how many items are searched is the same in all stores", () => {
  it.each([250, 254, 255, 256, 257, 300])("below namespaces of %i characters", async (length) => {
    const name = "n".repeat(length);
    const places = [[name], [name, "within"], [`${name}n`], [`${name}o`], [name.slice(1)]];
    const rankings = await Promise.all(
      storeKinds.map(async (kind) => {
        const store = kept(await openStore(kind));
        for (const [i, namespace] of places.entries()) {
          const texts = ["tea", ...Array.from({ length: 5 + i }, (_, n) => `other ${n}`)];
          for (const [n, text] of texts.entries()) await store.put(namespace, String(n), { text });
        }
        return Promise.all([[], ...places].map((namespace) => scores(store, namespace)));
      }),
    );
    expect(rankings[1]).toEqual(rankings[0]);
    expect(rankings[2]).toEqual(rankings[0]);
  });

  it.each([3, 1500])("with %i that have ended", async (count) => {
    let now = 1e12;
    const rankings = await Promise.all(
      storeKinds.map(async (kind) => {
        const store = kept(await openStore(kind, { now: () => now, ttl: { refreshOnRead: false } }));
        await store.put(["m"], "tea", { text: "tea" });
        for (let n = 0; n < 4; n += 1) await store.put(["m"], String(n), { text: "other" });
        const ended = Array.from({ length: count }, (_, n) => ({
          namespace: n % 2 === 0 ? ["m"] : ["elsewhere"],
          key: `ended ${n}`,
          value: { text: n % 3 === 0 ? "tea" : "other" },
          ttl: 1,
        }));
        await store.batch(ended);
        return store;
      }),
    );
    now += 60_000;
    const [memory, ...others] = await Promise.all(rankings.map((store) => scores(store, ["m"])));
    expect(memory).toEqual([["tea", expect.any(Number)]]);
    for (const other of others) expect(other).toEqual(memory);
  });
});
