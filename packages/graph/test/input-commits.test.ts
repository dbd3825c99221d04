import { AIMessage, HumanMessage, type BaseMessage } from "@langchain/core/messages";
import { MemorySaver } from "@skein/checkpointer";
import { SqliteSaver } from "@skein/checkpointer/sqlite";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { countingSaver, newSchema } from "../../checkpointer/test/support/postgres.ts";
import { ALL_SAVERS, type Saver } from "../../checkpointer/test/savers.ts";
import { Annotation, MessagesAnnotation, messagesStateReducer, START, StateGraph } from "../src/index.ts";

const thread = { durability: "sync" as const, configurable: { thread_id: "t" } };
const answer = ({ messages }: typeof MessagesAnnotation.State) => ({
  messages: [new AIMessage({ id: `a${messages.length}`, content: `answer ${messages.length}` })],
});
const ask = (id: string) => ({
  messages: [new HumanMessage({ id, content: `question ${id} ${"word ".repeat(80)}` })],
});

const chat = (checkpointer: Saver) =>
  new StateGraph(MessagesAnnotation)
    .addNode("model", answer)
    .addEdge(START, "model")
    .compile({ checkpointer });

/** What the newest checkpoint of the thread was stored for. */
const newest = async (saver: Saver): Promise<string | undefined> =>
  (await saver.getTuple(thread))?.metadata?.source;

describe.each(ALL_SAVERS)("the checkpoint of an input, on $name (A5, D1)", (kind) => {
  let storage: ReturnType<typeof kind.open>;
  beforeEach(() => {
    storage = kind.open();
  });
  afterEach(() => storage.close());

  it("is stored by the time that a node runs, with what the input became", async () => {
    const seen: unknown[] = [];
    const graph = new StateGraph(MessagesAnnotation)
      .addNode("model", async (state) => {
        const tuples = [];
        for await (const { metadata } of storage.reopen().list(thread)) tuples.push(metadata?.source);
        seen.push(tuples.slice(0, 2));
        return answer(state);
      })
      .addEdge(START, "model")
      .compile({ checkpointer: storage.saver });
    for (const id of ["q1", "q2", "q3"]) await graph.invoke(ask(id), thread);
    expect(seen).toEqual(Array.from({ length: 3 }, () => ["loop", "input"]));
  });

  it("is stored before a condition at START is asked", async () => {
    const seen: unknown[] = [];
    const graph = new StateGraph(MessagesAnnotation)
      .addNode("model", answer)
      .addConditionalEdges(START, async () => {
        seen.push(await newest(storage.reopen()));
        return "model";
      })
      .compile({ checkpointer: storage.saver });
    for (const id of ["q1", "q2", "q3"]) await graph.invoke(ask(id), thread);
    expect(seen).toEqual(["input", "input", "input"]);
  });

  it("is stored before a stream shows it", async () => {
    const graph = chat(storage.saver);
    await graph.invoke(ask("q1"), thread);
    const shown: unknown[] = [];
    for await (const { config, metadata } of await graph.stream(ask("q2"), {
      ...thread,
      streamMode: "checkpoints",
    })) {
      const tuple = await storage.reopen().getTuple(config ?? {});
      shown.push([metadata?.source, tuple?.metadata?.source]);
    }
    expect(shown).toEqual(["input", "loop", "loop"].map((source) => [source, source]));
  });

  it("stays where the input's reducer throws, and the thread goes on", async () => {
    const State = Annotation.Root({
      messages: Annotation<BaseMessage[]>({
        reducer: (left: BaseMessage[], right: BaseMessage[]) => {
          if (right.some(({ content }) => String(content).startsWith("question wrong")))
            throw new Error("not that one");
          return messagesStateReducer(left, right);
        },
        default: () => [],
      }),
    });
    const graph = (checkpointer: Saver) =>
      new StateGraph(State).addNode("model", answer).addEdge(START, "model").compile({ checkpointer });
    const told = async (saver: Saver): Promise<unknown[]> => {
      const states: unknown[] = [];
      for (const id of ["q1", "wrong", "q2"])
        await graph(saver)
          .invoke(ask(id), thread)
          .catch(({ message }: Error) => states.push(message));
      for await (const { metadata, next, values } of graph(saver).getStateHistory(thread))
        states.push([metadata?.source, next, values]);
      return states;
    };
    const states = await told(storage.saver);
    expect(states[0]).toContain("not that one");
    expect(states).toEqual(await told(new MemorySaver()));
  });
});

it("a turn of one node is three calls of PostgreSQL", async () => {
  const { saver, sent } = await countingSaver(newSchema());
  const graph = chat(saver);
  for (const id of ["q1", "q2"]) await graph.invoke(ask(id), thread);
  sent.length = 0;
  await graph.invoke(ask("q3"), thread);
  expect(sent.map((text) => /\.(take|steps)\(|\bUPDATE\b/.exec(text)?.[0])).toEqual([
    ".take(",
    ".steps(",
    "UPDATE",
  ]);
});

it("a turn of one node is three calls of SQLite", async () => {
  const { default: Database } = await import("libsql");
  const db = new Database(":memory:");
  const ran: string[] = [];
  const prepare = db.prepare.bind(db);
  db.prepare = ((sql: string) => {
    const statement = prepare(sql);
    const run = statement.run.bind(statement);
    statement.run = ((...values: unknown[]) => {
      ran.push(sql);
      return run(...values);
    }) as never;
    return statement;
  }) as never;
  const saver = new SqliteSaver(db as never);
  const graph = chat(saver);
  for (const id of ["q1", "q2"]) await graph.invoke(ask(id), thread);
  ran.length = 0;
  await graph.invoke(ask("q3"), thread);
  expect(ran.map((sql) => sql.split(" ", 3).join(" "))).toEqual([
    "UPDATE threads SET",
    "INSERT INTO commit_step",
    "INSERT INTO commit_step",
  ]);
  expect(await saver.checkpoints("t")).toHaveLength(9);
});
