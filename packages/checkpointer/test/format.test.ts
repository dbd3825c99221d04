import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { HumanMessage } from "@langchain/core/messages";
import Database from "libsql";
import { afterEach, expect, it } from "vitest";
import { CHANGE_SETS, type Claim } from "../src/index.ts";
import { SqliteSaver } from "../src/sqlite/index.ts";
import {
  postgresFormat1,
  postgresFormat2,
  postgresFormat3,
  SQLITE_FORMAT_1,
  SQLITE_FORMAT_2,
  TAKEN,
  task,
  time,
  uuid,
} from "./support/formats.ts";
import { PostgresSaver } from "../src/postgres/index.ts";
import { newSchema, postgresUrl, sharedPool } from "./support/postgres.ts";
import { ALL_SAVERS, type Saver } from "./savers.ts";

const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).toReversed()) await cleanUp();
});

const at = (threadId: string) => ({ configurable: { thread_id: threadId, checkpoint_ns: "" } });

/** What a database of format 1 holds, and that it goes on. */
async function shows(saver: Saver): Promise<void> {
  const tuples = [];
  for await (const tuple of saver.list(at("t"))) tuples.push(tuple);
  expect(tuples.map(({ checkpoint }) => [checkpoint.id, checkpoint.ts])).toEqual(
    [3, 2, 1].map((n) => [uuid(n), time(n)]),
  );
  expect(tuples[0]?.parentConfig?.configurable?.["checkpoint_id"]).toBe(uuid(2));
  expect(tuples[0]?.pendingWrites).toEqual([["task", "n", 7]]);
  expect(tuples[1]?.pendingWrites?.map(([of, channel]) => [of, channel])).toEqual([[task(3), "messages"]]);
  const messages = tuples[0]?.checkpoint.channel_values["messages"] as HumanMessage[];
  expect(messages.map(({ id, content }) => [id, content])).toEqual(
    [1, 2, 3].map((n) => [`m${n}`, `text ${n}`]),
  );
  const odd = await saver.getTuple(at("odd"));
  expect([odd?.checkpoint.id, odd?.checkpoint.ts]).toEqual(["first", "yesterday"]);
  const threads = await saver.listThreads();
  expect(threads.map(({ threadId, updatedAt }) => [threadId, updatedAt])).toEqual([
    ["odd", "yesterday"],
    // when it was taken, which was after what it holds
    ["t", TAKEN],
  ]);
  const [first] = await saver.listThreads({ limit: 1 });
  const rest = await saver.listThreads({ before: first as NonNullable<typeof first> });
  expect(rest.map(({ threadId }) => threadId)).toEqual(["t"]);
  await append(saver, 3);
  expect((await saver.getTuple(at("t")))?.checkpoint.channel_values["messages"]).toHaveLength(4);
}

/** One step more, behind the `n` that there are. */
async function append(saver: Saver, n: number, id = uuid(n + 1), of = task(n + 1)): Promise<void> {
  const sets = saver[CHANGE_SETS];
  const { claim, headId } = await sets.open({ threadId: "t", namespace: "" }, { claim: "fail" });
  const message = new HumanMessage({ id: `m${n + 1}`, content: `text ${n + 1}` });
  await sets.commit(claim as Claim, {
    namespace: "",
    parentId: headId,
    expectedHead: headId,
    checkpoint: {
      id,
      ts: time(n + 1),
      metadata: { source: "loop", step: n + 1, parents: {} },
      channelVersions: { messages: n + 1 },
      versionsSeen: { node: { messages: n + 1 } },
    },
    channels: new Map([
      [
        "messages",
        { op: "list", segments: [...(n > 0 ? [{ keep: [0, n] as const }] : []), { add: [message] }] },
      ],
    ]),
    writes: n > 0 ? [{ taskId: of, writes: [["messages", [message]]] }] : [],
  });
  await sets.release(claim as Claim);
}

it("SQLite: a database of format 1 is brought to the present one, once, by the first who may write", async () => {
  const folder = mkdtempSync(join(tmpdir(), "skein-format-"));
  cleanUps.push(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "threads.db");
  const made = new Database(path);
  made.exec(SQLITE_FORMAT_1);
  made.close();
  const reader = SqliteSaver.fromConnString(path, { readOnly: true });
  await expect(reader.getTuple(at("t"))).rejects.toThrow(
    expect.objectContaining({
      code: "STORAGE_UNAVAILABLE",
      message: expect.stringContaining("format 1") as string,
    }),
  );
  await reader.close();
  const savers = [SqliteSaver.fromConnString(path), SqliteSaver.fromConnString(path)] as const;
  savers[0].setup();
  savers[1].setup();
  await shows(savers[1]);
  for (const saver of savers) await saver.close();
  const again = SqliteSaver.fromConnString(path, { readOnly: true });
  expect((await again.getTuple(at("t")))?.checkpoint.id).toBe(uuid(4));
  await again.close();
});

it.each(["broken", "full_report", "busy", "corrupt"])(
  "SQLite: a migration that the view %s of another program is in the way of says so, and changes nothing",
  async (view) => {
    const folder = mkdtempSync(join(tmpdir(), "skein-format-"));
    cleanUps.push(() => rmSync(folder, { recursive: true }));
    const path = join(folder, "threads.db");
    const made = new Database(path);
    made.exec(`${SQLITE_FORMAT_1} CREATE VIEW ${view} AS SELECT * FROM nowhere;`);
    expect(() => SqliteSaver.fromConnString(path).setup()).toThrow(
      expect.objectContaining({
        code: "STORAGE_UNAVAILABLE",
        message: expect.stringMatching(`error in view ${view}: .* drop it and open`) as string,
      }),
    );
    made.exec(`DROP VIEW ${view}`);
    made.close();
    const saver = SqliteSaver.fromConnString(path);
    await shows(saver);
    await saver.close();
  },
);

it("PostgreSQL: a schema of format 1 is brought to the present one, once", async () => {
  const schema = newSchema();
  const pool = await sharedPool();
  cleanUps.push(() => pool.query(`DROP SCHEMA "${schema}" CASCADE`));
  await pool.query(`CREATE SCHEMA "${schema}"; ${postgresFormat1(`"${schema}"`)}`);
  const url = await postgresUrl();
  const savers = [1, 2].map(() => PostgresSaver.fromConnString(url, { schema }));
  await Promise.all(savers.map((saver) => saver.setup()));
  const format = await pool.query(`SELECT value FROM "${schema}".meta`);
  expect(format.rows).toEqual([{ value: "4" }]);
  await shows(savers[0] as PostgresSaver);
  for (const saver of savers) await saver.close();
});

it.each([
  ["CREATE TABLE heads (n)", "STORAGE_UNAVAILABLE", "heads"],
  [
    "CREATE TABLE theirs (n); CREATE VIEW broken AS SELECT n FROM theirs; DROP TABLE theirs",
    "STORAGE_UNAVAILABLE",
    "broken",
  ],
  ["DROP TABLE writes", "STORAGE_CORRUPT", "writes"],
  ["DROP TABLE names", "STORAGE_CORRUPT", "names"],
  ["DROP TABLE checkpoints", "STORAGE_CORRUPT", "checkpoints"],
])(
  "SQLite: format 2 that can't be brought to the present one stays as it is: %s",
  async (sql, code, told) => {
    const { open, toFormat2, path } = earlierFile();
    const made = open();
    await append(made, 0);
    await made.close();
    toFormat2();
    const db = new Database(path);
    db.exec(sql);
    const saver = open();
    cleanUps.push(() => saver.close());
    await expect((async () => saver.setup())()).rejects.toMatchObject({
      code,
      message: expect.stringContaining(told) as string,
    });
    expect(db.prepare("SELECT value FROM meta WHERE key = 'format'").raw().get()).toEqual(["2"]);
    db.close();
  },
);

/** A database of format 2 that is made in the test. */
interface Earlier {
  readonly open: () => SqliteSaver | PostgresSaver;
  readonly toFormat2: () => unknown;
  readonly heads: () => Promise<unknown[]>;
}

const HEADS = "SELECT moved_to, next FROM";

function earlierFile(): Earlier & { readonly path: string } {
  const folder = mkdtempSync(join(tmpdir(), "skein-format-"));
  cleanUps.push(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "threads.db");
  const within = <T>(use: (db: InstanceType<typeof Database>) => T): T => {
    const db = new Database(path);
    const result = use(db);
    db.close();
    return result;
  };
  return {
    path,
    open: () => SqliteSaver.fromConnString(path),
    toFormat2: () => within((db) => db.exec(SQLITE_FORMAT_2)),
    heads: async () => within((db) => db.prepare(`${HEADS} namespaces ORDER BY nsid`).all()),
  };
}

async function earlierSchema(): Promise<Earlier & { sql(text: (s: string) => string): Promise<unknown[]> }> {
  const schema = newSchema();
  const pool = await sharedPool();
  cleanUps.push(() => pool.query(`DROP SCHEMA "${schema}" CASCADE`));
  const url = await postgresUrl();
  return {
    open: () => PostgresSaver.fromConnString(url, { schema }),
    sql: async (text) => (await pool.query(text(`"${schema}"`))).rows,
    toFormat2: () => pool.query(postgresFormat2(`"${schema}"`)),
    heads: async () => (await pool.query(`${HEADS} "${schema}".namespaces ORDER BY nsid`)).rows,
  };
}

it("PostgreSQL: claims of format 3 were counted; a process that knows no other ones may go on", async () => {
  const { open, sql } = await earlierSchema();
  const made = open();
  await append(made, 0);
  await made.close();
  await sql((s) => postgresFormat3(s));
  const saver = open();
  cleanUps.push(() => saver.close());
  await append(saver, 1);
  expect((await saver.getTuple(at("t")))?.checkpoint.channel_values["messages"]).toHaveLength(2);
  await saver[CHANGE_SETS].open({ threadId: "new", namespace: "" }, { claim: "fail" });
  const threads = await sql(
    (s) => `SELECT epoch > 1000 AS any, generation > 1000 AS begun FROM ${s}.threads ORDER BY tid`,
  );
  expect(threads).toEqual([
    { any: true, begun: false },
    { any: true, begun: true },
  ]);
  const old = "take(text, text, text, text, bigint, bigint, bigint, bigint, bigint, integer)";
  expect(await sql((s) => `SELECT to_regprocedure('${s}.${old}') IS NOT NULL AS there`)).toEqual([
    { there: true },
  ]);
});

it.each([
  { name: "SQLite", make: earlierFile },
  { name: "PostgreSQL", make: earlierSchema },
])("$name: heads of format 2 are where they were, moved or not, and go on", async ({ make }) => {
  const { open, toFormat2, heads } = await make();
  const made = open();
  for (let n = 0; n < 3; n += 1) await append(made, n);
  await made.copyThread("t", "moved");
  await made.moveHead("moved", uuid(2));
  await made.close();
  await toFormat2();
  const saver = open();
  cleanUps.push(() => saver.close());
  expect((await saver.getTuple(at("t")))?.checkpoint.id).toBe(uuid(3));
  expect((await saver.getTuple(at("moved")))?.checkpoint.id).toBe(uuid(2));
  await append(saver, 3);
  expect((await saver.getTuple(at("t")))?.checkpoint.channel_values["messages"]).toHaveLength(4);
  const found = (await heads()) as { moved_to: unknown; next: unknown }[];
  expect(found.map(({ moved_to, next }) => [moved_to, Number(next)].map(String))).toEqual([
    ["null", "4"],
    ["2", "4"],
  ]);
});

it.each(ALL_SAVERS)(
  "$name: writes that stand with a checkpoint are found, added to and kept where theirs goes",
  async ({ open }) => {
    const { saver, reopen, close } = open();
    cleanUps.push(close);
    for (let n = 0; n < 3; n += 1) await append(saver, n);
    const under = async (n: number, by: Saver = saver) => {
      const { configurable } = at("t");
      const tuple = await by.getTuple({ configurable: { ...configurable, checkpoint_id: uuid(n) } });
      return tuple?.pendingWrites?.map(([of, channel]) => [of, channel]);
    };
    expect(await under(1, reopen())).toEqual([[task(2), "messages"]]);
    // a position that is taken stays, further ones are added
    await saver.putWrites(
      { configurable: { ...at("t").configurable, checkpoint_id: uuid(1) } },
      [["messages", "late"], ["n", 5]], // prettier-ignore
      task(2),
    );
    const two = [[task(2), "messages"], [task(2), "n"]]; // prettier-ignore
    expect(await under(1)).toEqual(two);
    // back: the next checkpoint is then one of another branch
    await saver.moveHead("t", uuid(2));
    const opened = await reopen()[CHANGE_SETS].open({ threadId: "t", namespace: "" });
    expect(opened.checkpoint?.pendingWrites.map(([of]) => of)).toEqual([task(3)]);
    await append(saver, 2, uuid(9), task(9));
    expect(await under(2, reopen())).toEqual([[task(3), "messages"], [task(9), "messages"]]); // prettier-ignore
    await saver.deleteBranch("t", uuid(3));
    expect(await under(2, reopen())).toEqual([[task(3), "messages"], [task(9), "messages"]]); // prettier-ignore
    expect(await under(1, reopen())).toEqual(two);
  },
);
