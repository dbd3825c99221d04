import type { RunnableConfig } from "@langchain/core/runnables";
import { tool } from "@langchain/core/tools";
import { FakeListChatModel } from "@langchain/core/utils/testing";
import { Annotation, START, StateGraph } from "@skein/graph";
import { describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { OpenTelemetryHandler } from "../src/opentelemetry/index.ts";
import { RecordingTracer } from "./recording-tracer.ts";

const State = Annotation.Root({ last: Annotation<string> });

const forever = () => new Promise<object>(() => {});

/** Names of the spans with an error. */
const failed = (tracer: RecordingTracer): string[] =>
  tracer.spans.flatMap(({ name, status }) => (status.code === 2 ? [name] : []));

interface Signalled {
  readonly signal?: AbortSignal;
  readonly timeout?: number;
}

const tooLong = () => new DOMException("too long", "TimeoutError");

const noArguments = { description: "A tool", schema: z.object({}) };
const hang = tool(forever, { ...noArguments, name: "hang" });
const fetches = tool(() => Promise.reject(tooLong()), { ...noArguments, name: "fetches" });

type Node = (config: Signalled) => Promise<object>;

async function traced(nodes: Readonly<Record<string, Node>>, options: Signalled) {
  const tracer = new RecordingTracer();
  const graph = new StateGraph(State) as StateGraph<typeof State, string>;
  for (const [name, node] of Object.entries(nodes)) {
    graph.addNode(name, (_state: unknown, config: Signalled) => node(config)).addEdge(START, name);
  }
  const callbacks = [new OpenTelemetryHandler({ tracer })];
  await expect(graph.compile().invoke({ last: "" }, { ...options, callbacks })).rejects.toThrow(
    /too long|aborted/,
  );
  expect(tracer.spans.every(({ ends }) => ends === 1)).toBe(true);
  return tracer;
}

const alone = (node: Node) => traced({ ends: node }, {});
const beside = (node: Node, options: Signalled) => traced({ hangs: forever, ends: node }, options);

/** Ends as soon as its signal says so, which it does now. */
const heeding = (stop: () => void) => (config: Signalled) =>
  new Promise<object>((_resolve, reject) => {
    const { signal } = config;
    signal?.addEventListener("abort", () => reject(signal.reason as Error));
    stop();
  });

/** A node that makes a call beside one of a tool that hangs. */
const withTool = (called: (config: Signalled) => Promise<object>) => async (config: Signalled) => {
  await Promise.all([hang.invoke({}, config), called(config)]);
  return {};
};

describe("what a call throws is not on the calls beside it", () => {
  it("also when it is a TimeoutError, of its fetch", async () => {
    const tracer = await alone(withTool((config) => fetches.invoke({}, config)));
    expect(failed(tracer)).toEqual(["invoke_agent", "step 1", "task ends", "execute_tool fetches"]);
    expect(tracer.named("execute_tool hang").events).toEqual([]);
  });

  it("nor when a graph in between passes it on", async () => {
    const inner = new StateGraph(State)
      .addNode("calls", async (_state, config) => fetches.invoke({}, config))
      .addEdge(START, "calls")
      .compile({ name: "inner" });
    const tracer = await alone(withTool((config) => inner.invoke({ last: "" }, config)));
    expect(failed(tracer)).toContain("invoke_agent inner");
    expect(failed(tracer)).not.toContain("execute_tool hang");
  });
});

describe("what stopped a run is on all that was open", () => {
  it.each([
    ["an abort", undefined],
    ["a limit of time", tooLong()],
  ])("from the signal of %s, also when a graph beside met it first", async (_name, reason) => {
    const stop = new AbortController();
    const inner = new StateGraph(State)
      .addNode("stops", () => (stop.abort(reason), forever()))
      .addEdge(START, "stops")
      .compile({ name: "inner" });
    const tracer = await beside((config) => inner.invoke({ last: "" }, config), { signal: stop.signal });
    expect(tracer.spans).toHaveLength(7);
    expect(failed(tracer)).toHaveLength(7);
  });

  it("from an abort that a node heeds before the run does", async () => {
    const stop = new AbortController();
    const tracer = await beside(
      heeding(() => stop.abort()),
      { signal: stop.signal },
    );
    expect(failed(tracer)).toContain("task hangs");
  });

  it("from a timeout that a node heeds before the run does", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      const tracer = await beside(
        heeding(() => vi.advanceTimersByTime(1000)),
        { timeout: 1000 },
      );
      expect(failed(tracer)).toContain("task hangs");
    } finally {
      vi.useRealTimers();
    }
  });
});

it("what a task that was stopped calls later stands below it, and not in a trace of its own", async () => {
  const stop = new AbortController();
  const model = new FakeListChatModel({ responses: ["late"] });
  let over: (() => void) | undefined;
  const isOver = new Promise<void>((resolve) => (over = resolve));
  const late: Node = async (config) => {
    stop.abort();
    await new Promise((resolve) => setTimeout(resolve, 5));
    const { callbacks } = config as RunnableConfig;
    await model.invoke("go on", callbacks === undefined ? {} : { callbacks }).finally(over);
    return {};
  };
  const tracer = await traced({ late }, { signal: stop.signal });
  await isOver;
  const [task, chat] = [tracer.named("task late"), tracer.named("chat FakeListChatModel")];
  expect(chat.parent?.spanContext()).toEqual(task.spanContext());
  expect(chat.ends).toBe(1);
});
