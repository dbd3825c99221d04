import { PGlite } from "@electric-sql/pglite";
import { createPgConfig } from "@electric-sql/pglite/node-postgres";
import { vector } from "@electric-sql/pglite-pgvector";
import { Pool, type PoolConfig } from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runStoreSpec, storeSpecs, type StoreTarget, testStore } from "../src/store/conformance/index.ts";
import { PostgresStore } from "../src/store/postgres/index.ts";
import { PostgresServer } from "./support/postgres-server.ts";

/** Opens stores in one schema, which is emptied before each: to make a new one takes longer than most specs. */
function inOneSchema(pool: () => Pool): StoreTarget["open"] {
  let made = false;
  return async (options) => {
    if (made) await pool().query("TRUNCATE skein.store_items");
    made = true;
    return new PostgresStore(pool() as never, options);
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
  let server: PostgresServer;
  let pool: Pool;
  beforeAll(async () => {
    server = await PostgresServer.start();
    pool = new Pool({ connectionString: server.url });
    pool.setMaxListeners(0);
  });
  afterAll(async () => {
    await pool.end();
    await server.stop();
  });

  testStore({ features: ["text", "ttl"], open: inOneSchema(() => pool) }, { describe, it });
});

describe("PostgresStore on a server with pgvector (F8)", () => {
  let pool: Pool;
  let lite: PGlite;
  beforeAll(async () => {
    lite = await PGlite.create({ extensions: { vector } });
    pool = new Pool({ ...connectionTo(lite), max: 1 });
    pool.setMaxListeners(0);
  });
  afterAll(async () => {
    await pool.end();
    await lite.close();
  });
  const target: StoreTarget = { features: [], open: inOneSchema(() => pool) };

  it.each(storeSpecs.filter(({ group }) => group === "search by meaning"))("$name", async (spec) => {
    await runStoreSpec(spec, target);
    const { rows } = await pool.query("SELECT count(*)::int AS n FROM pg_extension WHERE extname = 'vector'");
    expect(rows).toEqual([{ n: 1 }]);
  });
});
