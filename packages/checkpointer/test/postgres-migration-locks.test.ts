import { Pool } from "pg";
import { expect, it } from "vitest";
import { CHANGE_SETS, type Claim } from "../src/index.ts";
import type { PostgresPool, PostgresQuery } from "../src/postgres/index.ts";
import { commitValue } from "./steps.ts";
import { sharedPool } from "./support/postgres.ts";
import { schemaPerTest } from "./support/schema-per-test.ts";

const schema = schemaPerTest();
const ROOT = { threadId: "t", namespace: "" };

/** A pool that waits 200 ms where 5 s are asked for. */
function impatient(): PostgresPool {
  const pool = new Pool({ connectionString: schema.url, allowExitOnIdle: true });
  pool.on("connect", (client) => {
    const query = client.query.bind(client) as (...given: unknown[]) => unknown;
    (client as { query: unknown }).query = (given: PostgresQuery, ...more: unknown[]) =>
      given.text === "SET LOCAL lock_timeout = '5s'"
        ? query({ ...given, text: "SET LOCAL lock_timeout = '200ms'" })
        : query(given, ...more);
  });
  return pool as PostgresPool;
}

/** As format 3 was, but for functions, which a process that is running has prepared. */
async function toFormat3(): Promise<void> {
  await schema.sql(`ALTER TABLE "${schema.name}".threads ALTER generation SET DEFAULT 0;
    UPDATE "${schema.name}".meta SET value = '3' WHERE key = 'format'`);
}

async function stored(): Promise<unknown> {
  const [row] = await schema.sql(`SELECT value AS format, column_default AS generation
    FROM "${schema.name}".meta, information_schema.columns
    WHERE key = 'format' AND table_schema = '${schema.name}' AND table_name = 'threads' AND column_name = 'generation'`);
  return row;
}

const within = <T>(ms: number, promise: Promise<T>): Promise<T> =>
  Promise.race([
    promise,
    new Promise<never>((_, reject) => setTimeout(() => reject(new Error("it waits")), ms)),
  ]);

it("a migration that writes no rows does not wait long for a table, behind which every run would wait", async () => {
  const running = schema.open();
  const { claim } = await running[CHANGE_SETS].open(ROOT, { claim: "fail" });
  await commitValue(running, claim as Claim, "1", undefined);
  await toFormat3();
  const reader = await (await sharedPool()).connect();
  try {
    await reader.query(`BEGIN; SELECT count(*) FROM "${schema.name}".threads`);
    const saver = schema.over(impatient());
    const refused = within(3_000, saver.setup()).then(String, (error: unknown) => error);
    await new Promise((resolve) => setTimeout(resolve, 50));
    await within(3_000, Promise.resolve(commitValue(running, claim as Claim, "2", "1")));
    expect(await refused).toMatchObject({
      code: "STORAGE_UNAVAILABLE",
      message: expect.stringMatching(
        /schema "test_\w+" .*from format 3 to 4.*more than 5 seconds.*pg_stat_activity.*Nothing was changed.*again/,
      ) as string,
      details: { schema: schema.name, format: 3, postgres: "55P03" },
    });
    expect(await stored()).toEqual({ format: "3", generation: "0" });
    await commitValue(running, claim as Claim, "3", "2");
    await reader.query("ROLLBACK");
    await saver.setup();
    expect(await stored()).toEqual({
      format: "4",
      generation: expect.stringContaining("random()") as string,
    });
    await commitValue(running, claim as Claim, "4", "3");
    expect((await saver.getTuple({ configurable: { thread_id: "t" } }))?.checkpoint.id).toBe("4");
  } finally {
    reader.release(true);
  }
});
