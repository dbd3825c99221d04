import {
  Annotation,
  Command,
  DeltaValue,
  InMemoryStore,
  MemorySaver,
  pushMessage,
  ReducedValue,
  StateGraph,
  StateSchema,
} from "@skein/graph";
import { createReactAgent, ToolNode, withAgentName } from "@skein/graph/prebuilt";
import { describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { builder, graphOfOneNode, State, thread, untyped } from "./support/one-node.ts";

const graph = graphOfOneNode();

const code = (expected: string) => expect.objectContaining({ code: expected }) as unknown as Error;
const calling = (options: object): (() => unknown) => {
  return () => graph.invoke({}, untyped({ ...thread, ...options }));
};
const naming = (configurable: object): { configurable: object } => ({ configurable });

const CONFIGURATION: readonly [string, () => unknown][] = [
  ...[
    5,
    "queue",
    {},
    [],
    { waitMs: "100" },
    { waitMs: Number.NaN },
    { waitMs: -1 },
    { waitMs: null },
  ].flatMap((onConflict): [string, () => unknown][] => [
    [`onConflict ${JSON.stringify(onConflict)}`, calling({ onConflict })],
    [
      `updateState, onConflict ${JSON.stringify(onConflict)}`,
      () => graph.updateState(naming({ thread_id: "1", onConflict }), { log: "x" }, "n"),
    ],
    [
      `updateState, bound onConflict ${JSON.stringify(onConflict)}`,
      () => graph.withConfig(naming({ onConflict })).updateState(thread, { log: "x" }, "n"),
    ],
  ]),
  ...[5, "text", {}, [null], () => 1].map((callbacks): [string, () => unknown] => [
    `callbacks ${typeof callbacks} ${JSON.stringify(callbacks)}`,
    calling({ callbacks }),
  ]),
  ["tags that are no list", calling({ tags: "one" })],
  ["metadata that is none", calling({ metadata: "user 5" })],
  ["metadata that is a list", calling({ metadata: [1] })],
  ["the class of a store", calling({ store: InMemoryStore })],
  ["a cache that is none", calling({ cache: true })],
  ["a control that is none", calling({ control: "drain" })],
  ["maxConcurrency as a text", calling({ maxConcurrency: "5" })],
  ["recursionLimit as a text", calling({ recursionLimit: "50" })],
  ["recursionLimit as a BigInt", calling({ recursionLimit: 5n })],
  ["timeout as a BigInt", calling({ timeout: 5n })],
  ["breakpoints that are no names", calling({ interruptBefore: [null] })],
  ["outputKeys of symbols", calling({ outputKeys: Symbol("s") })],
  ["options that are a text", () => graph.invoke({}, untyped("thread-1"))],
  ["a signal bound to the graph", () => graph.withConfig(untyped({ signal: 5 })).invoke({}, thread)],
  ["onBusy, which is an agent's", calling({ onBusy: "queue" })],
  ["a misspelt option of ours", calling({ onConflct: "fail" })],
  ["as many options as inputs", () => graph.batch([{}, {}], [thread])],
  ...[{}, [], true, Number.NaN, () => 1].flatMap((thread_id): [string, () => unknown][] => [
    [`getState of thread ${String(thread_id)}`, () => graph.getState(naming({ thread_id }))],
    [
      `updateState of thread ${String(thread_id)}`,
      () => graph.updateState(naming({ thread_id }), { log: "x" }),
    ],
  ]),
  [
    "getState of a namespace that is none",
    () => graph.getState(naming({ thread_id: "1", checkpoint_ns: 5 })),
  ],
  ["addNode([null])", () => new StateGraph(State).addNode(untyped([null]))],
  ["addNode of names that are none", () => new StateGraph(State).addNode(untyped([[5, () => 1]]))],
  ["addNode(5)", () => new StateGraph(State).addNode(untyped(5))],
  ["addSequence([null])", () => new StateGraph(State).addSequence(untyped([null]))],
  ["a node that is a list", () => new StateGraph(State).addNode("a", untyped([]))],
  ...[
    5,
    { ends: "b" },
    { subgraphs: 5 },
    { retryPolicy: 5 },
    { retryPolicy: [null] },
    { cachePolicy: "on" },
  ].map((options): [string, () => unknown] => [
    `a node's options ${JSON.stringify(options)}`,
    () => new StateGraph(State).addNode("a", () => ({}), untyped(options)),
  ]),
  [
    "an error handler that is none",
    () => new StateGraph(State).addNode("a", () => ({}), untyped({ errorHandler: 5 })),
  ],
  ...[{ store: 5 }, { cache: InMemoryStore }, { name: 5 }, { interruptBefore: "n" }].map(
    (options): [string, () => unknown] => [
      `compile(${Object.keys(options).join()})`,
      () => builder().compile(untyped(options)),
    ],
  ),
  ["new ToolNode(5)", () => new ToolNode(untyped(5))],
  ["createReactAgent without tools", () => createReactAgent(untyped({ llm: {}, tools: {} }))],
  ["withAgentName(5)", () => withAgentName(untyped(5), "inline")],
];

const OTHERS: readonly [string, string, () => unknown][] = [
  ["batch(undefined)", "INVALID_INPUT", () => graph.batch(untyped(undefined))],
  ["batch of a text", "INVALID_INPUT", () => graph.batch(untyped("text"))],
  ["a condition's map", "INVALID_EDGE", () => builder().addConditionalEdges("n", () => "n", untyped(5))],
  ["Annotation(0)", "INVALID_STATE_SCHEMA", () => Annotation(untyped(0))],
  ["a default that is none", "INVALID_STATE_SCHEMA", () => Annotation(untyped({ default: [] }))],
  ["Annotation.Root(null)", "INVALID_STATE_SCHEMA", () => Annotation.Root(untyped(null))],
  ["new StateSchema(5)", "INVALID_STATE_SCHEMA", () => new StateSchema(untyped(5))],
  ["new ReducedValue()", "INVALID_STATE_SCHEMA", () => new ReducedValue(z.string(), untyped(undefined))],
  ["new DeltaValue()", "INVALID_STATE_SCHEMA", () => new DeltaValue(z.string(), untyped(null))],
  ["merge(null)", "INVALID_UPDATE", () => State.merge(untyped(null), {})],
  ["merge of nothing", "INVALID_UPDATE", () => State.merge({}, untyped(undefined))],
  [
    "a command's update",
    "INVALID_UPDATE",
    () => graph.invoke(new Command({ update: untyped([null]) }), thread),
  ],
  ["a command's goto", "UNKNOWN_NODE", () => graph.invoke(new Command({ goto: untyped(5n) }), thread)],
  ["pushMessage(5)", "INVALID_MESSAGE", () => pushMessage(untyped(5))],
];

describe("A8 what no program can mean has a code, and nothing runs", () => {
  it.each(CONFIGURATION)("%s", async (_, call) => {
    await expect(async () => call()).rejects.toEqual(code("INVALID_CONFIGURATION"));
    expect((await graph.getState(thread)).values).toEqual({});
  });
  it.each(OTHERS)("%s", async (_, expected, call) => {
    await expect(async () => call()).rejects.toEqual(code(expected));
    expect((await graph.getState(thread)).values).toEqual({});
  });
});

const warnings = async (run: () => unknown): Promise<string[]> => {
  const emit = vi.spyOn(process, "emitWarning").mockImplementation(() => {});
  try {
    await run();
    await vi.dynamicImportSettled();
    return emit.mock.calls.map(([warning]) => String(warning));
  } finally {
    emit.mockRestore();
  }
};

const misspelling = (graph: { invoke(input: object, options: never): Promise<unknown> }) =>
  graph.invoke({}, untyped({ durabilty: "sync" }));

describe("options that are misspelt", () => {
  const plain = builder().compile();

  it("of LangGraph's are warned of once, and the program runs as there", async () => {
    let output: unknown;
    const run = async (): Promise<void> => {
      output = await misspelling(plain);
    };
    expect(await warnings(run)).toEqual([
      'A call of a graph has no option "durabilty"; the nearest one that it has is "durability". What it says is passed over.',
    ]);
    expect(output).toEqual({ log: ["n"] });
    expect(await warnings(run)).toEqual([]);
  });
  it.each([
    ["streams", () => plain.stream({}, untyped({ streamMod: "values" })), '"streamMode"'],
    ["withConfig", () => plain.withConfig(untyped({ recursion_limits: 5 })), '"recursionLimit"'],
    ["nodes", () => builder().addNode("m", () => ({}), untyped({ retryPolcy: {} })), '"retryPolicy"'],
    ["defaults", () => builder().setNodeDefaults(untyped({ cachePolice: {} })), '"cachePolicy"'],
    ["compile", () => builder().compile(untyped({ checkpointr: new MemorySaver() })), '"checkpointer"'],
    ["Annotation", () => Annotation(untyped({ reduser: () => 1 })), '"reducer"'],
  ])("%s", async (_, call, meant) => {
    expect(await warnings(call)).toEqual([
      expect.stringContaining(`the nearest one that it has is ${meant}`),
    ]);
  });
  it("names that are not near are nobody's, and are handed on as in LangGraph", async () => {
    const options = { user: "ada", version: "v2", state: {}, toolCallId: "1", durabilty: undefined };
    expect(await warnings(() => plain.invoke({}, untyped(options)))).toEqual([]);
  });
});

it("null where LangGraph takes it for nothing is nothing", async () => {
  const none = { metadata: null, tags: null, callbacks: null, store: null, cache: null, onConflict: null };
  expect(await builder().compile().invoke({}, untyped(none))).toEqual({ log: ["n"] });
  expect(() => Annotation(untyped({ reducer: null, default: null }))).not.toThrow();
  expect(() => new ToolNode([], untyped(null))).not.toThrow();
});

it("subgraphs: anything that is true asks for them, as in LangGraph", async () => {
  const chunks: unknown[] = [];
  for await (const chunk of await builder()
    .compile()
    .stream({}, untyped({ subgraphs: 1 })))
    chunks.push(chunk);
  expect(chunks).toEqual([[[], { n: { log: "n" } }]]);
});
