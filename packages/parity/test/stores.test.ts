import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BaseStore } from "@langchain/langgraph-checkpoint";
import { InMemoryStore } from "@skein/checkpointer/store";
import { PostgresStore } from "@skein/checkpointer/store/postgres";
import { SqliteStore } from "@skein/checkpointer/store/sqlite";
import { afterAll, describe, expect, it } from "vitest";
import { newSchema, postgresUrl } from "../../checkpointer/test/support/postgres.ts";
import { type Engine, oracle, ours } from "../src/engines.ts";

const folder = mkdtempSync(join(tmpdir(), "skein-parity-stores-"));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

interface ClosableStore extends BaseStore {
  stop(): Promise<void>;
}

const STORES: Readonly<Record<string, (engine: Engine) => Promise<ClosableStore>>> = {
  memory: async () => new InMemoryStore(),
  SQLite: async ({ name }) => SqliteStore.fromConnString(join(folder, `${name}.db`)),
  PostgreSQL: async () => PostgresStore.fromConnString(await postgresUrl(), { schema: newSchema() }),
};

/** A program that remembers across threads: in a node, in a subgraph, and in many tasks of one step. */
function program({ lg }: Engine, store: BaseStore) {
  const State = lg.Annotation.Root({
    user: lg.Annotation<string>,
    said: lg.Annotation<string>,
    recalled: lg.Annotation<string[]>,
    seen: lg.Annotation<string[]>({ reducer: (a, b) => [...a, ...b], default: () => [] }),
  });
  const Inner = lg.Annotation.Root({ user: lg.Annotation<string>, recalled: lg.Annotation<string[]> });
  const inner = new lg.StateGraph(Inner)
    .addNode("recall", async ({ user }) => {
      const found = (await lg.getStore()?.search(["memories", user], { query: "tea" })) ?? [];
      return { recalled: found.map(({ key }) => key).sort() };
    })
    .addEdge(lg.START, "recall")
    .compile();
  return new lg.StateGraph(State)
    .addNode("remember", async ({ user, said }, config) => {
      const at = ["memories", user];
      const known = (await config.store?.search(at)) ?? [];
      const [, , last] = await Promise.all([
        config.store?.put(at, `${known.length}`, { said, n: known.length }),
        config.store?.put([...at, "latest"], "it", { said }),
        config.store?.get(at, `${known.length - 1}`),
      ]);
      return { seen: [`${known.length} known, last ${JSON.stringify(last?.value ?? null)}`] };
    })
    .addNode("inner", inner)
    .addNode("note", async ({ said }: typeof State.State, config) => {
      await config.store?.put(["notes"], said, { length: said.length });
    })
    .addNode("report", async ({ user }, config) => {
      const many = await config.store?.search(["notes"], { filter: { length: { $gt: 4 } }, limit: 50 });
      await config.store?.delete(["memories", user, "latest"], "it");
      return { seen: [JSON.stringify(many?.map(({ key }) => key).sort())] };
    })
    .addEdge(lg.START, "remember")
    .addEdge("remember", "inner")
    .addConditionalEdges("inner", ({ user }) =>
      Array.from({ length: 6 }, (_, i) => new lg.Send("note", { user, said: "x".repeat(i + 1) })),
    )
    .addEdge("note", "report")
    .compile({ store, checkpointer: new lg.MemorySaver() });
}

async function outcome(engine: Engine, store: ClosableStore) {
  const graph = program(engine, store);
  const run = async (thread: string, user: string, said: string) => {
    const { seen, recalled } = await graph.invoke({ user, said }, { configurable: { thread_id: thread } });
    return { seen, recalled };
  };
  try {
    const seen = [
      await run("1", "ada", "I like tea"),
      await run("2", "ada", "and long walks"),
      await run("3", "adam", "coffee for me"),
      await run("1", "ada", "tea it is"),
    ];
    const items = await store.search([], { limit: 100 });
    return {
      seen,
      items: items.map(({ namespace, key, value }) => JSON.stringify([namespace, key, value])).sort(),
      namespaces: await store.listNamespaces(),
    };
  } finally {
    await store.stop();
  }
}

describe("our stores under both engines (F8)", () => {
  it.each(Object.keys(STORES))("%s: a program remembers the same", async (kind) => {
    const open = STORES[kind] as (engine: Engine) => Promise<ClosableStore>;
    const theirs = await outcome(oracle, await open(oracle));
    expect(theirs.seen[2]).toEqual({ seen: ["0 known, last null", '["xxxxx","xxxxxx"]'], recalled: [] });
    expect(theirs.seen[3]?.recalled).toEqual(["0", "2", "it"]);
    expect(theirs.namespaces).toEqual([["memories", "ada"], ["memories", "adam"], ["notes"]]);
    expect(theirs.items).toContain('[["memories","ada"],"2",{"said":"tea it is","n":2}]');
    expect(await outcome(ours, await open(ours))).toEqual(theirs);
  });
});
