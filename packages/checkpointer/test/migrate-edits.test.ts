import { HumanMessage } from "@langchain/core/messages";
import { Annotation, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import {
  emptyCheckpoint,
  MemorySaver as LangGraphMemory,
  type BaseCheckpointSaver,
} from "@langchain/langgraph-checkpoint";
import { SqliteSaver as LangGraphSqlite } from "@langchain/langgraph-checkpoint-sqlite";
import * as fc from "fast-check";
import Database from "libsql";
import { describe, expect, it, onTestFinished } from "vitest";
import { migrateThread } from "../src/index.ts";
import { SAVERS } from "./savers.ts";

const config = { configurable: { thread_id: "t" } };

/** What each checkpoint holds, as JSON: two savers make messages of different classes. */
async function statesOf(saver: BaseCheckpointSaver): Promise<Map<string, unknown>> {
  const states = new Map<string, unknown>();
  for await (const { config: at } of saver.list(config)) {
    const checkpoint = (await saver.getTuple(at))?.checkpoint;
    states.set(String(checkpoint?.id), JSON.parse(JSON.stringify(checkpoint)));
  }
  return states;
}

const SOURCES: readonly (readonly [string, () => BaseCheckpointSaver])[] = [
  ["LangGraph's MemorySaver", () => new LangGraphMemory()],
  ["LangGraph's SqliteSaver", () => new LangGraphSqlite(new Database(":memory:") as never)],
];
const TARGETS: readonly (readonly [string, () => BaseCheckpointSaver])[] = [
  ...SAVERS.map(({ name, open }) => [`our ${name}`, () => opened(open())] as const),
  ["LangGraph's MemorySaver", () => new LangGraphMemory()],
];

function opened({ saver, close }: ReturnType<(typeof SAVERS)[number]["open"]>): BaseCheckpointSaver {
  onTestFinished(close);
  return saver;
}

const each = SOURCES.flatMap(([from, source]) =>
  TARGETS.map(([to, target]) => ({ from, to, source, target })),
);

describe.each(each)("a migration from $from to $to", ({ source, target }) => {
  it("takes over what a node edited in place, which has the version from before", async () => {
    const saver = source();
    const graph = new StateGraph(
      Annotation.Root({
        ...MessagesAnnotation.spec,
        counts: Annotation<{ n: number }>(),
        rows: Annotation<{ n: number }[]>(),
        turn: Annotation<number>(),
      }),
    )
      .addNode("edit", ({ messages, counts, rows, turn }) => {
        counts.n += 1;
        if (rows[1] !== undefined) rows[1].n = turn * 100;
        if (messages[0] !== undefined) messages[0].content = `edited ${turn}`;
        return { turn: turn + 1 };
      })
      .addEdge(START, "edit")
      .compile({ checkpointer: saver });
    const messages = [0, 1, 2].map((n) => new HumanMessage({ id: `m${n}`, content: `as it was ${n}` }));
    const rows = [0, 1, 2].map((n) => ({ n }));
    await graph.invoke({ messages, counts: { n: 0 }, rows, turn: 1 }, config);
    await graph.invoke({ turn: 2 }, config);

    const to = target();
    await migrateThread(saver, to, { threadId: "t" });
    expect(await statesOf(to)).toEqual(await statesOf(saver));
    expect((await to.getTuple(config))?.checkpoint.channel_values).toMatchObject({
      counts: { n: 2 },
      rows: [{ n: 0 }, { n: 200 }, { n: 2 }],
      messages: [{ content: "edited 2" }, { content: "as it was 1" }, { content: "as it was 2" }],
    });
  });

  it("does not bring back a step that LangGraph took out: its node would run twice", async () => {
    const ran: string[] = [];
    const compiled = (checkpointer: BaseCheckpointSaver) =>
      new StateGraph(Annotation.Root({ said: Annotation<string>() }))
        .addNode("asked", () => ({ said: "asked" }))
        .addNode("fails", () => {
          ran.push("fails");
          if (ran.length === 1) throw new Error("for once");
          return { said: "again" };
        })
        .addEdge(START, "asked")
        .addEdge(START, "fails")
        .compile({ checkpointer });
    const saver = source();
    await expect(compiled(saver).invoke({ said: "in" }, config)).rejects.toThrow("for once");
    await compiled(saver).updateState(config, { said: "by hand" }, "asked");
    expect((await compiled(saver).getState(config)).next).toEqual([]);

    const to = target();
    await migrateThread(saver, to, { threadId: "t" });
    expect((await compiled(to).getState(config)).next).toEqual([]);
    await compiled(to).invoke(null, config);
    expect(ran).toEqual(["fails"]);
  });
});

const value = fc.oneof(
  fc.constantFrom<unknown>(null, 0, "text", "x".repeat(300), [], { a: 1 }, { b: { id: "m1" } }),
  fc.array(
    fc.constantFrom<unknown>({ id: "m1", said: 1 }, { id: "m1", said: 2 }, { id: "m2" }, { said: 3 }, 4),
    {
      maxLength: 6,
    },
  ),
);

const state = fc.record({
  /** How far back its parent is; 0: it has none. */
  parent: fc.oneof(fc.constant(1), fc.nat(4)),
  values: fc.dictionary(fc.constantFrom("a", "b", "without version"), value),
  versions: fc.record({ a: fc.integer({ min: 1, max: 2 }), b: fc.integer({ min: 1, max: 2 }) }),
});

const numbered = (n: number): string => String(n).padStart(8, "0");

it.each(TARGETS)("every checkpoint has what it had in the source, in %s", async (_, target) => {
  await fc.assert(
    fc.asyncProperty(fc.array(state, { minLength: 2, maxLength: 12, size: "max" }), async (states) => {
      const saver = new LangGraphMemory();
      for (const [i, { parent, values, versions }] of states.entries()) {
        const checkpoint = { ...emptyCheckpoint(), id: numbered(i), channel_values: values };
        const under = parent === 0 || i < parent ? {} : { checkpoint_id: numbered(i - parent) };
        const place = { configurable: { thread_id: "t", checkpoint_ns: "", ...under } };
        const metadata = { source: "loop", step: i, parents: {} } as const;
        await saver.put(place, { ...checkpoint, channel_versions: versions }, metadata);
      }
      const to = target();
      await migrateThread(saver, to, { threadId: "t" });
      expect(await statesOf(to)).toEqual(await statesOf(saver));
    }),
    { numRuns: 40 },
  );
});

it("what stays as it was is stored once", async () => {
  const saver = new LangGraphMemory();
  const graph = new StateGraph(Annotation.Root({ ...MessagesAnnotation.spec, record: Annotation<object>() }))
    .addNode("answer", ({ messages }) => ({ messages: [new HumanMessage(`answer ${messages.length}`)] }))
    .addEdge(START, "answer")
    .compile({ checkpointer: saver });
  const ask = (turn: number, more: object = {}) =>
    graph.invoke({ messages: [new HumanMessage(`question ${turn}`)], ...more }, config);
  await ask(0, { record: { text: "x".repeat(1000) } });
  const sizeOf = async (): Promise<{ items: number; itemBytes: number }> => {
    const { saver: to, close } = (SAVERS[0] as (typeof SAVERS)[number]).open();
    await migrateThread(saver, to, { threadId: "t" });
    const { items = 0, itemBytes = 0 } = (await to.storageReport("t")) ?? {};
    await close();
    return { items, itemBytes };
  };
  const before = await sizeOf();
  for (let turn = 1; turn <= 10; turn += 1) await ask(turn);
  const after = await sizeOf();
  expect(after.items - before.items).toBe(20);
  expect(after.itemBytes - before.itemBytes).toBeLessThan(10_000);
});
