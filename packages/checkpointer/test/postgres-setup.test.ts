import { Pool } from "pg";
import { expect, it } from "vitest";
import { CHANGE_SETS } from "../src/index.ts";
import type { PostgresPool, PostgresQuery } from "../src/postgres/index.ts";
import { putValue } from "./steps.ts";
import { sharedPool } from "./support/postgres.ts";
import { schemaPerTest } from "./support/schema-per-test.ts";

const schema = schemaPerTest();
const at = (threadId: string) => ({ configurable: { thread_id: threadId, checkpoint_ns: "" } });
const ROOT = { threadId: "t", namespace: "" };

/** A pool whose connections note what they are sent, and may refuse it. */
async function observed(refuse?: (text: string) => boolean): Promise<{ pool: Pool; sent: string[] }> {
  const pool = new Pool({ connectionString: schema.url, allowExitOnIdle: true });
  const sent: string[] = [];
  pool.on("connect", (client) => {
    const query = client.query.bind(client) as (...given: unknown[]) => unknown;
    (client as { query: unknown }).query = (given: PostgresQuery, ...more: unknown[]) => {
      sent.push(given.text);
      return refuse?.(given.text) === true ? Promise.reject(new Error("refused")) : query(given, ...more);
    };
  });
  return { pool, sent };
}
const opens = (text: string): boolean => text.includes("json_agg");

it("a setup is followed by a look for no thread, which is sent before it ends and shares its connection", async () => {
  await putValue(schema.open(), "t", "1", 5);
  const { pool, sent } = await observed();
  const saver = schema.over(pool as PostgresPool);
  await saver.setup();
  expect(sent.map(opens)).toEqual([false, true]);
  expect((await saver.getTuple(at("t")))?.checkpoint.channel_values).toEqual({ n: 5 });
  expect(pool.totalCount).toBe(1);
  await saver.setup();
  expect(sent.filter(opens)).toHaveLength(2);
});

it("without one the first call goes to its thread at once", async () => {
  await putValue(schema.open(), "t", "1", 5);
  const { pool, sent } = await observed();
  await schema.over(pool as PostgresPool).getTuple(at("t"));
  expect(sent.filter(opens)).toHaveLength(1);
});

it("that it fails is nobody's failure", async () => {
  await putValue(schema.open(), "t", "1", 5);
  let isRefused = true;
  const { pool } = await observed((text) => opens(text) && isRefused && !(isRefused = false));
  const saver = schema.over(pool as PostgresPool);
  await saver.setup();
  expect(isRefused).toBe(false);
  expect((await saver.getTuple(at("t")))?.checkpoint.channel_values).toEqual({ n: 5 });
});

it("a saver is closed, or its thread taken, while it is under way", async () => {
  const closed = schema.open();
  await closed.setup();
  await closed.close();
  const locked = await (await sharedPool()).connect();
  await locked.query(`BEGIN; LOCK TABLE "${schema.name}".threads`);
  const saver = schema.open();
  await saver.setup();
  const opened = saver[CHANGE_SETS].open(ROOT, { claim: "fail" });
  await locked.query("ROLLBACK");
  locked.release();
  const { claim } = await opened;
  expect(claim?.threadId).toBe("t");
});

it("one that was closed while its first call was under way is not ready afterwards", async () => {
  await schema.open().setup();
  const { pool } = await observed();
  let go!: () => void;
  const held = new Promise<void>((resolve) => (go = resolve));
  const saver = schema.over({
    query: (query) => (pool as PostgresPool).query(query),
    connect: async () => {
      const client = await (pool as PostgresPool).connect();
      await held;
      return client;
    },
    end: () => pool.end(),
    on: () => {},
  });
  const first = saver.getTuple(at("t")).catch((error: unknown) => error);
  const closed = saver.close();
  go();
  await closed;
  expect(await first).toMatchObject({ code: "STORAGE_UNAVAILABLE" });
  await expect(saver.setup()).rejects.toMatchObject({ code: "STORAGE_UNAVAILABLE" });
});
