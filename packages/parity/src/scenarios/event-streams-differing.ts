import { HumanMessage } from "@langchain/core/messages";
import type { ProtocolEvent } from "@langchain/langgraph";
import { MemorySaver } from "@langchain/langgraph-checkpoint";
import type { LangGraph } from "../engines.ts";
import type { Difference } from "../scenario.ts";
import { chain, listed, settled, V3 } from "./event-streams-kit.ts";
import { late, leaves, thread, trailState } from "./kit.ts";

const id = "event-streams";

/** A subgraph that asks, in a graph on a thread. */
function askingWithin(lg: LangGraph) {
  const inner = new lg.StateGraph(lg.Annotation.Root({ last: lg.Annotation<string>() }))
    .addNode("ask", () => ({ last: String(lg.interrupt("?")) }))
    .addEdge(lg.START, "ask")
    .compile();
  return new lg.StateGraph(trailState(lg))
    .addNode("in", inner)
    .addEdge(lg.START, "in")
    .compile({ checkpointer: new MemorySaver() });
}

/** Whether reading comes to an end in a while. */
const endsSoon = async (reading: Promise<unknown>): Promise<unknown> =>
  Promise.race([reading, late(100).then(() => "nothing more comes")]);

const named = (name: string, value: string) => () => ({
  init: () => ({ [name]: value }),
  process: () => true,
});

/** Writes over what people said, in the events themselves. */
const hiding = () => ({
  init: () => ({}),
  process({ method, params }: ProtocolEvent) {
    if (method !== "values") return true;
    for (const message of (params.data as { messages: HumanMessage[] }).messages) message.content = "***";
    return true;
  },
});

const cannotEnd = () => ({
  init: () => ({}),
  process: () => true,
  finalize: () => {
    throw new Error("user: cannot end");
  },
});

const cannotFail = () => ({
  init: () => ({}),
  process: () => true,
  fail: () => {
    throw new Error("user: cannot fail");
  },
});

const native = () => ({
  ...named("abort", "mine")(),
  __native: true as const,
  init: () => ({ abort: undefined }),
});

/** Where run streams are meant to differ. */
export const eventStreamDifferences: readonly Difference[] = [
  {
    id,
    name: "v3: a run that waits is interrupted, not completed, and so is the subgraph that asks",
    there: ["running root", "started in", "completed in", "completed root"],
    here: ["running root", "started in", "interrupted in", "interrupted root"],
    async run(lg) {
      const run = await askingWithin(lg).streamEvents({}, { ...V3, ...thread("1") });
      return listed(run.lifecycle, (entry) => `${entry.event} ${entry.graph_name}`);
    },
  },
  {
    id,
    name: "v3: a run that stops at a breakpoint is interrupted",
    there: ["running", "completed"],
    here: ["running", "interrupted"],
    async run(lg) {
      const graph = chain(lg).compile({ checkpointer: new MemorySaver(), interruptBefore: ["b"] });
      const run = await graph.streamEvents({}, { ...V3, ...thread("1") });
      return listed(run.lifecycle, ({ event }) => event);
    },
  },
  {
    id,
    name: "v3: a question of a subgraph is one question",
    there: ["?", "?"],
    here: ["?"],
    async run(lg) {
      const run = await askingWithin(lg).streamEvents({}, { ...V3, ...thread("1") });
      await run.output;
      return run.interrupts.map(({ payload }) => payload);
    },
  },
  {
    id,
    name: "v3: abort stops the run",
    there: [{ value: { trail: ["a", "b"], total: 0 } }, ["a", "b"]],
    here: [{ failed: { $error: "Error", code: null, message: "user: enough" } }, ["a"]],
    async run(lg) {
      const ran: string[] = [];
      const node = (name: string) => async () => {
        ran.push(name);
        await late(20);
        return { trail: [name] };
      };
      const graph = new lg.StateGraph(trailState(lg))
        .addNode({ a: node("a"), b: node("b") })
        .addEdge(lg.START, "a")
        .addEdge("a", "b")
        .compile();
      const run = await graph.streamEvents({}, V3);
      for await (const { method } of run) if (method === "tasks") break;
      run.abort(new Error("user: enough"));
      return [await settled(run.output), ran];
    },
  },
  {
    id,
    name: "v3: within a node, the run stream's root is the graph that was called",
    there: ["no output", 1],
    here: [{ trail: ["x"], total: 1 }, 0],
    async run(lg) {
      const inner = new lg.StateGraph(trailState(lg))
        .addNode("x", leaves("x"))
        .addEdge(lg.START, "x")
        .compile();
      let seen: unknown[] = [];
      const outer = new lg.StateGraph(trailState(lg))
        .addNode("calls", async () => {
          const run = await inner.streamEvents({}, V3);
          const depths = await listed(run, ({ params }) => params.namespace.length);
          seen = [(await run.output) ?? "no output", Math.max(...(depths as number[]))];
          return {};
        })
        .addEdge(lg.START, "calls")
        .compile();
      await outer.invoke({});
      return seen;
    },
  },
  {
    id,
    name: "v3: a transformer that throws at the end fails the events, which end",
    there: "nothing more comes",
    here: [{ failed: { $error: "Error", code: null, message: "user: cannot end" } }],
    async run(lg) {
      const run = await chain(lg)
        .compile()
        .streamEvents({}, { ...V3, transformers: [cannotEnd] });
      const failures = async () => (await listed(run)).slice(-1);
      return endsSoon(failures());
    },
  },
  {
    id,
    name: "v3: a transformer that throws while it learns of a failure hides neither it nor the end",
    there: "nothing more comes",
    here: [{ failed: { $error: "Error", code: null, message: "user: failed" } }],
    async run(lg) {
      const graph = new lg.StateGraph(trailState(lg))
        .addNode("bad", (): never => {
          throw new Error("user: failed");
        })
        .addEdge(lg.START, "bad")
        .compile();
      const run = await graph.streamEvents({}, { ...V3, transformers: [cannotFail] });
      const failures = async () => (await listed(run)).slice(-1);
      return endsSoon(failures());
    },
  },
  {
    id,
    name: "v3: a transformer is initialised before it sees an event, and what it pushes then is an event",
    there: [["process", "init"], 0],
    here: [["init", "process"], 1],
    async run(lg) {
      const calls: string[] = [];
      const early = () => {
        const log = lg.StreamChannel.remote<string>("early");
        return {
          init() {
            calls.push("init");
            return { log };
          },
          process({ params }: ProtocolEvent) {
            if (calls.length < 2) calls.push("process");
            if ((params.data as { event?: string }).event === "running") log.push("it runs");
            return true;
          },
        };
      };
      const run = await chain(lg)
        .compile()
        .streamEvents({}, { ...V3, transformers: [early] });
      const methods = await listed(run, ({ method }) => method);
      return [calls, methods.filter((method) => method === "custom:early").length];
    },
  },
  {
    id,
    name: "v3: two transformers of one name are refused",
    there: { total: "second" },
    here: "refused: INVALID_TRANSFORMER",
    async run(lg) {
      const transformers = [named("total", "first"), named("total", "second")];
      const run = await chain(lg)
        .compile()
        .streamEvents({}, { ...V3, transformers });
      return run.extensions;
    },
  },
  {
    id,
    name: "v3: a native transformer cannot take the place of the run's own members",
    there: "undefined",
    here: "refused: INVALID_TRANSFORMER",
    async run(lg) {
      const run = await chain(lg)
        .compile()
        .streamEvents({}, { ...V3, transformers: [native] });
      return typeof run.abort;
    },
  },
  {
    id,
    name: "v3: what a transformer writes over in an event is written over for readers of the run only",
    there: { read: ["***"], given: "***" },
    here: { read: ["***"], given: "secret" },
    async run(lg) {
      const graph = new lg.StateGraph(lg.MessagesAnnotation)
        .addNode("quiet", () => ({}))
        .addEdge(lg.START, "quiet")
        .compile();
      const given = new HumanMessage({ id: "1", content: "secret" });
      const run = await graph.streamEvents({ messages: [given] }, { ...V3, transformers: [hiding] });
      const { messages } = await run.output;
      return { read: messages.map(({ content }) => content), given: given.content };
    },
  },
];
