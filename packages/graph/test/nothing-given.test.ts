import {
  Command,
  EmptyInputError,
  entrypoint,
  GraphRecursionError,
  GraphValueError,
  InvalidUpdateError,
  isGraphBubbleUp,
  isGraphDrained,
  isGraphInterrupt,
  isNodeTimeoutError,
  isParentCommand,
  MultipleSubgraphsError,
  pushMessage,
  task,
  UnreachableNodeError,
} from "@skein/graph";
import { Channel, Pregel } from "@skein/graph/pregel";
import { createReactAgent, toolsCondition, withAgentName } from "@skein/graph/prebuilt";
import { describe, expect, it } from "vitest";
import { builder, graphOfOneNode, thread, untyped } from "./support/one-node.ts";

const graph = graphOfOneNode();

const code = (expected: string) => expect.objectContaining({ code: expected }) as unknown;

describe.each([[undefined], [null], [5], ["text"]])("A8 %j where something is needed", (nothing) => {
  const none = untyped(nothing);
  const calls: [string, string, () => unknown][] = [
    ["withConfig", "INVALID_CONFIGURATION", () => graph.withConfig(none)],
    ["addConditionalEdges", "INVALID_CONFIGURATION", () => builder().addConditionalEdges(none)],
    ["setNodeDefaults", "INVALID_CONFIGURATION", () => builder().setNodeDefaults(none)],
    ["new Command", "INVALID_CONFIGURATION", () => new Command(none)],
    ["writeTo", "INVALID_CONFIGURATION", () => Channel.writeTo(none)],
    ["new Pregel", "INVALID_CONFIGURATION", () => new Pregel(none)],
    [
      "new Pregel, nodes",
      "INVALID_CONFIGURATION",
      () => new Pregel(untyped({ nodes: nothing, channels: {} })),
    ],
    ["createReactAgent", "INVALID_CONFIGURATION", () => createReactAgent(none)],
    ["toolsCondition", "INVALID_INPUT", () => toolsCondition(none)],
    ["getState", "MISSING_THREAD_ID", () => graph.getState(none)],
    ["getStateHistory", "MISSING_THREAD_ID", () => graph.getStateHistory(none).next()],
    ["updateState", "MISSING_THREAD_ID", () => graph.updateState(none, { log: "x" })],
    ["history", "INVALID_CONFIGURATION", () => graph.history(thread, none)],
    ["revisions", "INVALID_CONFIGURATION", () => graph.revisions(thread, none)],
    ["bulkUpdateState, config", "MISSING_THREAD_ID", () => graph.bulkUpdateState(none, [{ updates: [{}] }])],
    ["bulkUpdateState", "INVALID_UPDATE", () => graph.bulkUpdateState(thread, none)],
    ["bulkUpdateState, step", "INVALID_UPDATE", () => graph.bulkUpdateState(thread, [none])],
    ["bulkUpdateState, updates", "INVALID_UPDATE", () => graph.bulkUpdateState(thread, [{ updates: none }])],
    ["bulkUpdateState, update", "INVALID_UPDATE", () => graph.bulkUpdateState(thread, [{ updates: [none] }])],
  ];
  it.each(calls)("%s", async (_, expected, call) => {
    await expect(async () => call()).rejects.toEqual(code(expected));
  });
});

describe("A8 what is nothing where names, options or a model are needed", () => {
  const none = untyped(null);
  const calls: [string, string, () => unknown][] = [
    ["compile", "INVALID_CONFIGURATION", () => builder().compile(none)],
    ["task", "INVALID_CONFIGURATION", () => task(none, () => 1)],
    ["entrypoint", "INVALID_CONFIGURATION", () => entrypoint(none, () => 1)],
    ["subscribeTo", "INVALID_CONFIGURATION", () => Channel.subscribeTo(none)],
    ["pipe", "INVALID_CONFIGURATION", () => Channel.subscribeTo("in").pipe(none)],
    ["withAgentName", "INVALID_CONFIGURATION", () => withAgentName(none, "inline")],
    ["pushMessage", "INVALID_MESSAGE", () => pushMessage(none)],
  ];
  it.each(calls)("%s", (_, expected, call) => {
    expect(call).toThrow(code(expected) as Error);
  });
});

describe("null for options that may be left out is as if they were, as in LangGraph", () => {
  const none = untyped(null);
  it("in a run, and in what is asked of a thread", async () => {
    expect(await graph.invoke({}, thread)).toEqual({ log: ["n"] });
    const plain = builder().compile();
    expect(await plain.invoke({}, none)).toEqual({ log: ["n"] });
    expect(await plain.batch([{}], none)).toEqual([{ log: ["n"] }]);
    const chunks: unknown[] = [];
    for await (const chunk of await plain.stream({}, none)) chunks.push(chunk);
    expect(chunks).toEqual([{ n: { log: "n" } }]);
    expect((await graph.getState(thread, none)).values).toEqual({ log: ["n"] });
    const states: unknown[] = [];
    for await (const { values } of graph.getStateHistory(thread, none)) states.push(values);
    expect(states[0]).toEqual({ log: ["n"] });
  });
  it.each([
    "streamMode",
    "durability",
    "interruptBefore",
    "interruptAfter",
    "inputKeys",
    "outputKeys",
    "subgraphs",
    "encoding",
    "maxConcurrency",
    "recursionLimit",
    "signal",
    "tags",
    "metadata",
    "callbacks",
    "context",
    "store",
    "cache",
    "control",
  ])("as one option of a run: %s", async (option) => {
    const plain = builder().compile();
    const config = { [option]: none };
    expect(await plain.invoke({}, config)).toEqual({ log: ["n"] });
    const chunks: unknown[] = [];
    for await (const chunk of await plain.stream({}, config)) chunks.push(chunk);
    expect(chunks).toEqual([{ n: { log: "n" } }]);
    expect(await plain.withConfig(config).invoke({})).toEqual({ log: ["n"] });
  });
  it("in what is built and drawn", async () => {
    expect(graph.getGraph(none).drawMermaid()).toBe(graph.getGraph().drawMermaid());
    expect((await graph.getGraphAsync(none)).drawMermaid()).toBe(graph.getGraph().drawMermaid());
    expect(() =>
      builder()
        .addConditionalEdges("n", () => "n", none)
        .compile(),
    ).not.toThrow();
    expect(Channel.subscribeTo("in", none).triggers).toEqual(["in"]);
    expect(Channel.writeTo(["out"], none).writes).toEqual([{ kind: "result", channel: "out" }]);
  });
});

it("guards know nothing, and errors that are told nothing say something, as programs of LangGraph make them", () => {
  for (const guard of [
    isGraphBubbleUp,
    isGraphInterrupt,
    isParentCommand,
    isGraphDrained,
    isNodeTimeoutError,
  ]) {
    expect(guard()).toBe(false);
  }
  const made = [
    new GraphRecursionError(),
    new GraphValueError(),
    new InvalidUpdateError(),
    new EmptyInputError(),
  ];
  for (const error of [...made, new UnreachableNodeError(), new MultipleSubgraphsError()]) {
    expect(error.message).not.toBe("");
    expect(error.code).not.toBe("");
  }
});
