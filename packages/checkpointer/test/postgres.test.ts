import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { HumanMessage, type BaseMessage } from "@langchain/core/messages";
import { Pool } from "pg";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CHANGE_SETS, type ChannelChange, type Claim, type Opened } from "../src/index.ts";
import { PostgresSaver, type PostgresPool, type PostgresQuery } from "../src/postgres/index.ts";
import { commitValue, putValue } from "./steps.ts";
import { countingSaver, newSchema, postgresUrl, sharedPool } from "./support/postgres.ts";
import { PostgresServer } from "./support/postgres-server.ts";

let url: string;
let schema: string;
let savers: PostgresSaver[];
beforeEach(async () => {
  url = await postgresUrl();
  schema = newSchema();
  savers = [];
});
afterEach(async () => {
  for (const saver of savers) await saver.close();
  await sql(`DROP SCHEMA IF EXISTS "${schema}" CASCADE`);
});

function open(options: { schema?: string; tenant?: string } = {}): PostgresSaver {
  const saver = PostgresSaver.fromConnString(url, { schema, ...options });
  savers.push(saver);
  return saver;
}

async function sql(text: string): Promise<Record<string, unknown>[]> {
  return (await (await sharedPool()).query<Record<string, unknown>>(text)).rows;
}

const coded = (code: string, text = ""): unknown =>
  expect.objectContaining({ code, message: expect.stringContaining(text) as string });
const at = (threadId: string) => ({ configurable: { thread_id: threadId, checkpoint_ns: "" } });
const ROOT = { threadId: "t", namespace: "" };

describe("setup", () => {
  it("by many processes at once makes one schema", async () => {
    const all = Array.from({ length: 8 }, () => open());
    await Promise.all(all.map((saver) => saver.setup()));
    await putValue(all[0] as PostgresSaver, "t", "1", 5);
    expect((await all[7]?.getTuple(at("t")))?.checkpoint.channel_values).toEqual({ n: 5 });
    expect(await sql(`SELECT value FROM "${schema}".meta WHERE key = 'format'`)).toEqual([{ value: "2" }]);
  });

  it("refuses a newer format, and changes nothing", async () => {
    await open().setup();
    await sql(`UPDATE "${schema}".meta SET value = '99' WHERE key = 'format'`);
    const newer = open();
    await expect(newer.setup()).rejects.toThrow(coded("STORAGE_NEWER", "format 99"));
    await expect(putValue(newer, "t", "2", 6)).rejects.toThrow(coded("STORAGE_NEWER"));
    expect(await sql(`SELECT count(*)::int AS n FROM "${schema}".threads`)).toEqual([{ n: 0 }]);
  });

  it("refuses a schema that has another program's tables under our names, and leaves them", async () => {
    await sql(`CREATE SCHEMA "${schema}"; CREATE TABLE "${schema}".checkpoints (thread_id text)`);
    await expect(open().setup()).rejects.toThrow(coded("STORAGE_UNAVAILABLE", "another program"));
    const left = `SELECT count(*)::int AS n FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE nspname = '${schema}'`;
    expect(await sql(left)).toEqual([{ n: 1 }]);
    await sql(`CREATE TABLE "${schema}".meta (id int)`);
    await expect(open().setup()).rejects.toThrow(coded("STORAGE_UNAVAILABLE", "another program"));
  });

  it.each(["", "a b", 'a"b', "1a", "pg_own", "x".repeat(64), "a;b", "a$skein$b"])(
    "refuses %j as the name of a schema",
    (name) => {
      expect(() => new PostgresSaver({} as PostgresPool, { schema: name })).toThrow(
        coded("INVALID_CONFIGURATION", "schema"),
      );
    },
  );
});

const step = (n: number, release = false): Parameters<PostgresSaver[typeof CHANGE_SETS]["commit"]>[1] => {
  const message = new HumanMessage({ id: `m${n}`, content: `text ${n}` });
  const segments = [...(n > 1 ? [{ keep: [0, n - 1] as const }] : []), { add: [message] }];
  const channels: [string, ChannelChange][] = [
    ["messages", { op: "list", segments }],
    ["full_messages", { op: "log", lane: "messages", entries: [{ add: message }] }],
  ];
  return {
    namespace: "",
    parentId: n > 1 ? String(n - 1).padStart(4, "0") : undefined,
    expectedHead: n > 1 ? String(n - 1).padStart(4, "0") : undefined,
    checkpoint: {
      id: String(n).padStart(4, "0"),
      ts: "2026-01-01T00:00:00.000Z",
      metadata: { source: "loop", step: n, parents: {} },
      channelVersions: { messages: n, full_messages: n },
      versionsSeen: { node: { messages: n } },
    },
    channels: new Map(channels),
    writes: n > 1 ? [{ taskId: `task${n}`, writes: [["messages", [message]]] }] : [],
    release,
  };
};

describe("round trips", () => {
  it("a superstep of one task is one, as is opening a thread, known or not", async () => {
    const { saver, sent } = await countingSaver(schema);
    const run = async (first: number, last: number, from = saver): Promise<number[]> => {
      const trips: number[] = [];
      const mark = (): void => void trips.push(sent.splice(0).length);
      const { claim } = await from[CHANGE_SETS].open(ROOT, { claim: "fail" });
      mark();
      for (let n = first; n <= last; n += 1) {
        await from[CHANGE_SETS].commit(claim as Claim, step(n, n === last));
        mark();
      }
      return trips;
    };
    // channels and nodes that this database has not met before get their numbers
    expect(await run(1, 5)).toEqual([1, 2, 1, 1, 1, 1]);
    expect(await run(6, 8)).toEqual([1, 1, 1, 1]);
    const other = await countingSaver(schema);
    const cold = other.saver[CHANGE_SETS];
    other.sent.length = 0;
    const { claim, checkpoint } = await cold.open(ROOT, { claim: "fail" });
    expect(other.sent).toHaveLength(1);
    // all channels of a thread are read in one, too; the archive is left where it is
    await checkpoint?.channels.get("messages")?.load();
    expect(other.sent).toHaveLength(2);
    await cold.commit(claim as Claim, step(9, true));
    expect(other.sent).toHaveLength(3);
  });

  it("a put of the contract is two, as are its writes; a checkpoint that is there behind a moved head is found", async () => {
    const { saver, sent } = await countingSaver(schema);
    for (const id of ["1", "2", "3"]) await putValue(saver, "t", id, Number(id));
    sent.length = 0;
    await putValue(saver, "t", "4", 4);
    expect(sent).toHaveLength(2);
    sent.length = 0;
    await saver.putWrites(
      { configurable: { ...at("t").configurable, checkpoint_id: "4" } },
      [["n", 5]],
      "task",
    );
    expect(sent).toHaveLength(2);
    await saver.moveHead("t", "2");
    await putValue(saver, "t", "4", 44);
    const tuples = [];
    for await (const tuple of saver.list(at("t"))) tuples.push(tuple);
    expect(tuples.map(({ checkpoint }) => [checkpoint.id, checkpoint.channel_values["n"]])).toEqual([
      ["4", 44],
      ["3", 3],
      ["2", 2],
      ["1", 1],
    ]);
  });

  it("steps that nobody waits for are sent together, and none of them twice", async () => {
    const { saver, sent } = await countingSaver(schema);
    const sets = saver[CHANGE_SETS];
    const { claim } = await sets.open(ROOT, { claim: "fail" });
    await sets.commit(claim as Claim, step(1));
    await sets.commit(claim as Claim, step(2));
    sent.length = 0;
    const stored = [3, 4, 5, 6, 7].map((n) => sets.commit(claim as Claim, step(n)));
    await Promise.all(stored);
    expect(sent).toHaveLength(2);
    // a record has its place between them
    sent.length = 0;
    const between = [
      sets.commit(claim as Claim, step(8)),
      sets.commit(claim as Claim, step(9)),
      sets.record(claim as Claim, { ...ROOT, checkpointId: "0009" }, [
        { taskId: "early", writes: [["n", 1]] },
      ]),
      sets.commit(claim as Claim, step(10)),
      sets.commit(claim as Claim, step(11, true)),
    ];
    await Promise.all(between);
    expect(sent).toHaveLength(5);
    const tuples = [];
    for await (const tuple of saver.list(at("t"))) tuples.push(tuple);
    expect(tuples.map(({ checkpoint }) => Number(checkpoint.id))).toEqual([
      11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1,
    ]);
    expect(tuples[2]?.pendingWrites?.map(([task]) => task)).toEqual(["early", "task10"]);
    for (const [i, { checkpoint }] of tuples.entries())
      expect(checkpoint.channel_values["messages"]).toHaveLength(11 - i);
  });

  it("where the thread was lost none of those sent together is stored, and each says so", async () => {
    const { saver } = await countingSaver(schema);
    const sets = saver[CHANGE_SETS];
    const { claim } = await sets.open(ROOT, { claim: "fail" });
    for (const n of [1, 2]) await sets.commit(claim as Claim, step(n));
    await open()[CHANGE_SETS].open(ROOT, { claim: "take" });
    const results = await Promise.allSettled(
      [3, 4, 5].map(async (n) => sets.commit(claim as Claim, step(n))),
    );
    expect(
      results.map((result) => result.status === "rejected" && (result.reason as { code: string }).code),
    ).toEqual(["THREAD_CONFLICT", "THREAD_CONFLICT", "THREAD_CONFLICT"]);
    const tuple = await open().getTuple(at("t"));
    expect(tuple?.checkpoint.id).toBe("0002");
  });

  it("where another program took the place of those sent together, the run hears of it", async () => {
    const { saver } = await countingSaver(schema);
    const sets = saver[CHANGE_SETS];
    const { claim } = await sets.open(ROOT, { claim: "fail" });
    for (const n of [1, 2]) await sets.commit(claim as Claim, step(n));
    // a put takes no claim; one with a smaller id leaves the head where it is, and takes a number
    await putValue(open(), "t", "0000", 5);
    await Promise.all([3, 4, 5].map((n) => sets.commit(claim as Claim, step(n))));
    expect((await open().getTuple(at("t")))?.checkpoint.channel_values["messages"]).toHaveLength(5);
    await putValue(open(), "t", "0099", 5);
    const lost = await Promise.allSettled([6, 7].map(async (n) => sets.commit(claim as Claim, step(n))));
    expect(lost.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  });

  it("lists that are loaded together are read together", async () => {
    const { saver, sent } = await countingSaver(schema);
    const opened = await saver[CHANGE_SETS].open(ROOT, { claim: "fail" });
    const lists = Array.from({ length: 6 }, (_, i) => [`l${i}`, [{ id: `a${i}` }, { id: `b${i}` }]] as const);
    await saver[CHANGE_SETS].commit(opened.claim as Claim, {
      ...step(1),
      channels: new Map(lists.map(([name, add]) => [name, { op: "list", segments: [{ add }] }])),
    });
    const again = await countingSaver(schema);
    const { checkpoint } = await again.saver[CHANGE_SETS].open(ROOT);
    again.sent.length = 0;
    const loaded = await Promise.all(lists.map(([name]) => checkpoint?.channels.get(name)?.load()));
    expect(loaded).toEqual(lists.map(([, list]) => list));
    expect(again.sent).toHaveLength(1);
    expect(sent.length).toBeGreaterThan(0);
  });
});

const worker = (...args: string[]) =>
  spawn(
    process.execPath,
    [
      "--import",
      "tsx",
      "--conditions=@skein/source",
      join(import.meta.dirname, "worker.ts"),
      `${url}#${schema}`,
      ...args,
    ],
    { stdio: ["pipe", "pipe", "inherit"] },
  );

describe("several processes on one database", () => {
  it("make the tables, write at the same time and lose nothing; a living one's thread is not taken (F6)", async () => {
    const workers = ["a", "b"].map((name) => worker("put", name, "30"));
    // every one of them adds to one number, in a run of its own
    const counters = [worker("count", "n", "30"), worker("count", "n", "30")];
    const ends = await Promise.all([...workers, ...counters].map((child) => once(child, "exit")));
    expect(ends.map(([code]) => code as unknown)).toEqual([0, 0, 0, 0]);
    const saver = open();
    expect((await saver.getTuple(at("n")))?.checkpoint.channel_values).toEqual({ n: 60 });
    let shared = 0;
    for await (const { checkpoint } of saver.list(at("shared"))) {
      expect(checkpoint.channel_values["list"]).toEqual([
        { id: checkpoint.id, text: checkpoint.id.repeat(100) },
      ]);
      shared += 1;
    }
    expect(shared).toBe(60);
    const holder = worker("claim", "t");
    await once(holder.stdout, "data");
    const take = async (): Promise<Opened> => saver[CHANGE_SETS].open(ROOT, { claim: "fail" });
    await expect(take()).rejects.toThrow(coded("THREAD_CONFLICT", "onConflict"));
    holder.kill("SIGKILL");
    await once(holder, "exit");
    const opened = await take();
    expect(opened.headId).toBe("1");
    expect(opened.claim?.epoch).toBe(2);
  });

  it("a run that lost its thread to another can write no more", async () => {
    const [one, two] = [open(), open()];
    const first = await one[CHANGE_SETS].open(ROOT, { claim: "fail" });
    await commitValue(one, first.claim as Claim, "1", undefined);
    await sql(`UPDATE "${schema}".threads SET lease_until = 1`);
    const second = await two[CHANGE_SETS].open(ROOT, { claim: "fail" });
    await expect(commitValue(one, first.claim as Claim, "2", "1")).rejects.toThrow(coded("THREAD_CONFLICT"));
    const writes = [{ taskId: "a", writes: [["n", 1] as [string, unknown]] }];
    const record = one[CHANGE_SETS].record(first.claim as Claim, { ...ROOT, checkpointId: "1" }, writes);
    await expect(record).rejects.toThrow(coded("THREAD_CONFLICT"));
    // giving it back late takes nothing from the new holder
    await one[CHANGE_SETS].release(first.claim as Claim);
    await commitValue(two, second.claim as Claim, "2", "1");
  });

  it("many commits and reads of one thread at once, in one process, are all applied", async () => {
    const saver = open();
    const opened = await saver[CHANGE_SETS].open(ROOT, { claim: "fail" });
    const claim = opened.claim as Claim;
    // subgraphs that run side by side commit under one claim
    const subgraphs = Array.from({ length: 6 }, async (_, i) => {
      const namespace = `sub:${i}`;
      let parentId: string | undefined;
      for (let n = 1; n <= 5; n += 1) {
        const add = [new HumanMessage({ id: `${i}-${n}`, content: `${i}-${n}` })];
        const keep = n > 1 ? [{ keep: [0, n - 1] as const }] : [];
        await saver[CHANGE_SETS].commit(claim, {
          namespace,
          parentId,
          expectedHead: parentId,
          checkpoint: {
            id: String(n),
            ts: "x",
            metadata: { source: "loop", step: n, parents: {} },
            channelVersions: { messages: n },
            versionsSeen: {},
          },
          channels: new Map([["messages", { op: "list", segments: [...keep, { add }] }]]),
          writes: [],
        });
        parentId = String(n);
        await saver.getTuple({ configurable: { thread_id: "t", checkpoint_ns: namespace } });
      }
    });
    await Promise.all(subgraphs);
    for (let i = 0; i < 6; i += 1) {
      const config = { configurable: { thread_id: "t", checkpoint_ns: `sub:${i}` } };
      const list = (await open().getTuple(config))?.checkpoint.channel_values["messages"] as BaseMessage[];
      expect(list.map(({ content }) => content)).toEqual([1, 2, 3, 4, 5].map((n) => `${i}-${n}`));
    }
  });
});

describe("what goes wrong", () => {
  it("a server that cannot be reached, and a user that it refuses, are said so", async () => {
    const nowhere = PostgresSaver.fromConnString("postgres://skein@127.0.0.1:1/postgres");
    savers.push(nowhere);
    await expect(nowhere.setup()).rejects.toThrow(coded("STORAGE_UNAVAILABLE", "cannot be reached"));
    const nobody = PostgresSaver.fromConnString(url.replace("skein@", "nobody@"));
    savers.push(nobody);
    await expect(nobody.getTuple(at("t"))).rejects.toThrow(coded("STORAGE_UNAVAILABLE", "Check user"));
  });

  it("a lock held by somebody else is waited for, then named", { timeout: 20_000 }, async () => {
    const saver = open();
    await putValue(saver, "t", "1", 1);
    const other = await (await sharedPool()).connect();
    await other.query(`BEGIN; LOCK TABLE "${schema}".namespaces`);
    const opened = saver[CHANGE_SETS].open(ROOT, { claim: "fail" });
    await expect(opened).rejects.toThrow(coded("STORAGE_UNAVAILABLE", "lock"));
    await other.query("ROLLBACK");
    other.release();
    await putValue(saver, "t", "2", 2);
  });

  it("a full disk and a read-only server are told, and lose nothing", async () => {
    const saver = open();
    await putValue(saver, "t", "1", 1);
    await sql(`CREATE FUNCTION "${schema}".no_space() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE 'could not extend file: No space left on device' USING ERRCODE = '53100'; END $$;
      CREATE TRIGGER no_space BEFORE INSERT ON "${schema}".checkpoints FOR EACH ROW EXECUTE FUNCTION "${schema}".no_space()`);
    await expect(putValue(saver, "t", "2", 2)).rejects.toThrow(
      coded("STORAGE_UNAVAILABLE", "Free some space"),
    );
    await sql(`DROP TRIGGER no_space ON "${schema}".checkpoints`);
    const options = encodeURIComponent("-c default_transaction_read_only=on");
    const reader = PostgresSaver.fromConnString(`${url}?options=${options}`, { schema });
    savers.push(reader);
    await expect(putValue(reader, "t", "2", 2)).rejects.toThrow(coded("STORAGE_UNAVAILABLE", "read-only"));
    expect((await reader.getTuple(at("t")))?.checkpoint.id).toBe("1");
    await putValue(saver, "t", "2", 2);
  });

  it("a connection that breaks between two queries ends the call, and not the process", async () => {
    const pool = new Pool({ connectionString: url });
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
            await sql(`SELECT pg_terminate_backend(${processID})`);
            await broken;
            return result;
          },
        });
      },
      end: () => pool.end(),
      on: (event, listener) => pool.on(event, listener),
    };
    const saver = new PostgresSaver(breaking, { schema });
    savers.push(saver);
    await expect(saver.setup()).rejects.toThrow(coded("STORAGE_UNAVAILABLE", "connection"));
  });

  it("a connection that is lost in the middle of a run ends it clearly; the next one goes on", async () => {
    const server = await PostgresServer.start();
    try {
      const pool = new Pool({ connectionString: server.url });
      const saver = new PostgresSaver(pool);
      savers.push(saver);
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
      savers.length = 0;
      await server.stop();
    }
  });
});

it("a saver opened for a tenant sees and touches nothing of another", async () => {
  const [a, b] = [open({ tenant: "a" }), open({ tenant: "b" })];
  await putValue(a, "t", "1", "of a");
  await putValue(b, "t", "1", "of b");
  expect((await a.getTuple(at("t")))?.checkpoint.channel_values).toEqual({ n: "of a" });
  await b.deleteThread("t");
  expect(await b.getTuple(at("t"))).toBeUndefined();
  expect((await a.listThreads()).map(({ threadId }) => threadId)).toEqual(["t"]);
  expect(await open().listThreads()).toEqual([]);
});
