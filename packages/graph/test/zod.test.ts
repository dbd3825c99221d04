import { registry, schemaMetaRegistry, withLangGraph } from "@skein/graph/zod";
import { getStateTypeSchema } from "@skein/graph/zod/schema";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import * as mini from "zod/mini";
import { z as z3 } from "zod/v3";
import {
  Annotation,
  getSchemaDefaultGetter,
  InvalidUpdateError,
  Overwrite,
  reducers,
  START,
  StateGraph,
  StateSchema,
  UntrackedValue,
} from "@skein/graph";

describe("zod 3", () => {
  const State = z3.object({
    log: z3
      .array(z3.string())
      .default(() => [])
      .langgraph.reducer((log, line: string) => [...log, line], z3.string()),
    n: z3.number().langgraph.metadata({ langgraph_type: "prompt" }),
  });

  test(".langgraph.reducer merges, .langgraph.metadata only says", async () => {
    const graph = new StateGraph(State)
      .addNode("a", (state) => ({ log: `a${state.n}` }) as never)
      .addEdge(START, "a")
      .compile();
    expect(await graph.invoke({ log: "in", n: 1 } as never)).toEqual({ log: ["in", "a1"], n: 1 });
    expect(schemaMetaRegistry.get(State.shape.n)?.jsonSchemaExtra).toEqual({ langgraph_type: "prompt" });
  });

  test("what does not fit is refused with zod 3's own error as the cause", async () => {
    const graph = new StateGraph(State)
      .addNode("a", () => ({}))
      .addEdge(START, "a")
      .compile();
    const refused = graph.invoke({ n: "one" } as never);
    await expect(refused).rejects.toThrow(InvalidUpdateError);
    await expect(refused).rejects.toMatchObject({ details: { field: "n" }, cause: { name: "ZodError" } });
  });
});

describe("an input schema of its own", () => {
  const graph = new StateGraph({
    state: z.object({ q: z.string(), n: z.number() }),
    input: z.object({ q: z.string(), n: z.number().default(2) }),
  })
    .addNode("a", ({ n }) => ({ n: n + 1 }))
    .addEdge(START, "a")
    .compile();

  test("fills in its defaults", async () => {
    expect(await graph.invoke({ q: "x" })).toEqual({ q: "x", n: 3 });
  });
  test("requires what it requires", async () => {
    await expect(graph.invoke({ n: 1 } as never)).rejects.toMatchObject({ details: { field: "q" } });
  });
});

test("an Overwrite is checked by the schema of the value", async () => {
  const State = z.object({
    log: withLangGraph(z.array(z.string()), {
      reducer: { schema: z.string(), fn: (log: string[], line: string) => [...log, line] },
      default: () => [],
    }),
  });
  const graph = (log: unknown) =>
    new StateGraph(State)
      .addNode("a", () => ({ log }) as never)
      .addEdge(START, "a")
      .compile();
  expect(await graph(new Overwrite(["only"])).invoke({ log: "in" })).toEqual({ log: ["only"] });
  await expect(graph(new Overwrite("no list")).invoke({ log: "in" })).rejects.toThrow(InvalidUpdateError);
});

test("zod 4's own registry methods find what was registered", () => {
  const schema = z.string().register(registry, { jsonSchemaExtra: { langgraph_type: "prompt" } });
  expect(registry.has(schema)).toBe(true);
  expect(schemaMetaRegistry.get(schema)?.jsonSchemaExtra?.langgraph_type).toBe("prompt");
});

test("no two runs share one default object (I9)", async () => {
  const State = new StateSchema({ list: z.array(z.number()).default(() => []), note: z.string().optional() });
  const graph = new StateGraph(State)
    .addNode("a", ({ list }) => {
      list.push(1);
      return { list };
    })
    .addEdge(START, "a")
    .compile();
  expect(await graph.invoke({ note: "one" })).toMatchObject({ list: [1] });
  expect(await graph.invoke({ note: "two" })).toMatchObject({ list: [1] });
  expect(getSchemaDefaultGetter(z.string().optional())?.()).toBeUndefined();
});

test("A8: what is no state, or no key of one, is refused when the graph is made", () => {
  for (const wrong of [undefined, 5, {}, [], { a: 1 }, { channels: null }]) {
    expect(() => new StateGraph(wrong as never)).toThrow("StateGraph");
  }
  expect(() => new StateGraph(new StateSchema({ a: 5 as never }))).toThrow('"a"');
  const evil = Object.fromEntries([["__proto__", Annotation<string>()]]);
  expect(() => new StateGraph(Annotation.Root(evil))).toThrow("__proto__");
});

test("A1: the stock reducers", () => {
  const State = Annotation.Root({
    last: Annotation<string>({ reducer: reducers.replace }),
    log: Annotation<string[], string | string[]>({ reducer: reducers.append, default: () => [] }),
    sum: Annotation<number>({ reducer: reducers.increment, default: () => 0 }),
    tree: Annotation<Record<string, unknown>>({ reducer: reducers.deepMerge, default: () => ({}) }),
  });
  const before = { last: "a", log: ["a"], sum: 1, tree: { a: { x: 1, list: [1] }, keep: true } };
  const copy = structuredClone(before);
  const json = JSON.parse('{"a":{"y":2,"list":[2]},"__proto__":{"evil":true}}') as Record<string, unknown>;
  const after = State.merge(before, { last: "b", log: ["b", "c"], sum: 2, tree: json });
  expect(after).toEqual({
    last: "b",
    log: ["a", "b", "c"],
    sum: 3,
    tree: { a: { x: 1, y: 2, list: [2] }, keep: true },
  });
  expect(Object.getPrototypeOf(after.tree)).toBe(Object.prototype);
  expect(before).toEqual(copy);
  expect(State.merge(after, { log: "d" }).log).toEqual(["a", "b", "c", "d"]);
});

test("A4: StateSchema.merge needs no graph, and leaves both sides as they are", () => {
  const State = new StateSchema({ n: z.number().default(1), scratch: new UntrackedValue(z.string()) });
  expect(State.merge({}, { n: 5 })).toEqual({ n: 5 });
  expect(State.merge({ n: 2 }, {})).toEqual({ n: 2 });
});

test("withLangGraph takes null for a reducer as none, and frozen options where there is nothing to add to them", () => {
  const meta = Object.freeze({ reducer: { fn: (left: string[], right: string[]) => [...left, ...right] } });
  const field = withLangGraph(z.array(z.string()), meta);
  expect(Object.keys(schemaMetaRegistry.get(field) ?? {})).toEqual(["reducer"]);
  const plain = withLangGraph(z.string(), { reducer: null } as never);
  const graph = new StateGraph(z.object({ plain, field }))
    .addNode("n", () => ({ plain: "n", field: ["n"] }))
    .addEdge(START, "n")
    .compile();
  return expect(graph.invoke({ plain: "i", field: ["i"] })).resolves.toEqual({
    plain: "n",
    field: ["i", "n"],
  });
});

test("keys of zod mini with extras have a JSON schema", () => {
  const topic = withLangGraph(mini.string(), { jsonSchemaExtra: { langgraph_type: "prompt" } });
  const graph = new StateGraph(mini.object({ topic }))
    .addNode("n", () => ({}))
    .addEdge(START, "n")
    .compile();
  expect(getStateTypeSchema(graph)).toMatchObject({ properties: { topic: { type: "string" } } });
});
