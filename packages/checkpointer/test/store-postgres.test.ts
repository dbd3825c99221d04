import { PGlite } from "@electric-sql/pglite";
import { createPgConfig } from "@electric-sql/pglite/node-postgres";
import { vector } from "@electric-sql/pglite-pgvector";
import { Pool, type PoolConfig } from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runStoreSpec, storeSpecs, type StoreTarget, testStore } from "../src/store/conformance/index.ts";
import { PostgresStore } from "../src/store/postgres/index.ts";
import { newSchema, sharedPool } from "./support/postgres.ts";

/** Opens stores in one schema, which is emptied before each: to make a new one takes longer than most specs. */
function inOneSchema(pool: () => Promise<Pool>): StoreTarget["open"] {
  const schema = newSchema();
  let made = false;
  return async (options) => {
    const shared = await pool();
    if (made) await shared.query(`TRUNCATE ${schema}.store_items`);
    made = true;
    return new PostgresStore(shared, { ...options, schema });
  };
}

/** PGlite's connection for `pg` takes a query's parsers for a list of parameter types. */
function connectionTo(lite: PGlite): PoolConfig {
  const config = createPgConfig(lite);
  const { connection } = config;
  const parse = connection.parse.bind(connection);
  connection.parse = (query: object) => parse({ ...query, types: [] });
  return config as PoolConfig;
}

describe("PostgresStore (F8)", () => {
  testStore({ features: ["text", "ttl"], open: inOneSchema(sharedPool) }, { describe, it });
});

describe("PostgresStore on a server with pgvector (F8)", () => {
  let pool: Pool;
  let lite: PGlite;
  beforeAll(async () => {
    lite = await PGlite.create({ extensions: { vector } });
    pool = new Pool({ ...connectionTo(lite), max: 1 });
  });
  afterAll(async () => {
    await pool.end();
    await lite.close();
  });
  const target: StoreTarget = { features: [], open: inOneSchema(async () => pool) };

  it.each(storeSpecs.filter(({ group }) => group === "search by meaning"))("$name", async (spec) => {
    await runStoreSpec(spec, target);
    const { rows } = await pool.query("SELECT count(*)::int AS n FROM pg_extension WHERE extname = 'vector'");
    expect(rows).toEqual([{ n: 1 }]);
  });
});
