import { HumanMessage } from "@langchain/core/messages";
import { Pool, type PoolClient } from "pg";
import { expect, it } from "vitest";
import { run } from "../src/awaitable.ts";
import type { Backend, CheckpointRow } from "../src/core/backend.ts";
import type { PostgresPool, PostgresSaver } from "../src/postgres/index.ts";
import { readNamespaces } from "../src/verbs/stored-thread.ts";
import { putValue } from "./steps.ts";
import { schemaPerTest } from "./support/schema-per-test.ts";

const schema = schemaPerTest();

/** A pool that counts what is sent, in transactions too. */
function countingPool(): { pool: PostgresPool; count: () => number } {
  const own = new Pool({ connectionString: schema.url });
  let sent = 0;
  const counted = (client: PoolClient) =>
    new Proxy(client, {
      get(target, name) {
        if (name === "query") sent += 1;
        const value: unknown = Reflect.get(target, name);
        return typeof value === "function" ? (value.bind(target) as unknown) : value;
      },
    });
  const pool: PostgresPool = {
    query: (query) => {
      sent += 1;
      return own.query(query);
    },
    connect: async () => counted(await own.connect()),
    end: () => own.end(),
    on: (event, listener) => own.on(event, listener),
  };
  return { pool, count: () => sent };
}

async function called(saver: PostgresSaver, threadId: string, calls: number): Promise<void> {
  const said = new HumanMessage({ id: "h1", content: "something to be erased" });
  await putValue(saver, threadId, "1", [said]);
  await putValue(saver, threadId, "2", [said]);
  for (let call = 0; call < calls; call += 1) await putValue(saver, threadId, "1", call, `sub:${call}`);
}

it("PostgreSQL: verbs take as many queries whatever the number of graphs that were called", async () => {
  const { pool, count } = countingPool();
  const saver = schema.over(pool);
  const counts: number[][] = [];
  for (const calls of [3, 30]) {
    const threadId = `of ${calls}`;
    await called(saver, threadId, calls);
    const verbs = [
      () => saver.moveHead(threadId, "1"),
      () => saver.prune(threadId, { keepLast: 100 }),
      () => saver.eraseMessage({ configurable: { thread_id: threadId } }, "h1"),
    ];
    const taken: number[] = [];
    for (const verb of verbs) {
      const before = count();
      await verb();
      taken.push(count() - before);
    }
    counts.push(taken);
    const last = { configurable: { thread_id: threadId, checkpoint_ns: `sub:${calls - 1}` } };
    expect((await saver.getTuple(last))?.checkpoint.channel_values).toEqual({ n: calls - 1 });
  }
  expect(counts[1]).toEqual(counts[0]);
});

it("PostgreSQL: what is put to a namespace that stays as it is, while a verb looks at it, stays", async () => {
  const { pool } = countingPool();
  const saver = schema.over(pool);
  await called(saver, "t", 3);
  const { query } = pool;
  let isPut = false;
  pool.query = async (asked) => {
    const answer = await query(asked);
    if (!isPut && asked.text.includes("ANY ($1) ORDER BY nsid, seq")) {
      isPut = true;
      await putValue(schema.open(), "t", "2", "late", "sub:1");
    }
    return answer;
  };
  await saver.prune("t", { keepLast: 1 });
  expect(isPut).toBe(true);
  const late = { configurable: { thread_id: "t", checkpoint_ns: "sub:1" } };
  expect((await schema.open().getTuple(late))?.checkpoint.channel_values).toEqual({ n: "late" });
});

it("short namespaces are read together, long ones page by page, all in their order", async () => {
  const sizes = [2, 1, 1500, 3, 400, 590, 20, 2000];
  const together: number[][] = [];
  const rowsOf = (nsid: number, after: number, limit = Infinity) =>
    Array.from({ length: Math.min(limit, (sizes[nsid] ?? 0) - after) }, (_, i) => ({
      seq: after + i + 1,
    })) as unknown as CheckpointRow[];
  const backend: Partial<Backend> = {
    namespaces: () =>
      sizes.map((size, nsid) => ({
        threadId: "t",
        tid: 1,
        namespace: `n${nsid}`,
        nsid,
        head: size,
        next: size + 1,
      })),
    scanCheckpoints: rowsOf,
    scanWrites: () => [],
    readWhole: (nsids) => {
      together.push([...nsids]);
      return nsids.map((nsid) => ({ checkpoints: rowsOf(nsid, 0), writes: [] }));
    },
  };
  const read = await run(readNamespaces(backend as Backend, "t"));
  expect(together).toEqual([
    [0, 1],
    [3, 4, 5],
  ]);
  expect(read.map(({ row }) => row.nsid)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  expect(read.map(({ checkpoints }) => checkpoints.length)).toEqual(sizes);
});
