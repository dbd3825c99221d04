import { MemorySaver } from "@langchain/langgraph-checkpoint";
import { describe, expect, it } from "vitest";
import { Annotation, Command, END, Send, START, StateGraph, StateSchema } from "../src/index.ts";
import { z } from "zod";

const State = Annotation.Root({
  trail: Annotation<string[]>({ reducer: (left, right) => [...left, ...right], default: () => [] }),
});
const leaves = (name: string) => () => ({ trail: [name] });
const thrown = (act: () => unknown): unknown => {
  try {
    return act();
  } catch (error) {
    return (error as { code?: string }).code;
  }
};

describe("a wrong call leaves a builder as it was", () => {
  it("of several nodes, none is added when one cannot be", async () => {
    const builder = new StateGraph(State);
    const wrong: readonly [() => unknown, string][] = [
      [() => builder.addNode({ a: leaves("a"), "b|c": leaves("b") }), "RESERVED_NAME"],
      [
        () =>
          builder.addNode([
            ["a", leaves("a")],
            ["b", leaves("b"), { timeout: 0 }],
          ]),
        "INVALID_CONFIGURATION",
      ],
      [
        () =>
          builder.addSequence([
            ["a", leaves("a")],
            ["a", leaves("a")],
          ]),
        "DUPLICATE_NODE",
      ],
      [() => builder.addSequence({ a: leaves("a"), b: 5 as never }), "INVALID_CONFIGURATION"],
    ];
    for (const [act, code] of wrong) {
      expect(thrown(act)).toBe(code);
      expect(builder.nodes).toEqual({});
      expect([...builder.edges]).toEqual([]);
    }
    const graph = builder
      .addSequence({ a: leaves("a"), b: leaves("b") })
      .addEdge(START, "a")
      .compile();
    expect((await graph.invoke({})).trail).toEqual(["a", "b"]);
  });

  it("a node whose options are wrong leaves no error handler and no keys behind", async () => {
    const builder = new StateGraph(State);
    const Other = Annotation.Root({
      extra: Annotation<string>(),
      trail: Annotation<string[]>({ reducer: (_left, right) => right, default: () => [] }),
    });
    const errorHandler = leaves("handled");
    expect(thrown(() => builder.addNode("a", leaves("a"), { errorHandler, retryPolicy: 5 as never }))).toBe(
      "INVALID_CONFIGURATION",
    );
    expect(thrown(() => builder.addNode("a", leaves("a"), { input: Other }))).toBe("INVALID_STATE_SCHEMA");
    const graph = builder
      .addNode("extra", leaves("extra"))
      .addNode("a", () => Promise.reject(new Error("failed")), { errorHandler })
      .addEdge(START, "extra")
      .addEdge("extra", "a")
      .compile();
    expect((await graph.invoke({})).trail).toEqual(["extra", "handled"]);
  });

  it("defaults that are refused are not set", async () => {
    const builder = new StateGraph(State).addNode("a", leaves("a")).addEdge(START, "a");
    for (const wrong of [{ timeout: 0 }, { retryPolicy: 5 }, { cachePolicy: "x" }, { errorHandler: 5 }]) {
      expect(thrown(() => builder.setNodeDefaults(wrong as never))).toBe("INVALID_CONFIGURATION");
    }
    expect((await builder.compile().invoke({})).trail).toEqual(["a"]);
  });
});

const failing = () => new StateGraph(State).addEdge(START, "a" as never);
const fail = () => Promise.reject(new Error("the node's own"));

describe("null where LangGraph stumbles", () => {
  it("an error handler that is null is none: the node's error comes out", async () => {
    const own = failing()
      .addNode("a", fail, { errorHandler: null as never })
      .compile();
    await expect(own.invoke({})).rejects.toThrow("the node's own");
    const all = failing()
      .addNode("a", fail)
      .setNodeDefaults({ errorHandler: null as never });
    await expect(all.compile().invoke({})).rejects.toThrow("the node's own");
  });

  it("an input and transformers that are null are left out", async () => {
    const graph = new StateGraph(State)
      .addNode("a", leaves("a"), { input: null })
      .addEdge(START, "a")
      .compile({ transformers: null as never });
    expect((await graph.invoke({})).trail).toEqual(["a"]);
  });
});

describe("keys of a state", () => {
  it.each([
    "__start__",
    "__pregel_tasks",
    "__interrupt__",
    "__error__",
    "__resume__",
    "__root__",
    "branch:to:a",
    "join:a+b:c",
  ])("%s is a name of the engine's: what is written to it would be lost, or taken for a signal", (key) => {
    const code = "INVALID_STATE_SCHEMA";
    expect(thrown(() => new StateGraph(Annotation.Root({ [key]: Annotation<string>() })))).toBe(code);
    expect(thrown(() => new StateGraph(z.object({ [key]: z.string() })))).toBe(code);
    expect(thrown(() => new StateGraph(new StateSchema({ [key]: z.string() })))).toBe(code);
  });

  it("names of every object are keys like others", async () => {
    const graph = new StateGraph(
      Annotation.Root({ toString: Annotation<string>(), __end__: Annotation<string>() }),
    )
      .addNode("constructor", () => ({ toString: "x", __end__: "y" }))
      .addEdge(START, "constructor")
      .addEdge("constructor", END)
      .compile({ checkpointer: new MemorySaver() });
    const config = { configurable: { thread_id: "1" } };
    expect(await graph.invoke({ toString: "in" }, config)).toEqual({ toString: "x", __end__: "y" });
  });
});

it("a context that is required and not given is INVALID_INPUT, which says what to pass", async () => {
  const context = z.object({ level: z.number() });
  const graph = new StateGraph({ state: State, context })
    .addNode("a", leaves("a"))
    .addEdge(START, "a")
    .compile();
  await expect(graph.invoke({})).rejects.toMatchObject({
    code: "INVALID_INPUT",
    message: expect.stringContaining("{context: {...}}") as string,
    details: { issues: [{ path: ["level"] }] },
  });
});

it("a Send among commands is gone to, and not lost as in LangGraph", async () => {
  const graph = new StateGraph(State)
    .addNode("a", () => [new Command({ update: { trail: ["a"] } }), new Send("b", {})] as never, {
      ends: ["b"],
    })
    .addNode("b", leaves("b"))
    .addEdge(START, "a")
    .compile();
  expect((await graph.invoke({})).trail).toEqual(["a", "b"]);
});
