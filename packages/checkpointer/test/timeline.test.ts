import { HumanMessage } from "@langchain/core/messages";
import { Annotation, END, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { MemorySaver as LangGraphMemory } from "@langchain/langgraph-checkpoint";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  back,
  branches,
  deleteBranch,
  diffCheckpoints,
  forward,
  goTo,
  createCodec,
  lineage,
  MemorySaver,
  redo,
  switchBranch,
  undo,
} from "../src/index.ts";
import { ALL_SAVERS, type Saver } from "./savers.ts";
import { putValue } from "./steps.ts";
import { commitTurn, contents, idOf } from "./turns.ts";

/** Checklist A10. */
describe.each(ALL_SAVERS)("$name", (kind) => {
  let saver: Saver;
  let close: () => Promise<void>;
  beforeEach(async () => {
    ({ saver, close } = kind.open());
    for (const n of [1, 2, 3]) {
      await commitTurn(saver, { thread: "t", n: n * 2, question: `q${n}`, answer: `a${n}` });
    }
  });
  afterEach(() => close());
  const head = async () => Number((await lineage(saver, "t"))[0]?.id);

  it("goes back and forward by checkpoints, to any of them, and no further than there are", async () => {
    expect(await back(saver, "t", 2)).toMatchObject({ id: idOf(4), isHead: true });
    expect(await contents(saver, "t")).toEqual(["q1", "a1", "q2", "a2"]);
    await forward(saver, "t");
    expect(await head()).toBe(5);
    await goTo(saver, "t", idOf(1));
    expect(await contents(saver, "t")).toEqual(["q1"]);
    for (const wrong of [
      () => back(saver, "t"),
      () => forward(saver, "t", 6),
      () => forward(saver, "t", 0.5),
    ]) {
      await expect(wrong()).rejects.toMatchObject({ code: "INVALID_CONFIGURATION" });
    }
    await forward(saver, "t", 5);
    expect(await contents(saver, "t")).toHaveLength(6);
    await expect(goTo(saver, "t", "nowhere")).rejects.toMatchObject({ code: "UNKNOWN_CHECKPOINT" });
    await expect(back(saver, "nobody")).rejects.toMatchObject({ code: "UNKNOWN_THREAD" });
  });

  it("undoes and redoes turns", async () => {
    await undo(saver, "t", 2);
    expect(await contents(saver, "t")).toEqual(["q1", "a1"]);
    await redo(saver, "t");
    expect(await contents(saver, "t")).toEqual(["q1", "a1", "q2", "a2"]);
    await redo(saver, "t");
    expect(await head()).toBe(6);
    await expect(redo(saver, "t")).rejects.toMatchObject({ code: "INVALID_CONFIGURATION" });
    await expect(undo(saver, "t", 3)).rejects.toMatchObject({ code: "INVALID_CONFIGURATION" });
  });

  it("forks where a run goes on after an undo: branches are listed, switched, deleted", async () => {
    expect(await branches(saver, "t")).toMatchObject([{ tip: idOf(6), from: undefined, length: 6 }]);
    await undo(saver, "t", 2);
    await commitTurn(saver, { thread: "t", n: 10, question: "other", answer: "way" });
    expect(await branches(saver, "t")).toEqual([
      expect.objectContaining({ tip: idOf(10), from: idOf(2), length: 2, isCurrent: true }),
      expect.objectContaining({ tip: idOf(6), from: idOf(2), length: 4, isCurrent: false }),
    ]);
    expect((await lineage(saver, "t")).map(({ id }) => Number(id))).toEqual([10, 9, 2, 1]);
    expect((await lineage(saver, "t", idOf(6))).map(({ id }) => Number(id))).toEqual([6, 5, 4, 3, 2, 1]);
    await switchBranch(saver, "t", idOf(6));
    expect(await contents(saver, "t")).toEqual(["q1", "a1", "q2", "a2", "q3", "a3"]);
    await expect(switchBranch(saver, "t", idOf(2))).rejects.toMatchObject({ code: "UNKNOWN_CHECKPOINT" });
    // the branch that began first is now the one that was written to last
    await commitTurn(saver, { thread: "t", n: 12, question: "q4", answer: "a4" });
    await undo(saver, "t", 3);
    expect(await redo(saver, "t", 3)).toMatchObject({ id: idOf(12) });
    await deleteBranch(saver, "t", idOf(10));
    expect(await branches(saver, "t")).toHaveLength(1);
    expect(await contents(saver, "t")).toHaveLength(8);
  });

  it("the branch that was written to last is that also where the clock was set back", async () => {
    await undo(saver, "t");
    const ts = "2025-01-01T00:00:00.000Z";
    await commitTurn(saver, { thread: "t", n: 10, question: "other", answer: "way", ts });
    expect((await branches(saver, "t")).map(({ tip }) => tip)).toEqual([idOf(10), idOf(6)]);
    await undo(saver, "t");
    expect(await redo(saver, "t")).toMatchObject({ id: idOf(10), ts });
    expect(await contents(saver, "t")).toEqual(["q1", "a1", "q2", "a2", "other", "way"]);
  });

  it("tells two checkpoints apart: added, removed, changed", async () => {
    const diff = await diffCheckpoints(saver, "t", idOf(2), idOf(4));
    expect(diff.added).toEqual({});
    expect(diff.removed).toEqual({});
    expect(diff.changed["note"]).toEqual({ kind: "value", before: "note 2", after: "note 4" });
    expect(diff.changed["messages"]).toMatchObject({
      kind: "list",
      removed: [],
      changed: [],
      added: [{ content: "q2" }, { content: "a2" }],
    });
    const backwards = await diffCheckpoints(saver, "t", idOf(4), idOf(2));
    expect(backwards.changed["messages"]).toMatchObject({ added: [], removed: [{ id: "h4" }, { id: "a4" }] });
    const none = { added: {}, removed: {}, changed: {} };
    expect(await diffCheckpoints(saver, "t", idOf(4), idOf(4))).toEqual(none);
    await putValue(saver, "t", idOf(20), 1);
    const replaced = await diffCheckpoints(saver, "t", idOf(4), idOf(20));
    expect(replaced).toMatchObject({ added: { n: 1 }, removed: { note: "note 4" }, changed: {} });
    await expect(diffCheckpoints(saver, "t", idOf(4), "x")).rejects.toMatchObject({
      code: "UNKNOWN_CHECKPOINT",
    });
  });

  it("LangGraph's engine goes on from where somebody went", async () => {
    const graph = new StateGraph(MessagesAnnotation)
      .addNode("echo", ({ messages }) => ({ messages: [new HumanMessage(`echo ${messages.length}`)] }))
      .addEdge(START, "echo")
      .addEdge("echo", END)
      .compile({ checkpointer: saver });
    const config = { configurable: { thread_id: "g" } };
    await graph.invoke({ messages: [new HumanMessage("one")] }, config);
    await graph.invoke({ messages: [new HumanMessage("two")] }, config);
    await undo(saver, "g");
    await graph.invoke({ messages: [new HumanMessage("three")] }, config);
    expect(await contents(saver, "g")).toEqual(["one", "echo 1", "three", "echo 3"]);
    expect(await branches(saver, "g")).toHaveLength(2);
  });
});

describe.each(ALL_SAVERS)("$name, a subgraph that keeps its state", (kind) => {
  let saver: Saver;
  let close: () => Promise<void>;
  beforeEach(() => ({ saver, close } = kind.open()));
  afterEach(() => close());
  const config = { configurable: { thread_id: "t" } };
  const State = Annotation.Root({ seen: Annotation<number>() });

  /** Each turn calls a subgraph that counts its calls. */
  function counting() {
    const Inner = Annotation.Root({
      count: Annotation<number>({ reducer: (left, right) => left + right, default: () => 0 }),
    });
    const inner = new StateGraph(Inner)
      .addNode("add", () => ({ count: 1 }))
      .addEdge(START, "add")
      .compile({ checkpointer: true });
    return new StateGraph(State)
      .addNode("before", () => ({}))
      .addNode("call", async () => ({ seen: (await inner.invoke({})).count }))
      .addNode("after", () => ({}))
      .addEdge(START, "before")
      .addEdge("before", "call")
      .addEdge("call", "after")
      .compile({ checkpointer: saver });
  }

  it.each([{ keepLast: 1 }, { keepLast: 2 }, { keepTurnBoundaries: true }])(
    "has it after a prune with %j and a move of the head",
    async (options) => {
      const graph = counting();
      for (const seen of [1, 2, 3]) expect(await graph.invoke({ seen: 0 }, config)).toEqual({ seen });
      const [head] = await lineage(saver, "t");
      await saver.prune("t", options);
      await goTo(saver, "t", head?.id ?? "");
      expect(await graph.invoke({ seen: 0 }, config)).toEqual({ seen: 4 });
    },
  );

  it("has that of each branch after a prune", async () => {
    const graph = counting();
    await graph.invoke({ seen: 0 }, config);
    const [first] = await lineage(saver, "t");
    for (let turn = 2; turn <= 4; turn += 1) await graph.invoke({ seen: 0 }, config);
    await goTo(saver, "t", first?.id ?? "");
    await graph.invoke({ seen: 0 }, config);
    await saver.prune("t", { keepLast: 1 });
    const [short, long] = await branches(saver, "t");
    for (const [branch, seen] of [
      [long, 5],
      [short, 3],
    ] as const) {
      await switchBranch(saver, "t", branch?.tip ?? "");
      expect(await graph.invoke({ seen: 0 }, config)).toEqual({ seen });
    }
  });
});

it("reads branches, lineage and differences of any saver", async () => {
  const saver = new LangGraphMemory();
  const graph = new StateGraph(MessagesAnnotation)
    .addNode("echo", ({ messages }) => ({ messages: [new HumanMessage(`echo ${messages.length}`)] }))
    .addEdge(START, "echo")
    .addEdge("echo", END)
    .compile({ checkpointer: saver });
  await graph.invoke({ messages: [new HumanMessage("one")] }, { configurable: { thread_id: "g" } });
  const [last, , first] = await lineage(saver, "g");
  expect(await branches(saver, "g")).toMatchObject([{ tip: last?.id, length: 3, isCurrent: true }]);
  const diff = await diffCheckpoints(saver, "g", first?.id ?? "", last?.id ?? "");
  expect(diff.changed["messages"]).toMatchObject({ added: [{ content: "one" }, { content: "echo 1" }] });
});

class Money {
  readonly #cents: number;
  readonly print = (): string => `${this.#cents} cents`;

  constructor(cents: number) {
    this.#cents = cents;
  }
  get cents(): number {
    return this.#cents;
  }
}

const codec = createCodec({
  tags: [
    {
      tag: "money",
      matches: (value): value is Money => value instanceof Money,
      encode: (value: Money) => value.cents,
      decode: (data) => new Money(Number(data)),
    },
  ],
});

/** What of the channel `n` differs where it was one value and then another. */
async function difference(before: unknown, after: unknown, saver: Saver = new MemorySaver()) {
  await putValue(saver, "t", "1", before);
  await putValue(saver, "t", "2", after);
  return (await diffCheckpoints(saver, "t", "1", "2")).changed["n"];
}

const inside = (value: unknown) => ({ list: [new Map([["key", value]])] });
const message = (kwargs: Record<string, unknown>) =>
  new HumanMessage({ id: "1", content: "hello", additional_kwargs: kwargs });

describe("values are compared", () => {
  it("by the codec of their saver", async () => {
    const saver = new MemorySaver({ codec });
    expect(await difference(new Money(1), new Money(2), saver)).toEqual({
      kind: "value",
      before: expect.objectContaining({ cents: 1 }) as Money,
      after: expect.objectContaining({ cents: 2 }) as Money,
    });
    await saver.deleteThread("t");
    expect(await difference([new Money(1)], [new Money(1)], saver)).toBeUndefined();
    await saver.deleteThread("t");
    expect(await difference([new Money(1), new Money(1)], [new Money(2)], saver)).toMatchObject({
      added: [{ cents: 2 }],
      removed: [{ cents: 1 }, { cents: 1 }],
    });
  });

  it("in lists, each as often as it occurs", async () => {
    const list = { kind: "list", changed: [] };
    expect(await difference(["a", "a", "b"], ["b", "a", "c"])).toEqual({
      ...list,
      added: ["c"],
      removed: ["a"],
    });
    expect(await difference([1], [1, 1])).toEqual({ ...list, added: [1], removed: [] });
    const one = { id: "1", n: 1 };
    expect(await difference([one, one], [one])).toEqual({ ...list, added: [], removed: [one] });
    expect(await difference(["a", "b"], ["b", "a"])).toMatchObject({ kind: "value" });
  });

  it("without the order of keys", async () => {
    for (const [before, after] of [
      [
        { a: 1, b: { c: 2, d: 3 } },
        { b: { d: 3, c: 2 }, a: 1 },
      ],
      [inside({ a: 1, b: 2 }), inside({ b: 2, a: 1 })],
      [[{ a: 1, b: 2 }], [{ b: 2, a: 1 }]],
      [message({ a: 1, b: 2 }), message({ b: 2, a: 1 })],
      [new HumanMessage({ id: "1", content: "hi" }), new HumanMessage({ content: "hi", id: "1" })],
    ]) {
      expect(await difference(before, after)).toBeUndefined();
    }
    const like = { $: "human", k: 1 };
    expect(await difference(like, { ...like, k: 2 })).toMatchObject({ kind: "value" });
    expect(await difference({ a: [1, 2] }, { a: [2, 1] })).toMatchObject({ kind: "value" });
  });

  it("however deep they are nested", async () => {
    let deep: unknown = 1;
    for (let level = 0; level < 20_000; level += 1) deep = { deep };
    const saver = new MemorySaver({ codec: createCodec({ maxDepth: 50_000 }) });
    expect(await difference(deep, { deep }, saver)).toMatchObject({ kind: "value" });
  });
});
