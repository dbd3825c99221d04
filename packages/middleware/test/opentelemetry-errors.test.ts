import { AIMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { createAgent } from "@skein/agent";
import { MemorySaver } from "@skein/checkpointer";
import { Annotation, START, StateGraph } from "@skein/graph";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { OpenTelemetryHandler, openTelemetryMiddleware } from "../src/opentelemetry/index.ts";
import { RecordingTracer } from "./recording-tracer.ts";
import { call, onThread, saying, type Reply } from "./replies.ts";

const State = Annotation.Root({ last: Annotation<string> });

const noArguments = { description: "A tool", schema: z.object({}) };

/** Hangs, whatever its signal says. */
const hanging = (begun: () => void = () => {}) =>
  tool(() => new Promise<string>(begun), { ...noArguments, name: "hang" });

const forever = () => new Promise<object>(() => {});

function observed(tracer: RecordingTracer, replies: readonly Reply[], begun?: () => void) {
  return createAgent({
    model: saying(...replies),
    tools: [hanging(begun)],
    name: "helper",
    checkpointer: new MemorySaver(),
    middleware: [openTelemetryMiddleware({ tracer })],
  });
}

/** Names of the spans with an error, each with its type. */
const failed = (tracer: RecordingTracer): string[] =>
  tracer.spans.flatMap(({ name, status, attributes }) =>
    status.code === 2 ? [`${name}: ${String(attributes["error.type"])}`] : [],
  );

describe("the span of a run that ends before its first step is one of an agent", () => {
  it.each([
    ["without input", null, {}, "EMPTY_INPUT", "no input"],
    ["with bad input", { messages: 5 }, {}, "INVALID_MESSAGE", "no message"],
    [
      "with a signal that was aborted before",
      { messages: "x" },
      { signal: AbortSignal.abort() },
      "AbortError",
      "aborted",
    ],
  ])("%s", async (_name, input, options, type, message) => {
    const tracer = new RecordingTracer();
    const agent = observed(tracer, ["ok"]);
    await expect(agent.invoke(input as never, { ...onThread("t"), ...options })).rejects.toThrow(message);
    expect(tracer.tree()).toEqual(["invoke_agent helper"]);
    expect(tracer.named("invoke_agent helper").attributes).toMatchObject({
      "gen_ai.operation.name": "invoke_agent",
      "error.type": type,
    });
  });

  it("which an update of the state is not", async () => {
    const tracer = new RecordingTracer();
    await observed(tracer, ["ok"]).updateState(onThread("t"), { messages: "x" }, "model_request");
    expect(tracer.tree()).toEqual(["helperUpdateState"]);
    expect(tracer.named("helperUpdateState").attributes).not.toHaveProperty("gen_ai.operation.name");
  });
});

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
afterEach(() => void vi.useRealTimers());

describe("an error is on every span that it passes", () => {
  it("from a model to the run, with the step between", async () => {
    const tracer = new RecordingTracer();
    await expect(
      observed(tracer, [new Error("boom")]).invoke({ messages: "x" }, onThread("t")),
    ).rejects.toThrow("boom");
    expect(failed(tracer)).toEqual([
      "invoke_agent helper: Error",
      "step 1: Error",
      "task model_request: Error",
      "chat Replies: Error",
    ]);
    expect(tracer.spans.map(({ events }) => events.length)).toEqual([1, 1, 1, 1]);
  });

  it.each([
    ["signal", "AbortError"],
    ["timeout", "TIMEOUT"],
  ])("down to the tool that a %s stopped", async (how, type) => {
    const tracer = new RecordingTracer();
    const stop = new AbortController();
    const agent = observed(tracer, [[call("hang")]], () =>
      how === "signal" ? stop.abort() : vi.advanceTimersByTime(1_000),
    );
    const options = how === "signal" ? { signal: stop.signal } : { timeout: 1_000 };
    await expect(agent.invoke({ messages: "x" }, { ...onThread("t"), ...options })).rejects.toThrow(
      "aborted",
    );
    expect(failed(tracer)).toEqual([
      `invoke_agent helper: ${type}`,
      `step 2: ${type}`,
      `task tools: ${type}`,
      `execute_tool hang: ${type}`,
    ]);
    expect(tracer.spans.every(({ ends }) => ends === 1)).toBe(true);
  });

  it("also beside a graph that the timeout met first", async () => {
    const tracer = new RecordingTracer();
    const passed = () => (vi.advanceTimersByTime(1_000), forever());
    const inner = new StateGraph(State).addNode("hangs", passed).addEdge(START, "hangs").compile();
    const graph = new StateGraph(State)
      .addNode("beside", forever)
      .addNode("nested", inner)
      .addEdge(START, "beside")
      .addEdge(START, "nested")
      .compile();
    const config = { callbacks: [new OpenTelemetryHandler({ tracer })], timeout: 1_000 };
    await expect(graph.invoke({ last: "" }, config)).rejects.toThrow("aborted");
    expect(tracer.spans).toHaveLength(7);
    expect(tracer.spans.every(({ status, events }) => status.code === 2 && events.length === 1)).toBe(true);
  });

  it("through the steps of a graph in a graph, and not to a call beside", async () => {
    const tracer = new RecordingTracer();
    const fail = tool(() => Promise.reject(new Error("boom")), { ...noArguments, name: "fail" });
    const inner = new StateGraph(State)
      .addNode("both", async (_state, config) => {
        await Promise.all([hanging().invoke({}, config), fail.invoke({}, config)]);
        return {};
      })
      .addEdge(START, "both")
      .compile({ name: "inner" });
    const graph = new StateGraph(State)
      .addNode("nested", inner)
      .addEdge(START, "nested")
      .compile({ name: "outer" });
    const config = { callbacks: [new OpenTelemetryHandler({ tracer })] };
    await expect(graph.invoke({ last: "" }, config)).rejects.toThrow("boom");
    expect(failed(tracer)).toEqual([
      "invoke_agent outer: Error",
      "step 1: Error",
      "task nested: Error",
      "invoke_agent inner: Error",
      "step 1: Error",
      "task both: Error",
      "execute_tool fail: Error",
    ]);
    expect(tracer.named("execute_tool hang")).toMatchObject({ ends: 1, status: { code: 0 } });
  });

  it("and not on a step that was done when the limit of steps ended the run", async () => {
    const tracer = new RecordingTracer();
    const agent = observed(tracer, [[call("hang")]]);
    await expect(agent.invoke({ messages: "x" }, { ...onThread("t"), recursionLimit: 1 })).rejects.toThrow(
      "Recursion limit",
    );
    expect(failed(tracer)).toEqual(["invoke_agent helper: GRAPH_RECURSION_LIMIT"]);
  });
});

it("an interrupt of LangGraph's engine is no error", () => {
  const tracer = new RecordingTracer();
  const handler = new OpenTelemetryHandler({ tracer });
  handler.handleChainStart(
    { lc: 1, type: "not_implemented", id: ["langgraph", "pregel", "LangGraph"] },
    {},
    "1",
  );
  handler.handleChainError(Object.assign(new Error("[]"), { is_bubble_up: true }), "1");
  expect(tracer.spans).toMatchObject([{ ends: 1, status: { code: 0 }, events: ["interrupted"] }]);
});

it("two tracer objects make one span a run where an agent asks another one", async () => {
  const tracer = new RecordingTracer();
  const another = new RecordingTracer();
  const helper = createAgent({
    model: saying("inner"),
    name: "helper",
    middleware: [openTelemetryMiddleware({ tracer: another })],
  });
  const ask = tool(
    async (_: object, config) => (await helper.invoke({ messages: "?" }, config)).messages.at(-1)?.text,
    {
      name: "ask",
      description: "Asks",
      schema: z.object({}),
    },
  );
  const boss = createAgent({
    model: saying([call("ask")], new AIMessage("outer")),
    tools: [ask],
    name: "boss",
    middleware: [openTelemetryMiddleware({ tracer })],
  });
  await boss.invoke({ messages: "go" });
  expect(tracer.tree().slice(4, 11)).toEqual([
    "  step 2",
    "    task tools",
    "      execute_tool ask",
    "        invoke_agent helper",
    "          step 1",
    "            task model_request",
    "              chat Replies",
  ]);
  expect([tracer.spans.length, another.spans.length]).toEqual([14, 0]);
});
