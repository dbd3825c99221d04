import { setImmediate as turn } from "node:timers/promises";
import { RunnableLambda } from "@langchain/core/runnables";
import { tool } from "@langchain/core/tools";
import { trace } from "@opentelemetry/api";
import { createAgent } from "@skein/agent";
import { Annotation, END, START, StateGraph } from "@skein/graph";
import { expect, it } from "vitest";
import { z } from "zod";
import { OpenTelemetryHandler, openTelemetryMiddleware } from "../src/opentelemetry/index.ts";
import { countOpenRuns } from "../src/opentelemetry/open-runs.ts";
import { RecordingTracer } from "./recording-tracer.ts";
import { call, saying } from "./replies.ts";

const State = Annotation.Root({ last: Annotation<string> });
const noArguments = { description: "A tool", schema: z.object({}) };

const handling = (...tracers: RecordingTracer[]) =>
  tracers.map((tracer) => new OpenTelemetryHandler({ tracer }));

/** An agent that asks another one, each with handlers of its own. */
function asking(boss: readonly RecordingTracer[], helper: readonly RecordingTracer[]) {
  const [ofBoss, ofHelper] = [boss, helper].map((tracers) =>
    tracers.map((tracer, i) => ({ ...openTelemetryMiddleware({ tracer }), name: `telemetry ${i}` })),
  );
  const inner = createAgent({ model: saying("inner"), name: "helper", middleware: ofHelper ?? [] });
  const ask = tool(
    async (_: object, config) => (await inner.invoke({ messages: "?" }, config)).messages.at(-1)?.text,
    { ...noArguments, name: "ask" },
  );
  return createAgent({
    model: saying([call("ask")], "outer"),
    tools: [ask],
    name: "boss",
    middleware: ofBoss ?? [],
  });
}

it("each of two tracers on one call gets every span, with its own parents", async () => {
  const [a, b] = [new RecordingTracer(), new RecordingTracer()];
  const graph = new StateGraph(State)
    .addNode("a", () => ({ last: "x" }))
    .addEdge(START, "a")
    .addConditionalEdges("a", () => END, [END])
    .compile();
  await graph.invoke({ last: "" }, { callbacks: handling(a, b) });
  for (const tracer of [a, b]) {
    expect(tracer.tree()).toEqual(["invoke_agent", "  step 1", "    task a"]);
    expect(tracer.spans.map(({ ends }) => ends)).toEqual([1, 1, 1]);
  }
});

it("two handlers of one tracer make one span a run, as do two without a tracer", async () => {
  const tracer = new RecordingTracer();
  const graph = new StateGraph(State)
    .addNode("a", () => ({ last: "x" }))
    .addEdge(START, "a")
    .compile();
  await graph.invoke({ last: "" }, { callbacks: handling(tracer, tracer) });
  expect(tracer.spans).toHaveLength(3);
  const registered = new RecordingTracer();
  expect(trace.setGlobalTracerProvider({ getTracer: () => registered })).toBe(true);
  try {
    await graph.invoke({ last: "" }, { callbacks: [new OpenTelemetryHandler(), new OpenTelemetryHandler()] });
  } finally {
    trace.disable();
  }
  expect(registered.spans).toHaveLength(3);
});

it("a tracer of the call and one of the middleware both get the run, and count its tokens each", async () => {
  const [ofCall, ofAgent] = [new RecordingTracer(), new RecordingTracer()];
  await asking([ofAgent], [new RecordingTracer()]).invoke(
    { messages: "go" },
    { callbacks: handling(ofCall) },
  );
  expect(ofCall.tree()).toHaveLength(14);
  expect(ofAgent.tree()).toEqual(ofCall.tree());
});

it("an agent that another one asks has its spans from all tracers of that one, and from no other", async () => {
  const [a, b, c] = [new RecordingTracer(), new RecordingTracer(), new RecordingTracer()];
  await asking([a, b], [b, c]).invoke({ messages: "go" });
  expect([a.spans.length, b.spans.length, c.spans.length]).toEqual([14, 14, 0]);
  expect(a.tree().slice(6, 8)).toEqual(["      execute_tool ask", "        invoke_agent helper"]);
  expect(b.tree()).toEqual(a.tree());
  // the other one's is not lost, where it is asked by itself
  await asking([c], [c]).invoke({ messages: "go" });
  expect(c.spans).toHaveLength(14);
});

it.each([
  [
    "a conditional edge",
    3,
    new StateGraph(State)
      .addNode("a", () => ({ last: "x" }))
      .addEdge(START, "a")
      .addConditionalEdges("a", () => new Promise<string>(() => {}), [END])
      .compile(),
  ],
  [
    "a function within a function",
    4,
    new StateGraph(State)
      .addNode("a", async (_state, config) => {
        const hang = new RunnableLambda({ func: () => new Promise<string>(() => {}) });
        const outer = new RunnableLambda({ func: (input: string, own: object) => hang.invoke(input, own) });
        return { last: await outer.invoke("x", config) };
      })
      .addEdge(START, "a")
      .compile(),
  ],
])("nothing is kept of an aborted run in which %s hangs", async (_name, ids, graph) => {
  const before = countOpenRuns();
  for (let i = 0; i < 3; i += 1) {
    const stop = new AbortController();
    const options = {
      callbacks: handling(new RecordingTracer(), new RecordingTracer()),
      signal: stop.signal,
    };
    const run = graph.invoke({ last: "" }, options);
    while (countOpenRuns() < before + ids) await turn();
    stop.abort();
    await expect(run).rejects.toThrow("aborted");
  }
  expect(countOpenRuns()).toBe(before);
});
