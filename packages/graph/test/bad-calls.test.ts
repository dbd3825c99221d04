import {
  Annotation,
  BinaryOperatorAggregate,
  Command,
  DeltaValue,
  interrupt,
  isInterrupted,
  MemorySaver,
  ReducedValue,
  Send,
  START,
  StateGraph,
  StateSchema,
} from "@skein/graph";
import { describe, expect, it } from "vitest";
import { z } from "zod";

const State = Annotation.Root({
  topic: Annotation<string>,
  log: Annotation<string[], string>({ reducer: (left, right) => [...left, right], default: () => [] }),
});
const oneNode = (options?: object) =>
  new StateGraph(State).addNode("n", () => ({ log: "n" }), options ?? {}).addEdge(START, "n");
const thread = { configurable: { thread_id: "1" } };
const code = (expected: string) => expect.objectContaining({ code: expected }) as unknown;

describe("A8 options of a call that mean nothing are refused, and nothing runs", () => {
  const graph = oneNode().compile({ checkpointer: new MemorySaver() });
  it.each([
    ["maxConcurrency 0", { maxConcurrency: 0 }, "INVALID_CONFIGURATION"],
    ["maxConcurrency NaN", { maxConcurrency: Number.NaN }, "INVALID_CONFIGURATION"],
    ["an unknown durability", { durability: "never" }, "INVALID_CONFIGURATION"],
    ["an unknown encoding", { encoding: "json", streamMode: "updates" }, "INVALID_CONFIGURATION"],
    ["a breakpoint that is a text", { interruptAfter: "n" }, "INVALID_CONFIGURATION"],
    ["an unknown stream mode", { streamMode: "value" }, "INVALID_CONFIGURATION"],
    ["an unknown stream mode among others", { streamMode: ["values", "event"] }, "INVALID_CONFIGURATION"],
    [
      "an unknown checkpoint",
      { configurable: { thread_id: "1", checkpoint_id: "1ef00000-0000-6000-8000-000000000000" } },
      "UNKNOWN_CHECKPOINT",
    ],
    ["an unknown way out of a conflict", { onConflict: "zz" }, "INVALID_CONFIGURATION"],
    ["a signal that is none", { signal: 5 }, "INVALID_CONFIGURATION"],
    ["a thread that is an object", { configurable: { thread_id: {} } }, "INVALID_CONFIGURATION"],
  ])("%s", async (_, options, expected) => {
    const call = graph.invoke({ topic: "t" }, { ...thread, ...options } as never);
    await expect(call).rejects.toEqual(code(expected));
    expect((await graph.getState(thread)).values).toEqual({});
  });
});

describe("A8 events of a kind that there is not", () => {
  const graph = oneNode().compile();
  it("streamEvents needs a version that it knows", () => {
    for (const options of [undefined, {}, { version: "v4" }]) {
      expect(() => graph.streamEvents({}, options as never)).toThrow('"v1", "v2", "v3"');
    }
  });
  it("modes are checked wherever they are given", async () => {
    const bad = { version: "v3", streamMode: "nope" } as never;
    await expect(graph.streamEvents({}, bad)).rejects.toEqual(code("INVALID_CONFIGURATION"));
    const bound = { streamMode: "nope" } as never;
    expect(() => graph.withConfig(bound)).toThrow(code("INVALID_CONFIGURATION") as Error);
  });
});

describe("A8 what a graph is built of is checked when it is given", () => {
  it("edges lead from names to a name", () => {
    const builder = oneNode();
    for (const [from, to] of [
      [undefined, "n"],
      [[], "n"],
      ["n", undefined],
      [["n", 5], "n"],
    ]) {
      expect(() => builder.addEdge(from as never, to as never)).toThrow(code("INVALID_EDGE") as Error);
    }
  });
  it("attempts are counted from 1", () => {
    for (const maxAttempts of [0, Number.NaN, -1]) {
      const options = { retryPolicy: { maxAttempts } };
      expect(() => oneNode(options)).toThrow(code("INVALID_CONFIGURATION") as Error);
    }
  });
  it("a checkpointer has the methods of one", async () => {
    for (const checkpointer of [{}, MemorySaver, "memory"] as unknown as MemorySaver[]) {
      const call = oneNode().compile({ checkpointer }).invoke({ topic: "t" }, thread);
      await expect(call).rejects.toEqual(code("INVALID_CONFIGURATION"));
    }
  });
  it("and the error names those that are missing", async () => {
    const saver = Object.assign(new MemorySaver(), { put: undefined, putWrites: null, list: undefined });
    const call = oneNode()
      .compile({ checkpointer: saver as never })
      .invoke({ topic: "t" }, thread);
    await expect(call).rejects.toThrow("The checkpointer lacks put(), putWrites(). Pass an instance");
  });
});

const sending = (send: Send) =>
  new StateGraph(State)
    .addNode("n", (state: unknown) => ({ log: typeof state }))
    .addConditionalEdges(START, () => send, ["n"])
    .compile()
    .invoke({ topic: "t" });

const asking = () =>
  new StateGraph(State)
    .addNode("a", () => ({ log: interrupt<string, string>("a?") }))
    .addNode("b", () => ({ log: interrupt<string, string>("b?") }))
    .addEdge(START, "a")
    .addEdge(START, "b")
    .compile({ checkpointer: new MemorySaver() });

describe("A8 what names nothing is refused, and what may mean something is not", () => {
  const nobody = "0".repeat(32);

  it("answers of which none is for a question that waits: they would be asked again, as if unheard", async () => {
    const graph = asking();
    await graph.invoke({ topic: "t" }, thread);
    await expect(graph.invoke(new Command({ resume: { [nobody]: "x" } }), thread)).rejects.toEqual(
      code("NOTHING_TO_RESUME"),
    );
    const { tasks } = await graph.getState(thread);
    const resume = Object.fromEntries(tasks.map(({ interrupts }) => [interrupts[0]?.id, "yes"]));
    const output = await graph.invoke(new Command({ resume: { ...resume, [nobody]: "x" } }), thread);
    expect(output.log).toEqual(["yes", "yes"]);
  });
  it("an answer sent twice is heard once, and the other question still waits", async () => {
    const graph = asking();
    await graph.invoke({ topic: "t" }, thread);
    const { tasks } = await graph.getState(thread);
    const resume = { [String(tasks[0]?.interrupts[0]?.id)]: "yes" };
    const once = await graph.invoke(new Command({ resume }), thread);
    const twice = await graph.invoke(new Command({ resume }), thread);
    expect(twice).toEqual(once);
    expect(isInterrupted(twice) && twice.__interrupt__.map(({ value }) => value)).toEqual(["b?"]);
  });
  it("an empty checkpoint_id is none", async () => {
    const graph = oneNode().compile({ checkpointer: new MemorySaver() });
    await graph.invoke({ topic: "t" }, thread);
    for (const checkpoint_id of ["", null, undefined]) {
      await graph.invoke({ topic: "t" }, { configurable: { thread_id: "1", checkpoint_id } });
    }
    expect((await graph.getState(thread)).values.log).toEqual(["n", "n", "n", "n"]);
  });
  it("a thread that was refused is free for the next call", async () => {
    const graph = oneNode().compile({ checkpointer: new MemorySaver() });
    await graph.invoke({ topic: "t" }, thread);
    const unknown = {
      configurable: { thread_id: "1", checkpoint_id: "1ef00000-0000-6000-8000-000000000000" },
    };
    await expect(graph.invoke({ topic: "t" }, unknown)).rejects.toEqual(code("UNKNOWN_CHECKPOINT"));
    expect((await graph.invoke({ topic: "t" }, thread)).log).toEqual(["n", "n"]);
  });
  it("a reducer is a function; null and undefined are none", async () => {
    const reducer = "append" as never;
    const refused = expect.objectContaining({ code: "INVALID_STATE_SCHEMA" }) as unknown as Error;
    expect(() => Annotation<string>({ reducer })).toThrow(refused);
    expect(() => new BinaryOperatorAggregate(reducer)).toThrow(refused);
    const schema = z.array(z.string()).default(() => []);
    for (const field of [
      () => new ReducedValue(schema, { reducer }),
      () => new DeltaValue(schema, { reducer }),
    ]) {
      expect(() => new StateGraph(new StateSchema({ a: field() }))).toThrow(refused);
    }
    for (const none of [null, undefined]) {
      const LastOnly = Annotation.Root({ a: Annotation<string>({ reducer: none as never }) });
      const graph = new StateGraph(LastOnly)
        .addNode("n", () => ({ a: "n" }))
        .addEdge(START, "n")
        .compile();
      expect(await graph.invoke({ a: "in" })).toEqual({ a: "n" });
    }
  });
  it("a Send without a node names none; one without an input runs its node", async () => {
    await expect(sending(new Send(undefined as never, {}))).rejects.toEqual(code("UNKNOWN_NODE"));
    expect((await sending(new Send("n", undefined))).log).toEqual(["undefined"]);
  });
  it("inputs without a known key, and breakpoints that may be tasks' names, are taken", async () => {
    const graph = oneNode().compile();
    expect(await graph.invoke({})).toEqual({ log: ["n"] });
    expect(await graph.invoke({ other: 1 } as never)).toEqual({ log: ["n"] });
    expect(await graph.invoke({}, { interruptBefore: ["a task"] as never })).toEqual({ log: ["n"] });
  });
});
