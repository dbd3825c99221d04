import { AIMessage, HumanMessage, RemoveMessage } from "@langchain/core/messages";
import { MemorySaver } from "@langchain/langgraph-checkpoint";
import { MemorySaver as ItemMemorySaver } from "@skein/checkpointer";
import { SqliteSaver } from "@skein/checkpointer/sqlite";
import { expect, test } from "vitest";
import { z } from "zod";
import {
  Annotation,
  Command,
  type Durability,
  interrupt,
  MessagesAnnotation,
  Overwrite,
  ReducedValue,
  Send,
  START,
  StateGraph,
  StateSchema,
} from "@skein/graph";

import { SAVERS } from "./support/savers.ts";

/** docs/decisions/2026-11-21-shared-reducer-key.md */
const State = Annotation.Root({
  trail: Annotation<string[]>({ reducer: (a, b) => a.concat(b), default: () => [] }),
  total: Annotation<number>({ reducer: (a, b) => a + b, default: () => 0 }),
});
type Update = typeof State.Update;
const leaves = (name: string) => (): Update => ({ trail: [name], total: 1 });
const thread = { configurable: { thread_id: "t" } };

/** before -> sub (the nodes in a row) -> after */
function around(nodes: readonly (readonly [string, () => Update])[], saver?: MemorySaver) {
  const inner = new StateGraph(State).addSequence(nodes as [string, () => Update][]);
  inner.addEdge(START, nodes[0]?.[0] as never);
  return new StateGraph(State)
    .addNode("before", leaves("before"))
    .addNode("sub", inner.compile())
    .addNode("after", leaves("after"))
    .addEdge(START, "before")
    .addEdge("before", "sub")
    .addEdge("sub", "after")
    .compile(saver === undefined ? {} : { checkpointer: saver });
}

const first = (left: unknown, right: unknown) => right ?? left;
const joined = (left: string[], right: string[]) => left.concat(right);
const sum = (left: number, right: number) => left + right;
const max = (left: number, right: number) => Math.max(left, right);

type Reducer = (left: never, right: never) => unknown;

const spread = (left: string[], right: string[]) => [...left, ...right];
const lastThree = (left: string[], right: string[]) => joined(left, right).slice(-3);
const added = (left: number, right: number) => right + left;
const text = (left: string, right: number) => left + right.toFixed();
const numbers = (_left: number, right: string) => Number(right);

interface Case {
  readonly caller: Reducer;
  readonly inner: Reducer;
  readonly given: unknown;
  readonly written: readonly [unknown, unknown];
  readonly expected: unknown;
}

const APPENDED = { given: ["p"], written: [["c"], ["d"]], expected: ["p", "c", "d"] } as const;
const CASES: Readonly<Record<string, Case>> = {
  "the caller replaces, the subgraph appends": { caller: first, inner: joined, ...APPENDED },
  "the caller keeps the last three": { caller: lastThree, inner: joined, ...APPENDED },
  "both append, each in its way": { caller: spread, inner: joined, ...APPENDED },
  "the greatest of sums": { caller: max, inner: sum, given: 10, written: [3, 2], expected: 15 },
  "the sum of what is replaced": { caller: sum, inner: first, given: 10, written: [3, 2], expected: 12 },
  "both add, each in its way": { caller: added, inner: sum, given: 10, written: [3, 2], expected: 15 },
  "the caller's reducer fails on it": {
    caller: text,
    inner: numbers,
    given: 1,
    written: ["2", "3"],
    expected: "13",
  },
};

const stateWith = (reducer: Reducer) =>
  Annotation.Root({
    key: Annotation<unknown>({ reducer: reducer as (left: unknown, right: unknown) => unknown }),
    other: Annotation<string>,
  });

test.each(Object.entries(CASES))(
  "a subgraph gives back what its caller's reducer can make something of: %s",
  async (_, { caller, inner, given, written, expected }) => {
    const [one, two] = written.map((key) => () => ({ key }));
    const sub = new StateGraph(stateWith(inner))
      .addNode("one", one as () => object)
      .addNode("two", two as () => object)
      .addEdge(START, "one")
      .addEdge("one", "two")
      .compile();
    const graph = new StateGraph(stateWith(caller)).addNode("sub", sub).addEdge(START, "sub").compile();
    expect((await graph.invoke({ key: given })).key).toEqual(expected);
  },
);

test("callbacks are told one value of several writes to a key", async () => {
  const outputs: unknown[] = [];
  const graph = around([
    ["one", leaves("one")],
    ["two", leaves("two")],
  ]);
  const handler = {
    handleChainStart: (_chain: unknown, _inputs: unknown, id: string, ...rest: unknown[]) => {
      if (rest[4] === "sub") subs.add(id);
    },
    handleChainEnd: (told: unknown, id: string) => {
      if (subs.has(id)) outputs.push(told);
    },
  };
  const subs = new Set<string>();
  await graph.invoke({}, { callbacks: [handler] });
  expect(outputs).toContainEqual({ trail: ["one", "two"], total: 2 });
  for (const told of outputs) expect(Array.isArray((told as { trail: unknown }).trail)).toBe(true);
});

test("states show several writes to a key as the stream did", async () => {
  const graph = around(
    [
      ["one", leaves("one")],
      ["two", leaves("two")],
    ],
    new MemorySaver(),
  );
  const streamed: unknown[] = [];
  const input = { trail: ["in"], total: 10 };
  for await (const { sub } of await graph.stream(input, { ...thread, streamMode: "updates" }))
    if (sub !== undefined) streamed.push(sub);
  const shown: unknown[] = [];
  for await (const { tasks } of graph.getStateHistory(thread))
    for (const { name, result } of tasks) if (name === "sub") shown.push(result);
  expect(shown).toEqual([{ trail: ["one", "two"], total: 2 }]);
  expect(shown).toEqual(streamed);
});

test("lists and sums come back once, from several steps", async () => {
  const graph = around([
    ["one", leaves("one")],
    ["two", leaves("two")],
  ]);
  const output = await graph.invoke({ trail: ["in"], total: 10 });
  expect(output).toEqual({ trail: ["in", "before", "one", "two", "after"], total: 14 });
});

test("a key that nothing inside wrote is not written", async () => {
  const graph = around([["one", () => ({ total: 5 })]]);
  const updates = await graph.invoke({ trail: ["in"] }, { streamMode: "updates" });
  expect(updates[1]).toEqual({ sub: { total: 5 } });
});

test("updates show several writes of a key as one value", async () => {
  const graph = around([
    ["one", leaves("one")],
    ["two", leaves("two")],
  ]);
  const updates = await graph.invoke({ trail: ["in"] }, { streamMode: "updates" });
  expect(updates[1]).toEqual({ sub: { trail: ["one", "two"], total: 2 } });
});

test("subgraphs side by side each add their own", async () => {
  const inner = (name: string) =>
    new StateGraph(State).addNode("in", leaves(name)).addEdge(START, "in").compile();
  const graph = new StateGraph(State)
    .addNode("left", inner("left"))
    .addNode("right", inner("right"))
    .addEdge(START, "left")
    .addEdge(START, "right")
    .compile();
  expect(await graph.invoke({ trail: ["in"], total: 1 })).toEqual({
    trail: ["in", "left", "right"],
    total: 3,
  });
});

test("two graphs down, and through a Send that carries the state", async () => {
  const deepest = new StateGraph(State).addNode("in", leaves("deep")).addEdge(START, "in").compile();
  const middle = new StateGraph(State)
    .addNode("down", deepest)
    .addNode("own", leaves("middle"))
    .addEdge(START, "down")
    .addEdge("down", "own")
    .compile();
  const graph = new StateGraph(State)
    .addNode("top", middle)
    .addConditionalEdges(START, (state) => new Send("top", state), ["top"])
    .compile();
  expect(await graph.invoke({ trail: ["in"] })).toEqual({ trail: ["in", "deep", "middle"], total: 2 });
});

test("a condition after the subgraph sees its writes once", async () => {
  const inner = new StateGraph(State)
    .addSequence([
      ["one", leaves("one")],
      ["two", leaves("two")],
    ])
    .addEdge(START, "one")
    .compile();
  const seen: string[][] = [];
  const graph = new StateGraph(State)
    .addNode("sub", inner)
    .addNode("after", leaves("after"))
    .addEdge(START, "sub")
    .addConditionalEdges("sub", (state) => (seen.push(state.trail), "after"), ["after"])
    .compile();
  await graph.invoke({ trail: ["in"] });
  expect(seen).toEqual([["in", "one", "two"]]);
});

const savers = [
  ["memory", () => new ItemMemorySaver()],
  ["SQLite", () => SqliteSaver.fromConnString(":memory:")],
  ["any saver", () => new MemorySaver()],
] as const;
const waiting = savers.flatMap(([name, saver]) =>
  (["sync", "async"] as const).map((durability) => [name, durability, saver] as const),
);

test.each(waiting)(
  "writes before an interrupt inside count when it is answered (%s, %s)",
  async (_name, durability, makeSaver) => {
    const saver = makeSaver() as MemorySaver;
    const build = () =>
      around(
        [
          ["one", leaves("one")],
          ["two", leaves("two")],
          ["ask", () => ({ trail: [interrupt<string, string>("?")], total: 1 })],
          ["ask again", () => ({ trail: [interrupt<string, string>("again?")], total: 1 })],
        ],
        saver,
      );
    const config = { ...thread, durability: durability as Durability };
    await build().invoke({ trail: ["in"], total: 10 }, config);
    await build().invoke(new Command({ resume: "yes" }), config);
    const output = await build().invoke(new Command({ resume: "again" }), config);
    expect(output).toEqual({
      trail: ["in", "before", "one", "two", "yes", "again", "after"],
      total: 16,
    });
  },
);

test("in durability exit a list comes back once, too", async () => {
  const graph = around(
    [
      ["one", leaves("one")],
      ["ask", () => ({ trail: [interrupt<string, string>("?")] })],
    ],
    new MemorySaver(),
  );
  const config = { ...thread, durability: "exit" as const };
  await graph.invoke({ trail: ["in"] }, config);
  const output = await graph.invoke(new Command({ resume: "yes" }), config);
  expect(output.trail).toEqual(["in", "before", "one", "yes", "after"]);
});

test("Overwrite inside: what stands then is the subgraph's own", async () => {
  const graph = around([
    ["one", leaves("one")],
    ["new", () => ({ trail: new Overwrite(["new"]), total: new Overwrite(100) })],
    ["two", leaves("two")],
  ]);
  const output = await graph.invoke({ trail: ["in"], total: 10 });
  // as LangGraph has it: the parent's reducer gets the value that was made inside
  expect(output).toEqual({ trail: ["in", "before", "new", "two", "after"], total: 10 + 1 + 101 + 1 });
});

test("messages removed inside stay outside", async () => {
  const inner = new StateGraph(MessagesAnnotation)
    .addNode("trim", () => ({
      messages: [new RemoveMessage({ id: "h" }), new AIMessage({ id: "a", content: "answer" })],
    }))
    .addEdge(START, "trim")
    .compile();
  const graph = new StateGraph(MessagesAnnotation).addNode("sub", inner).addEdge(START, "sub").compile();
  const { messages } = await graph.invoke({ messages: [new HumanMessage({ id: "h", content: "hi" })] });
  expect(messages.map(({ id }) => id)).toEqual(["h", "a"]);
});

const limited = (limit: number) =>
  new StateSchema({
    trail: new ReducedValue(
      z.array(z.string().max(limit)).default(() => []),
      { reducer: (a, b) => a.concat(b) },
    ),
  });

const checked = (limit: number) =>
  new StateGraph(limited(limit))
    .addNode(
      "sub",
      new StateGraph(limited(100))
        .addSequence([
          ["one", () => ({ trail: ["short"] })],
          ["two", () => ({ trail: ["rather long"] })],
        ])
        .addEdge(START, "one")
        .compile(),
    )
    .addEdge(START, "sub")
    .compile();

test("every write of a subgraph is checked against the parent's schema", async () => {
  expect(await checked(20).invoke({ trail: ["in"] })).toEqual({ trail: ["in", "short", "rather long"] });
  await expect(checked(5).invoke({ trail: ["in"] })).rejects.toMatchObject({ details: { field: "trail" } });
});

test.each(
  SAVERS.flatMap(([name, make]) =>
    (["sync", "exit"] as const).map((durability) => ({ name, make, durability })),
  ),
)("an answer's update is not taken for what a subgraph was given ($name, $durability)", async (how) => {
  const inner = new StateGraph(State)
    .addNode("asks", () => ({ trail: [`${String(interrupt("1?"))}${String(interrupt("2?"))}`] }))
    .addEdge(START, "asks");
  const graph = new StateGraph(State)
    .addNode("sub", inner.compile())
    .addNode("after", leaves("after"))
    .addEdge(START, "sub")
    .addEdge("sub", "after")
    .compile({ checkpointer: how.make() });
  const config = { ...thread, durability: how.durability };
  await graph.invoke({ trail: ["in"] }, config);
  for (const said of ["a", "b"])
    await graph.invoke(new Command({ resume: said, update: { trail: [`with ${said}`] } }), config);
  expect((await graph.getState(thread)).values.trail).toEqual(["in", "with a", "with b", "ab", "after"]);
});

test.each(["sync", "exit"] as const)(
  "what a command brings to the subgraph that it goes to comes back once (%s)",
  async (durability) => {
    const inner = new StateGraph(State)
      .addNode("asks", () => ({ trail: [String(interrupt("sub?"))] }))
      .addEdge(START, "asks");
    const graph = new StateGraph(State)
      .addNode("x", () => ({ trail: [String(interrupt("x?"))] }))
      .addNode("sub", inner.compile())
      .addConditionalEdges(START, () => ["x"], ["x", "sub"])
      .compile({ checkpointer: new ItemMemorySaver() });
    const config = { ...thread, durability };
    await graph.invoke({ trail: ["in"] }, config);
    await graph.invoke(new Command({ resume: "X", update: { trail: ["with"] }, goto: "sub" }), config);
    await graph.invoke(new Command({ resume: "S" }), config);
    const { trail } = (await graph.getState(thread)).values;
    expect([...trail].toSorted()).toEqual(["S", "X", "in", "with"]);
  },
);
