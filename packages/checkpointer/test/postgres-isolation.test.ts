import { Pool } from "pg";
import { describe, expect, it } from "vitest";
import { hash53 } from "../src/core/hash.ts";
import { CHANGE_SETS, type Claim } from "../src/index.ts";
import { PostgresSaver } from "../src/postgres/index.ts";
import { commitValue, putValue } from "./steps.ts";
import { sharedPool } from "./support/postgres.ts";
import { schemaPerTest } from "./support/schema-per-test.ts";

const schema = schemaPerTest();
const ROOT = { threadId: "t", namespace: "" };

/** The address of a server that has other defaults. */
const withSetting = (setting: string): string =>
  `${schema.url}?options=${encodeURIComponent(`-c ${setting.replaceAll(" ", "\\ ")}`)}`;

/** Does something else in a transaction of another connection until somebody waits for it. */
async function inTheWay<T>(before: string, use: () => Promise<T>, after: string): Promise<T> {
  const other = await (await sharedPool()).connect();
  try {
    await other.query(`BEGIN; ${before}`);
    const used = use();
    const { rows } = await other.query<{ pid: number }>("SELECT pg_backend_pid() AS pid");
    const waiting = `SELECT 1 FROM pg_stat_activity WHERE ${rows[0]?.pid} = ANY (pg_blocking_pids(pid))`;
    while ((await schema.sql(waiting)).length === 0) await new Promise((later) => setTimeout(later, 5));
    await other.query(`${after}; COMMIT`);
    return await used;
  } finally {
    other.release(true);
  }
}

const own = (url: string) => schema.at(url);
const given = (url: string) => schema.over(new Pool({ connectionString: url }));

describe.each(["repeatable read", "serializable"])("where transactions are %s", (level) => {
  const at = () => withSetting(`default_transaction_isolation=${level}`);

  it.each([
    { of: "own", open: own },
    { of: "given", open: given },
  ])("a thread that somebody else wrote to meanwhile is taken, by $of connections", async ({ open }) => {
    await putValue(schema.open(), "t", "1", 1);
    const saver = open(at());
    await saver.setup();
    const { claim, headId } = await inTheWay(
      `UPDATE "${schema.name}".threads SET epoch = epoch + 1`,
      async () => saver[CHANGE_SETS].open(ROOT, { claim: "fail" }),
      "SELECT 1",
    );
    await commitValue(saver, claim as Claim, "2", headId);
    expect((await schema.open().getTuple({ configurable: { thread_id: "t" } }))?.checkpoint.id).toBe("2");
  });

  it("setup sees the schema that somebody else made meanwhile", async () => {
    const saver = given(at());
    await inTheWay(
      `SELECT pg_advisory_xact_lock(${hash53(`skein ${schema.name}`)})`,
      () => saver.setup(),
      `CREATE SCHEMA "${schema.name}"`,
    );
    await putValue(saver, "t", "1", 1);
    expect(await saver.getTuple({ configurable: { thread_id: "t" } })).toBeDefined();
  });
});

it("a statement that lasts too long is told as one", async () => {
  await putValue(schema.open(), "t", "1", 1);
  const saver = own(withSetting("statement_timeout=300"));
  const other = await (await sharedPool()).connect();
  await other.query(`BEGIN; UPDATE "${schema.name}".threads SET epoch = epoch`);
  const opened = Promise.resolve(saver[CHANGE_SETS].open(ROOT, { claim: "fail" }));
  const told: unknown = await opened.catch((error: unknown) => error);
  other.release(true);
  expect(told).toMatchObject({
    code: "STORAGE_UNAVAILABLE",
    message: expect.stringContaining("statement_timeout") as string,
  });
});

it("a statement that others are always in the way of is told after a few tries", async () => {
  await schema.open().setup();
  const pool = await sharedPool();
  let sent = 0;
  const saver = new PostgresSaver(
    {
      query: () => {
        sent += 1;
        return Promise.reject(Object.assign(new Error("could not serialize access"), { code: "40001" }));
      },
      connect: () => pool.connect(),
      end: async () => {},
      on: () => {},
    },
    { schema: schema.name },
  );
  await expect(saver[CHANGE_SETS].open(ROOT, { claim: "fail" })).rejects.toMatchObject({
    code: "STORAGE_UNAVAILABLE",
    message: expect.stringContaining("read committed") as string,
  });
  expect(sent).toBe(5);
});
