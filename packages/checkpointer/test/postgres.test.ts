import { HumanMessage } from "@langchain/core/messages";
import { Pool } from "pg";
import { describe, expect, it } from "vitest";
import { CHANGE_SETS, type Claim } from "../src/index.ts";
import { PostgresSaver, type PostgresPool, type PostgresQuery } from "../src/postgres/index.ts";
import { commitValue, putValue } from "./steps.ts";
import { sharedPool } from "./support/postgres.ts";
import { PostgresServer } from "./support/postgres-server.ts";
import { schemaPerTest } from "./support/schema-per-test.ts";

const schema = schemaPerTest();

const coded = (code: string, text = ""): unknown =>
  expect.objectContaining({ code, message: expect.stringContaining(text) as string });
const at = (threadId: string) => ({ configurable: { thread_id: threadId, checkpoint_ns: "" } });
const ROOT = { threadId: "t", namespace: "" };
const SECOND = { threadId: "second", namespace: "" };

describe("setup", () => {
  it("by many processes at once makes one schema", async () => {
    const all = Array.from({ length: 8 }, () => schema.open());
    await Promise.all(all.map((saver) => saver.setup()));
    await putValue(all[0] as PostgresSaver, "t", "1", 5);
    expect((await all[7]?.getTuple(at("t")))?.checkpoint.channel_values).toEqual({ n: 5 });
    expect(await schema.sql(`SELECT value FROM "${schema.name}".meta WHERE key = 'format'`)).toEqual([
      { value: "4" },
    ]);
  });

  it("refuses a newer format, and changes nothing", async () => {
    await schema.open().setup();
    await schema.sql(`UPDATE "${schema.name}".meta SET value = '99' WHERE key = 'format'`);
    const newer = schema.open();
    await expect(newer.setup()).rejects.toThrow(coded("STORAGE_NEWER", "format 99"));
    await expect(putValue(newer, "t", "2", 6)).rejects.toThrow(coded("STORAGE_NEWER"));
    expect(await schema.sql(`SELECT count(*)::int AS n FROM "${schema.name}".threads`)).toEqual([{ n: 0 }]);
  });

  it("refuses a schema that has another program's tables under our names, and leaves them", async () => {
    await schema.sql(
      `CREATE SCHEMA "${schema.name}"; CREATE TABLE "${schema.name}".checkpoints (thread_id text)`,
    );
    await expect(schema.open().setup()).rejects.toThrow(coded("STORAGE_UNAVAILABLE", "another program"));
    const left = `SELECT count(*)::int AS n FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE nspname = '${schema.name}'`;
    expect(await schema.sql(left)).toEqual([{ n: 1 }]);
    await schema.sql(`CREATE TABLE "${schema.name}".meta (id int)`);
    await expect(schema.open().setup()).rejects.toThrow(coded("STORAGE_UNAVAILABLE", "another program"));
  });

  it.each(["", "a b", 'a"b', "1a", "pg_own", "x".repeat(64), "a;b", "a$skein$b"])(
    "refuses %j as the name of a schema",
    (name) => {
      const refused = coded("INVALID_CONFIGURATION", "schema");
      expect(() => new PostgresSaver(new Pool(), { schema: name })).toThrow(refused);
      expect(() => new PostgresSaver(new Pool(), undefined, { schema: name })).toThrow(refused);
    },
  );
});

describe("what goes wrong", () => {
  it.each(["TABLE items", "TABLE lanes", "VIEW heads", "FUNCTION commit"])(
    "a schema that has lost what we made is told as damaged: %s",
    async (kind) => {
      const saver = schema.open();
      await putValue(saver, "t", "1", 5);
      const [what, name] = kind.split(" ") as [string, string];
      await schema.sql(`DROP ${what} "${schema.name}".${name}`);
      const other = schema.open();
      const all = async () => {
        await putValue(other, "t", "2", { n: "x".repeat(3_000) });
        await other.getTuple(at("t"));
        await other.listThreads();
        await other.deleteThread("t");
      };
      await expect(all()).rejects.toThrow(coded("STORAGE_CORRUPT", "lost"));
    },
  );

  it("a server that cannot be reached, and a user that it refuses, are said so", async () => {
    const nowhere = schema.at("postgres://skein@127.0.0.1:1/postgres");
    await expect(nowhere.setup()).rejects.toThrow(coded("STORAGE_UNAVAILABLE", "cannot be reached"));
    const nobody = schema.at(schema.url.replace("skein@", "nobody@"));
    await expect(nobody.getTuple(at("t"))).rejects.toThrow(coded("STORAGE_UNAVAILABLE", "Check user"));
  });

  it("a lock held by somebody else is waited for, then named", { timeout: 20_000 }, async () => {
    const saver = schema.open();
    await putValue(saver, "t", "1", 1);
    const { claim } = await saver[CHANGE_SETS].open(SECOND, { claim: "fail" });
    await commitValue(saver, claim as Claim, "1", undefined);
    const other = await (await sharedPool()).connect();
    await other.query(`BEGIN; LOCK TABLE "${schema.name}".namespaces;
      SELECT 1 FROM "${schema.name}".threads WHERE thread_id = 'second' FOR UPDATE`);
    const opened = saver[CHANGE_SETS].open(ROOT, { claim: "fail" });
    const stored = commitValue(saver, claim as Claim, "2", "1");
    for (const call of [opened, stored])
      await expect(call).rejects.toThrow(coded("STORAGE_UNAVAILABLE", "lock"));
    await other.query("ROLLBACK");
    other.release();
    await putValue(saver, "t", "2", 2);
    await commitValue(saver, claim as Claim, "2", "1");
  });

  it("a step that waits while another run takes its thread stores nothing", async () => {
    const saver = schema.open();
    const { claim } = await saver[CHANGE_SETS].open(ROOT, { claim: "fail" });
    await commitValue(saver, claim as Claim, "1", undefined);
    const other = await (await sharedPool()).connect();
    await other.query(`BEGIN; UPDATE "${schema.name}".threads SET epoch = epoch + 1`);
    const stored = commitValue(saver, claim as Claim, "2", "1");
    const waiting = `SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%"${schema.name}".checkpoints%'`;
    while ((await schema.sql(waiting)).length === 0) await new Promise((later) => setTimeout(later, 5));
    await other.query("COMMIT");
    other.release();
    await expect(stored).rejects.toThrow(coded("THREAD_CONFLICT"));
    expect((await schema.open().getTuple(at("t")))?.checkpoint.id).toBe("1");
  });

  it("an id that no index takes is told, and nothing is stored", async () => {
    const saver = schema.open();
    const long = Array.from({ length: 9_000 }, (_, i) => ((i * 7_919) % 9_973).toString(36)).join("");
    await putValue(saver, "t", "1", 1);
    const refused = coded("INVALID_INPUT", "2,600 bytes");
    await expect(putValue(saver, long, "1", 1)).rejects.toThrow(refused);
    await expect(putValue(saver, "t", long, 2)).rejects.toThrow(refused);
    const config = { configurable: { ...at("t").configurable, checkpoint_id: "1" } };
    await expect(saver.putWrites(config, [["n", 2]], long)).rejects.toThrow(refused);
    expect((await saver.getTuple(at("t")))?.checkpoint.channel_values).toEqual({ n: 1 });
    expect(await saver.listThreads()).toHaveLength(1);
  });

  it("a full disk and a read-only server are told, and lose nothing", async () => {
    const saver = schema.open();
    await putValue(saver, "t", "1", 1);
    await schema.sql(`CREATE FUNCTION "${schema.name}".no_space() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE 'could not extend file: No space left on device' USING ERRCODE = '53100'; END $$;
      CREATE TRIGGER no_space BEFORE INSERT ON "${schema.name}".checkpoints FOR EACH ROW EXECUTE FUNCTION "${schema.name}".no_space()`);
    await expect(putValue(saver, "t", "2", 2)).rejects.toThrow(
      coded("STORAGE_UNAVAILABLE", "Free some space"),
    );
    await schema.sql(`DROP TRIGGER no_space ON "${schema.name}".checkpoints`);
    const options = encodeURIComponent("-c default_transaction_read_only=on");
    const reader = schema.at(`${schema.url}?options=${options}`);
    await expect(putValue(reader, "t", "2", 2)).rejects.toThrow(coded("STORAGE_UNAVAILABLE", "read-only"));
    expect((await reader.getTuple(at("t")))?.checkpoint.id).toBe("1");
    await putValue(saver, "t", "2", 2);
  });

  it("a connection that breaks between two queries ends the call, and not the process", async () => {
    const pool = new Pool({ connectionString: schema.url });
    const breaking: PostgresPool = {
      query: (query) => pool.query(query),
      async connect() {
        const client = await pool.connect();
        const broken = new Promise<void>((resolve) => client.once("end", resolve));
        const query: typeof client.query = client.query.bind(client);
        return Object.assign(client, {
          async query(text: PostgresQuery) {
            const result = await query(text);
            const { processID } = client as unknown as { processID: number };
            await schema.sql(`SELECT pg_terminate_backend(${processID})`);
            await broken;
            return result;
          },
        });
      },
      end: () => pool.end(),
      on: (event, listener) => pool.on(event, listener),
    };
    const saver = schema.over(breaking);
    await expect(saver.setup()).rejects.toThrow(coded("STORAGE_UNAVAILABLE", "connection"));
  });

  it("a connection that is lost in the middle of a run ends it clearly; the next one goes on", async () => {
    const server = await PostgresServer.start();
    try {
      const pool = new Pool({ connectionString: server.url });
      const saver = new PostgresSaver(pool);
      const { claim } = await saver[CHANGE_SETS].open(ROOT, { claim: "fail" });
      await commitValue(saver, claim as Claim, "1", undefined);
      // idle connections break here, which must not end this process
      await server.kill();
      // until it notices the server's end, the process behind a connection serves it
      // (events.once would reject with the error that the pool tells of meanwhile)
      while (pool.totalCount > 0) await new Promise((removed) => pool.once("remove", removed));
      await expect(commitValue(saver, claim as Claim, "2", "1")).rejects.toThrow(
        coded("STORAGE_UNAVAILABLE", "cannot be reached"),
      );
      await expect(saver[CHANGE_SETS].release(claim as Claim)).rejects.toThrow(coded("STORAGE_UNAVAILABLE"));
      await server.restart();
      // the thread still stands as held by this process, which knows better
      const again = await saver[CHANGE_SETS].open(ROOT, { claim: "fail" });
      expect(again.headId).toBe("1");
      await commitValue(saver, again.claim as Claim, "2", "1");
      const third = saver[CHANGE_SETS].open(ROOT, { claim: "fail" });
      await expect(third).rejects.toThrow(coded("THREAD_CONFLICT"));
      await saver.close();
    } finally {
      await server.stop();
    }
  });
});

it("a saver opened for a tenant sees and touches nothing of another", async () => {
  const [a, b] = [schema.open({ tenant: "a" }), schema.open({ tenant: "b" })];
  await putValue(a, "t", "1", "of a");
  await putValue(b, "t", "1", "of b");
  expect((await a.getTuple(at("t")))?.checkpoint.channel_values).toEqual({ n: "of a" });
  await b.deleteThread("t");
  expect(await b.getTuple(at("t"))).toBeUndefined();
  expect((await a.listThreads()).map(({ threadId }) => threadId)).toEqual(["t"]);
  expect(await schema.open().listThreads()).toEqual([]);
});

it("exports a thread in one order, whatever order the server keeps its rows in", async () => {
  const lists = { a: [new HumanMessage({ id: "h", content: "in a" })], b: [{ id: "i", text: "in b" }] };
  await schema.open().put(
    at("t"),
    {
      v: 4,
      id: "1",
      ts: "2026-01-01T00:00:00.000Z",
      channel_values: lists,
      channel_versions: { a: 1, b: 1 },
      versions_seen: {},
    },
    { source: "update", step: 0, parents: {} },
    { a: 1, b: 1 },
  );
  const exported = async (): Promise<string> => {
    let lines = "";
    for await (const line of schema.open().exportThread("t")) lines += line;
    return lines;
  };
  const before = await exported();
  // a row that is written anew goes behind the others, and a table known to be small is read as it lies
  const lanes = `"${schema.name}".lanes`;
  await schema.sql(`DELETE FROM ${lanes} WHERE name = 'a'`);
  await schema.sql(`INSERT INTO ${lanes} SELECT tid, 1 - lane, 'a' FROM ${lanes}; ANALYZE ${lanes}`);
  expect(await exported()).toBe(before);
});
