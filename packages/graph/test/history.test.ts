import { HumanMessage } from "@langchain/core/messages";
import { type BaseCheckpointSaver, MemorySaver } from "@langchain/langgraph-checkpoint";
import { expect, test } from "vitest";
import { z } from "zod";
import { Annotation, MessagesValue, START, StateGraph, StateSchema, type StateSnapshot } from "@skein/graph";
import { FakeSaver } from "./support/fake-change-sets.ts";
import { Notes as State } from "./support/notes.ts";
import { SAVERS_AND_FAKE } from "./support/savers.ts";

const thread = { configurable: { thread_id: "t" } };
const chain = (checkpointer: BaseCheckpointSaver, more: object = {}) =>
  new StateGraph(State)
    .addSequence({ a: () => ({ notes: ["a"] }), b: () => ({ notes: ["b"] }) })
    .addEdge(START, "a")
    .compile({ checkpointer, ...more });
async function all<T>(list: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const element of list) found.push(element);
  return found;
}

test("history tells every state, newest first, and what would come next", async () => {
  const graph = chain(new MemorySaver());
  await graph.invoke({ topic: "x" }, thread);
  const history = await all(graph.getStateHistory(thread));
  expect(history.map((s) => [s.metadata?.source, s.metadata?.step, s.next])).toEqual([
    ["loop", 2, []],
    ["loop", 1, ["b"]],
    ["loop", 0, ["a"]],
    ["input", -1, [START]],
  ]);
  expect(history.map((s) => s.parentConfig?.configurable?.["checkpoint_id"])).toEqual([
    ...history.slice(1).map((s) => s.config.configurable?.["checkpoint_id"] as string),
    undefined,
  ]);
  expect(await all(graph.getStateHistory(thread, { limit: 1 }))).toHaveLength(1);
});

test("an old state can be run again, and branched off by an update; the rest of history stays", async () => {
  const graph = chain(new MemorySaver());
  await graph.invoke({ topic: "x" }, thread);
  const old = (await all(graph.getStateHistory(thread))).find((s) => s.next[0] === "b") as StateSnapshot;
  expect(await graph.invoke(null, old.config)).toEqual({ topic: "x", notes: ["a", "b"] });
  const branch = await graph.updateState(old.config, { notes: ["edited"] });
  expect((await graph.getState(branch)).next).toEqual(["b"]);
  expect(await graph.invoke(null, branch)).toEqual({ topic: "x", notes: ["a", "edited", "b"] });
  expect((await graph.getState(thread)).values).toEqual({ topic: "x", notes: ["a", "edited", "b"] });
  expect((await graph.getState(old.config)).values).toEqual({ topic: "x", notes: ["a"] });
});

test.each(SAVERS_AND_FAKE)("breakpoints stop before and after a node, once (%s)", async (_name, saver) => {
  const before = chain(saver(), { interruptBefore: ["b"] });
  expect(await before.invoke({ topic: "x" }, thread)).toEqual({
    topic: "x",
    notes: ["a"],
    __interrupt__: [],
  });
  await before.updateState(thread, { notes: ["by hand"] });
  expect(await before.invoke(null, thread)).toEqual({ topic: "x", notes: ["a", "by hand", "b"] });
  const after = chain(saver(), { interruptAfter: "*" });
  expect((await after.invoke({ topic: "x" }, thread)).notes).toEqual(["a"]);
  expect((await after.invoke(null, thread)).notes).toEqual(["a", "b"]);
});

test("a thread begins with an update, too", async () => {
  const graph = chain(new FakeSaver());
  await graph.updateState(thread, { notes: ["seed"] }, START);
  expect((await graph.getState(thread)).next).toEqual(["a"]);
  expect((await graph.invoke(null, thread)).notes).toEqual(["seed", "a", "b"]);
});

test("an unknown thread has an empty state", async () => {
  expect(await chain(new MemorySaver()).getState(thread)).toMatchObject({ values: {}, next: [], tasks: [] });
});

test("defaults are made anew for every thread (I9)", async () => {
  const Schema = new StateSchema({ messages: MessagesValue, tags: z.array(z.string()).default([]) });
  const graph = new StateGraph(Schema)
    .addNode("a", (state) => {
      state.tags.push("mutated");
      return {};
    })
    .addEdge(START, "a")
    .compile();
  await graph.invoke({ messages: [new HumanMessage("a")] });
  let seen: string[] = [];
  const second = new StateGraph(Schema)
    .addNode("a", (state) => {
      seen = state.tags;
      return {};
    })
    .addEdge(START, "a")
    .compile();
  await second.invoke({ messages: [] });
  expect(seen).toEqual([]);
});

test("what is written to a schema is validated, in and out", async () => {
  const graph = new StateGraph(z.object({ n: z.number() }))
    .addNode("a", (state) => ({ n: state.n > 1 ? ("text" as never) : state.n + 1 }))
    .addEdge(START, "a")
    .compile();
  expect(await graph.invoke({ n: 1 })).toEqual({ n: 2 });
  await expect(graph.invoke({ n: "1" as never })).rejects.toThrow('field "n"');
  await expect(graph.invoke({ n: 2 })).rejects.toThrow('field "n"');
});

test("only what the output schema names is returned", async () => {
  const graph = new StateGraph({
    state: State,
    input: Annotation.Root({ topic: Annotation<string> }),
    output: Annotation.Root({ notes: State.spec.notes }),
  })
    .addNode("a", (state) => ({ notes: [state.topic] }))
    .addEdge(START, "a")
    .compile();
  expect(await graph.invoke({ topic: "x", notes: ["ignored"] } as never)).toEqual({ notes: ["x"] });
});
