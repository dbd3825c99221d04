import { expect, test } from "vitest";
import type { ChangeSets } from "@skein/checkpointer";
import {
  Annotation,
  Command,
  GraphError,
  INTERRUPT,
  interrupt,
  isInterrupted,
  Send,
  START,
  StateGraph,
  type StateSnapshot,
} from "@skein/graph";
import { FakeSaver } from "./support/fake-change-sets.ts";
import { Notes as State } from "./support/notes.ts";
import { SAVERS, SAVERS_AND_FAKE } from "./support/savers.ts";

const Topic = Annotation.Root({ topic: Annotation<string> });
const lines = () => Annotation<string[]>({ reducer: (a, b) => [...a, ...b], default: () => [] });
const thread = { configurable: { thread_id: "t" } };
test.each(SAVERS_AND_FAKE)(
  "an interrupt within a graph within a graph is answered from outside (%s)",
  async (_name, saver) => {
    const runs: string[] = [];
    const inner = new StateGraph(State)
      .addNode("before", () => {
        runs.push("before");
        return { notes: ["before"] };
      })
      .addNode("ask", () => ({ topic: interrupt<string, string>("topic?") }))
      .addEdge(START, "before")
      .addEdge("before", "ask")
      .compile();
    const graph = new StateGraph(Topic)
      .addNode("inner", inner as never)
      .addNode("after", (state) => ({ topic: `${state.topic}!` }))
      .addEdge(START, "inner")
      .addEdge("inner", "after")
      .compile({ checkpointer: saver() });
    expect(await graph.invoke({ topic: "x" }, thread)).toMatchObject({
      topic: "x",
      [INTERRUPT]: [{ value: "topic?" }],
    });
    const state = await graph.getState(thread, { subgraphs: true });
    const nested = state.tasks[0]?.state as StateSnapshot;
    expect(nested.next).toEqual(["ask"]);
    expect(nested.values).toEqual({ topic: "x", notes: ["before"] });
    expect((await graph.getState(nested.config)).values).toEqual(nested.values);
    expect(await graph.invoke(new Command({ resume: "new" }), thread)).toEqual({ topic: "new!" });
    // I6: what the inner graph had done was not done again
    expect(runs).toEqual(["before"]);
  },
);

test("a command climbs to the graph that called", async () => {
  const inner = new StateGraph(State)
    .addNode("up", () => new Command({ graph: Command.PARENT, update: { topic: "up" }, goto: "target" }))
    .addEdge(START, "up")
    .compile();
  const outer = new StateGraph(State)
    .addNode("inner", inner as never, { ends: ["target"] })
    .addNode("target", () => ({ notes: ["target"] }))
    .addEdge(START, "inner")
    .compile();
  expect(await outer.invoke({ topic: "x" })).toEqual({ topic: "up", notes: ["target"] });
  await expect(inner.invoke({ topic: "x" })).rejects.toThrow("parent graph");
});

test("two graphs called by one node have their own state; checkpointer: true keeps it", async () => {
  const saver = new FakeSaver();
  const counter = new StateGraph(State)
    .addNode("count", (state) => ({ notes: [`${state.notes.length}`] }))
    .addEdge(START, "count");
  const fresh = counter.compile();
  const keeping = counter.compile({ checkpointer: true });
  const graph = new StateGraph(State)
    .addNode("both", async () => {
      const a = await fresh.invoke({ topic: "a" });
      const b = await fresh.invoke({ topic: "b" });
      const kept = await keeping.invoke({ topic: "c" });
      return { notes: [a.notes.length, b.notes.length, kept.notes.length].map(String) };
    })
    .addEdge(START, "both")
    .compile({ checkpointer: saver });
  await graph.invoke({ topic: "x" }, thread);
  expect((await graph.invoke({ topic: "y" }, thread)).notes).toEqual(["1", "1", "1", "1", "1", "2"]);
});

test("streams show nested graphs with their namespace when asked to", async () => {
  const inner = new StateGraph(State)
    .addNode("in", (_state, config) => {
      config.writer?.("from inside");
      return { notes: ["in"] };
    })
    .addEdge(START, "in")
    .compile();
  const graph = new StateGraph(State)
    .addNode("outer", inner as never)
    .addEdge(START, "outer")
    .compile();
  const with_: [string[], string, unknown][] = [];
  const options = { streamMode: ["updates", "custom"] as ("updates" | "custom")[] };
  for await (const chunk of await graph.stream({ topic: "x" }, { ...options, subgraphs: true }))
    with_.push(chunk as never);
  expect(with_.map(([ns, mode]) => [ns.length, mode])).toEqual([
    [1, "custom"],
    [1, "updates"],
    [0, "updates"],
  ]);
  expect(with_[0]?.[0][0]).toMatch(/^outer:/);
  const without: unknown[] = [];
  for await (const chunk of await graph.stream({ topic: "x" }, options)) without.push(chunk[0]);
  expect(without).toEqual(["custom", "updates"]);
});

test("an interrupted nested graph that is swallowed interrupts its caller (I8)", async () => {
  const inner = new StateGraph(State)
    .addNode("ask", () => ({ notes: [interrupt<string, string>("?")] }))
    .addEdge(START, "ask")
    .compile();
  const graph = new StateGraph(State)
    .addNode("careless", async () => {
      try {
        return { notes: (await inner.invoke({ topic: "i" })).notes };
      } catch {
        return { notes: ["swallowed"] };
      }
    })
    .addEdge(START, "careless")
    .compile({ checkpointer: new FakeSaver() });
  expect(await graph.invoke({ topic: "x" }, thread)).toMatchObject({
    notes: [],
    [INTERRUPT]: [{ value: "?" }],
  });
  expect((await graph.invoke(new Command({ resume: "ok" }), thread)).notes).toEqual(["ok"]);
});

test("a namespace without a graph is an error", async () => {
  const graph = new StateGraph(State)
    .addNode("a", () => ({}))
    .addEdge(START, "a")
    .compile({ checkpointer: new FakeSaver() });
  const config = { configurable: { thread_id: "t", checkpoint_ns: "nobody:1" } };
  await expect(graph.getState(config)).rejects.toBeInstanceOf(GraphError);
});

const asks = (question: string) =>
  new StateGraph(State)
    .addNode("ask", () => ({ notes: [interrupt<string, string>(question)] }))
    .addEdge(START, "ask")
    .compile();

test("graphs that one node calls side by side all ask, and are answered by id", async () => {
  const [left, right] = [asks("left?"), asks("right?")];
  const graph = new StateGraph(State)
    .addNode("both", async (state) => {
      const ended = await Promise.allSettled([left.invoke(state), right.invoke(state)]);
      return { notes: ended.flatMap((one) => (one.status === "fulfilled" ? one.value.notes : [])) };
    })
    .addEdge(START, "both")
    .compile({ checkpointer: new FakeSaver() });
  const asked = await graph.invoke({ topic: "x" }, thread);
  const questions = isInterrupted<string>(asked) ? asked.__interrupt__ : [];
  expect(questions.map(({ value }) => value)).toEqual(["left?", "right?"]);
  const answers = Object.fromEntries(questions.map(({ id, value }) => [id, `${value} yes`]));
  const { notes } = await graph.invoke(new Command({ resume: answers }), thread);
  expect(notes).toEqual(["left? yes", "right? yes"]);
});

test.each(
  SAVERS.flatMap(([name, make]) => (["sync", "async", "exit"] as const).map((how) => ({ name, make, how }))),
)(
  "two Sends at once to a graph that keeps its state work side by side ($name, $how)",
  async ({ make, how }) => {
    const Inner = Annotation.Root({ item: Annotation<string>(), out: lines(), own: lines() });
    let arrive: (() => void) | undefined;
    /** Neither stores what it did before the other has read the state. */
    const both = (): Promise<void> =>
      new Promise((resolve) => {
        const first = arrive;
        arrive = first === undefined ? resolve : undefined;
        if (first !== undefined) [first, resolve].forEach((go) => go());
      });
    const inner = new StateGraph(Inner)
      .addNode("first", async ({ item }) => {
        await both();
        return { own: [item] };
      })
      .addNode("second", ({ item, own }) => ({ out: [`${item} of ${own.length}`] }))
      .addEdge(START, "first")
      .addEdge("first", "second")
      .compile({ checkpointer: true });
    const graph = new StateGraph(Annotation.Root({ out: lines() }))
      .addNode("inner", inner)
      .addConditionalEdges(START, () => ["a", "b"].map((item) => new Send("inner", { item })), ["inner"])
      .compile({ checkpointer: make() });
    const config = { configurable: { thread_id: "t" }, durability: how };
    expect((await graph.invoke({ out: [] }, config)).out).toEqual(["a of 1", "b of 1"]);
    // each goes on from what the last to store has left
    expect((await graph.invoke({ out: [] }, config)).out.slice(2)).toEqual(["a of 2", "b of 2"]);
  },
);

test("a graph that keeps its state is tried again after one of its checkpoints could not be stored", async () => {
  const saver = new FakeSaver();
  const key = Symbol.for("skein.changeSets");
  const sets = Reflect.get(saver, key) as ChangeSets;
  let fails = true;
  const commit: ChangeSets["commit"] = (claim, change) => {
    if (change.namespace === "" || !fails) return sets.commit(claim, change);
    fails = false;
    throw new Error("user: the disk hiccups");
  };
  Object.defineProperty(saver, key, { value: { ...sets, commit } });
  const inner = new StateGraph(State)
    .addNode("note", () => ({ notes: ["noted"] }))
    .addEdge(START, "note")
    .compile({ checkpointer: true });
  const graph = new StateGraph(State)
    .addNode("inner", inner, {
      retryPolicy: { maxAttempts: 2, initialInterval: 1, jitter: false, retryOn: () => true },
    })
    .addEdge(START, "inner")
    .compile({ checkpointer: saver });
  expect((await graph.invoke({ notes: ["in"] }, thread)).notes).toEqual(["in", "noted"]);
});
