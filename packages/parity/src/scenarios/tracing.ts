import { awaitAllCallbacks } from "@langchain/core/callbacks/promises";
import { BaseCallbackHandler } from "@langchain/core/callbacks/base";
import type { RunnableConfig } from "@langchain/core/runnables";
import { AsyncLocalStorageProviderSingleton } from "@langchain/core/singletons";
import { LangChainTracer } from "@langchain/core/tracers/tracer_langchain";
import type { LangGraph } from "../engines.ts";
import type { Recorder } from "../recorder.ts";
import { RunTrees } from "../run-tree.ts";
import { scenario } from "../scenario.ts";
import { leaves, thread, trailState, type Trail } from "./kit.ts";

/** LangSmith's own tracer, and the metadata that it would send of each run, by the run's name. */
function langSmith(): { tracer: LangChainTracer; sent: [string, Record<string, unknown>][] } {
  const sent: [string, Record<string, unknown>][] = [];
  const client = {
    createRun: async ({ name, extra }: { name: string; extra: { metadata: Record<string, unknown> } }) => {
      // the environment's own entries
      const { LANGSMITH_PROJECT: _project, revision_id: _revision, ...metadata } = extra.metadata;
      sent.push([name, metadata]);
    },
    updateRun: async () => {},
  };
  return { tracer: new LangChainTracer({ client: client as never, projectName: "none" }), sent };
}

/** A graph whose node "a" has a condition, and what that found in its config. */
function conditional(lg: LangGraph, t: Recorder, found: unknown[] = []) {
  return new lg.StateGraph(trailState(lg))
    .addNode("a", leaves("a"))
    .addNode("b", leaves("b"))
    .addEdge(lg.START, "a")
    .addConditionalEdges(
      "a",
      ({ last }, config) => {
        const { user, bound } = config.configurable ?? {};
        const stores = [config.store !== undefined, lg.getStore() !== undefined];
        found.push({ last, stores, user, bound, tags: config.tags, metadata: config.metadata });
        return "b";
      },
      ["b"],
    )
    .compile({ checkpointer: t.saver(), store: new lg.InMemoryStore(), name: "chosen" });
}

/** What LangSmith's tracer hears of a run: every run within it, by name, tags, node and step. */
export const tracing = [
  scenario("the tree of a run: parallel nodes, a conditional edge, a join", async (lg, t) => {
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("a", leaves("a"))
      .addNode("b", leaves("b"))
      .addNode("c", leaves("c"))
      .addNode("d", leaves("d"))
      .addEdge(lg.START, "a")
      .addEdge(lg.START, "b")
      .addEdge(["a", "b"], "c")
      .addConditionalEdges("c", () => "d", ["d"])
      .addConditionalEdges("d", function onward() {
        return lg.END;
      })
      .compile({ name: "diamond" });
    const tracer = new RunTrees();
    const config = { callbacks: [tracer], tags: ["mine"], metadata: { user: "ada" }, runName: "called" };
    await graph.invoke({ last: "x" }, config);
    for await (const _ of await graph.stream({ last: "x" }, { callbacks: [tracer] }));
    t.note("trees", tracer.trees);
  }),

  scenario("the tree of a run that fails, and of one that is tried again", async (lg, t) => {
    let left = 1;
    const flaky = (): Partial<Trail> => {
      left -= 1;
      if (left >= 0) throw new Error("user: once");
      return { trail: ["flaky"] };
    };
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("flaky", flaky, {
        retryPolicy: { maxAttempts: 2, initialInterval: 1, jitter: false, logWarning: false },
      })
      .addNode("broken", () => {
        throw new Error("user: broken");
      })
      .addEdge(lg.START, "flaky")
      .addEdge("flaky", "broken")
      .compile();
    const tracer = new RunTrees();
    await t.fails(() => graph.invoke({ last: "x" }, { callbacks: [tracer] }));
    t.note("trees", tracer.trees);
  }),

  scenario("the trees of a run that asks, and of the one that answers", async (lg, t) => {
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("ask", (): Partial<Trail> => ({ last: String(lg.interrupt("sure?")) }))
      .addEdge(lg.START, "ask")
      .compile({ checkpointer: t.saver() });
    const tracer = new RunTrees();
    await graph.invoke({ last: "x" }, { ...thread("1"), callbacks: [tracer] });
    await graph.invoke(new lg.Command({ resume: "yes" }), { ...thread("1"), callbacks: [tracer] });
    t.note("trees", tracer.trees);
  }),

  scenario("the tree of subgraphs: a node that is a graph, one that calls one, and Sends", async (lg, t) => {
    const State = trailState(lg);
    const inner = new lg.StateGraph(State)
      .addNode("i", leaves("i"))
      .addEdge(lg.START, "i")
      .compile({ name: "inner" });
    const graph = new lg.StateGraph(State)
      .addNode("nested", inner)
      .addNode("calls", async (_state: Trail, config: RunnableConfig): Promise<Partial<Trail>> => {
        const { last } = await inner.invoke({ last: "called" }, config);
        return { last };
      })
      .addNode("sent", (): Partial<Trail> => ({ trail: ["sent"] }))
      .addEdge(lg.START, "nested")
      .addEdge("nested", "calls")
      .addConditionalEdges("calls", () => [new lg.Send("sent", {}), new lg.Send("sent", {})], ["sent"])
      .compile();
    const tracer = new RunTrees();
    await graph.invoke({ last: "x" }, { callbacks: [tracer] });
    t.note("trees", tracer.trees);
  }),

  scenario("the tree of an entrypoint and its tasks", async (lg, t) => {
    const double = lg.task("double", async (n: number) => n * 2);
    const main = lg.entrypoint({ name: "main" }, async (n: number) => (await double(n)) + (await double(1)));
    const tracer = new RunTrees();
    await main.invoke(3, { callbacks: [tracer] });
    t.note("trees", tracer.trees);
  }),

  scenario("the trees of graphs within that wait: by a question and at a breakpoint", async (lg, t) => {
    const State = trailState(lg);
    const asker = new lg.StateGraph(State)
      .addNode("ask", (): Partial<Trail> => ({ last: String(lg.interrupt("sure?")) }))
      .addEdge(lg.START, "ask");
    for (const options of [{}, { interruptBefore: ["ask"] as "ask"[] }]) {
      const graph = new lg.StateGraph(State)
        .addNode("nested", asker.compile({ ...options, name: "inner" }))
        .addEdge(lg.START, "nested")
        .compile({ checkpointer: t.saver() });
      const tracer = new RunTrees();
      await graph.invoke({ last: "x" }, { ...thread("1"), callbacks: [tracer] });
      const failed = tracer.trees.flatMap(({ within }) => within.flatMap((run) => [run, ...run.within]));
      t.note(
        "failed",
        failed.map(({ run, error }) => [run, error !== undefined]),
      );
    }
  }),

  scenario("an update is a run, with the choices of the node's conditions in it", async (lg, t) => {
    const graph = conditional(lg, t);
    const tracer = new RunTrees();
    const config = { callbacks: [tracer], tags: ["mine"] };
    await graph.updateState({ ...thread("1"), ...config }, { last: "x" }, "a");
    await graph.updateState({ ...thread("1"), ...config, runName: "called" }, { last: "y" }, "b");
    await graph.withConfig(config).updateState(thread("2"), new lg.Command({ update: { last: "z" } }), "a");
    await t.fails(() => graph.updateState({ ...thread("3"), ...config }, 5 as never, "a"));
    t.note(
      "trees",
      tracer.trees.map((tree) => ({ ...tree, error: tree.error !== undefined })),
    );
  }),

  scenario("a condition finds in an update what it finds in a run", async (lg, t) => {
    const found: unknown[] = [];
    const graph = conditional(lg, t, found);
    const bound = graph.withConfig({ tags: ["bound"], configurable: { bound: 1 } });
    const config = { configurable: { thread_id: "1", user: "ada" }, metadata: { color: "red" } };
    await bound.updateState(config, { last: "x" }, "a");
    await graph.updateState(thread("2"), { last: "y" }, "a");
    t.note("found", found);
  }),

  scenario("LangSmith is shown what is configurable, but for what the context has", async (lg, t) => {
    const State = trailState(lg);
    const inner = new lg.StateGraph(State).addNode("i", leaves("i")).addEdge(lg.START, "i").compile();
    const graph = new lg.StateGraph(State)
      .addNode("nested", inner)
      .addNode("calls", async (_state: Trail, config: RunnableConfig): Promise<Partial<Trail>> => {
        const given = { ...config.configurable, user: "bob", more: true };
        await inner.invoke({ last: "x" }, { ...config, configurable: given });
        return {};
      })
      .addEdge(lg.START, "nested")
      .addEdge("nested", "calls")
      .compile({ checkpointer: t.saver() });
    const { tracer, sent } = langSmith();
    const configurable = { user: "ada", plan: 3, same: "s", list: [1], __own: "o" };
    const config = { callbacks: [tracer], context: { same: "s", plan: 4 }, metadata: { color: "red" } };
    await graph.invoke({ last: "x" }, { ...config, configurable: { ...configurable, thread_id: "1" } });
    await graph.updateState(
      { callbacks: [tracer], configurable: { thread_id: "1", user: "eve" } },
      {},
      "calls",
    );
    await awaitAllCallbacks();
    t.note("sent", sent);
  }),

  scenario("handlers that nobody awaits have been told when the call returns", async (lg, t) => {
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("a", leaves("a"))
      .addNode("ask", (): Partial<Trail> => ({ last: String(lg.interrupt("sure?")) }))
      .addEdge(lg.START, "a")
      .addEdge("a", "ask")
      .compile({ checkpointer: t.saver() });
    let told: string[] = [];
    const handler = (name: string) =>
      BaseCallbackHandler.fromMethods({
        handleChainStart: () => void told.push(`${name} begins`),
        handleChainEnd: () => void told.push(`${name} ends`),
        handleChainError: () => void told.push(`${name} fails`),
      });
    const config = { ...thread("1"), callbacks: ["x", "y", "z"].map(handler) };
    await graph.invoke({ last: "x" }, config);
    t.note("of a result", told);
    told = [];
    for await (const _ of await graph.stream(new lg.Command({ resume: "yes" }), config));
    t.note("of a stream", told);
    told = [];
    await t.fails(() => graph.invoke({ last: "x" }, { ...config, ...thread("2"), recursionLimit: 1 }));
    t.note("of a failure", told);
  }),

  scenario("what callbacks are told that runs are, and in what they stand", async (lg, t) => {
    const told: unknown[] = [];
    const handleChainStart = (...[kind, , id, parent, tags, metadata, , name]: unknown[]): void => {
      const { langgraph_node: node, color } = metadata as Record<string, unknown>;
      told.push({ name, kind: (kind as { id: string[] }).id, id, parent, tags, node, color });
    };
    const config = {
      ...thread("1"),
      tags: ["mine"],
      metadata: { color: "red" },
      callbacks: [{ handleChainStart }],
    };
    await conditional(lg, t).invoke({ last: "x" }, { ...config, runName: "called" });
    await conditional(lg, t).updateState(config, { last: "x" }, "a");
    const double = lg.task("double", async (n: number) => n * 2);
    await lg.entrypoint({ name: "main" }, (n: number) => double(n)).invoke(3, config);
    await awaitAllCallbacks();
    // after a function's return LangGraph takes its parts from it in runs of its own
    t.note(
      "told",
      told.filter((run) => !(run as { name: string }).name.startsWith("pluck")),
    );
  }),

  scenario(
    "what LangSmith traces by itself stands in the node or the choice that called it",
    async (lg, t) => {
      const State = trailState(lg);
      const within: unknown[] = [];
      // where LangSmith's own functions look for the run around them
      const look = (): void => {
        const { name } = (AsyncLocalStorageProviderSingleton.getInstance().getStore() ?? {}) as {
          name?: string;
        };
        within.push([lg.getConfig()?.metadata?.["langgraph_node"], name]);
      };
      const graph = new lg.StateGraph(State)
        .addNode("a", (): Partial<Trail> => (look(), {}))
        .addNode("b", async (): Promise<Partial<Trail>> => (look(), {}))
        .addEdge(lg.START, "a")
        .addConditionalEdges("a", () => (look(), "b"), ["b"])
        .compile({ checkpointer: t.saver() });
      const config = { ...thread("1"), callbacks: [langSmith().tracer] };
      await graph.invoke({ last: "x" }, config);
      await graph.updateState(config, { last: "x" }, "a");
      await awaitAllCallbacks();
      t.note("within", within);
    },
  ),
];
