import { afterEach, beforeEach } from "vitest";
import { PostgresSaver, type PostgresPool, type PostgresSaverOptions } from "../../src/postgres/index.ts";
import { newSchema, postgresUrl, sharedPool } from "./postgres.ts";

/** A schema for each test of a file, with connections of the savers' own. */
export interface SchemaOfTest {
  readonly url: string;
  readonly name: string;
  open(options?: PostgresSaverOptions): PostgresSaver;
  /** A saver that is closed after the test. */
  over(pool: PostgresPool): PostgresSaver;
  /** A saver by the address of a server, closed after the test. */
  at(url: string): PostgresSaver;
  sql(text: string): Promise<Record<string, unknown>[]>;
}

async function sql(text: string): Promise<Record<string, unknown>[]> {
  return (await (await sharedPool()).query<Record<string, unknown>>(text)).rows;
}

export function schemaPerTest(): SchemaOfTest {
  let url = "";
  let name = "";
  let savers: PostgresSaver[] = [];
  const kept = (saver: PostgresSaver): PostgresSaver => {
    savers.push(saver);
    return saver;
  };
  beforeEach(async () => {
    url = await postgresUrl();
    name = newSchema();
    savers = [];
  });
  afterEach(async () => {
    for (const saver of savers) await saver.close();
    await sql(`DROP SCHEMA IF EXISTS "${name}" CASCADE`);
  });
  return {
    get url() {
      return url;
    },
    get name() {
      return name;
    },
    open: (options = {}) => kept(PostgresSaver.fromConnString(url, { schema: name, ...options })),
    over: (pool) => kept(new PostgresSaver(pool, { schema: name })),
    at: (address) => kept(PostgresSaver.fromConnString(address, { schema: name })),
    sql,
  };
}
