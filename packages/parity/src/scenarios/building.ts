import { type RunnableConfig, RunnableLambda } from "@langchain/core/runnables";
import { scenario } from "../scenario.ts";
import { leaves, thread, type Trail, trailState } from "./kit.ts";

export const building = [
  scenario("nodes as a record, joined by single edges", async (lg, t) => {
    const graph = new lg.StateGraph(trailState(lg))
      .addNode({ a: leaves("a"), b: leaves("b") })
      .addEdge(lg.START, "a")
      .addEdge("a", "b")
      .compile();
    await t.steps(graph, {});
  }),

  scenario("nodes as pairs, some with options", async (lg, t) => {
    const graph = new lg.StateGraph(trailState(lg))
      .addNode([
        ["a", leaves("a")],
        ["late", leaves("late"), { defer: true }],
        ["b", leaves("b")],
      ])
      .addEdge(lg.START, "a")
      .addEdge(lg.START, "late")
      .addEdge("a", "b")
      .compile();
    await t.steps(graph, {});
  }),

  scenario("a sequence given as a record takes the record's order", async (lg, t) => {
    const graph = new lg.StateGraph(trailState(lg))
      .addSequence({ second: leaves("second"), first: leaves("first") })
      .addEdge(lg.START, "second")
      .compile();
    await t.steps(graph, {});
  }),

  scenario("an empty sequence, and one with a name that is taken, are refused", async (lg, t) => {
    await t.fails(() => new lg.StateGraph(trailState(lg)).addSequence([]));
    await t.fails(() =>
      new lg.StateGraph(trailState(lg)).addNode("a", leaves("a")).addSequence([["a", leaves("a")]]),
    );
  }),

  scenario("setEntryPoint and setFinishPoint", async (lg, t) => {
    const builder = new lg.StateGraph(trailState(lg)).addNode("a", leaves("a")).addNode("b", leaves("b"));
    builder.setEntryPoint("a");
    builder.addEdge("a", "b");
    builder.setFinishPoint("b");
    await t.steps(builder.compile(), {});
  }),

  scenario("a condition given as one object", async (lg, t) => {
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("a", leaves("a"))
      .addNode("b", leaves("b"))
      .addEdge(lg.START, "a")
      .addConditionalEdges({
        source: "a",
        path: (state: Trail) => (state.total > 5 ? "far" : "near"),
        pathMap: { near: "b", far: lg.END },
      })
      .compile();
    await t.steps(graph, {});
    await t.steps(graph, { total: 9 });
  }),

  scenario("a path map of booleans", async (lg, t) => {
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("a", leaves("a"))
      .addNode("b", leaves("b"))
      .addNode("c", leaves("c"))
      .addEdge(lg.START, "a")
      .addConditionalEdges("a", (state) => (state.total > 1) as never, { true: "b", false: "c" } as never)
      .compile();
    await t.steps(graph, {});
    await t.steps(graph, { total: 5 });
  }),

  scenario("a condition answers asynchronously and is given the config", async (lg, t) => {
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("a", leaves("a"))
      .addNode("b", leaves("b"))
      .addNode("c", leaves("c"))
      .addEdge(lg.START, "a")
      .addConditionalEdges("a", async (_state, config) => config.configurable?.["to"] as "b", ["b", "c"])
      .compile();
    await t.steps(graph, {}, { configurable: { to: "b" } });
    await t.steps(graph, {}, { configurable: { to: "c" } });
  }),

  scenario("a condition that is a Runnable", async (lg, t) => {
    const path = RunnableLambda.from((state: Trail) => (state.last === "b" ? "b" : "c"));
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("a", leaves("a"))
      .addNode("b", leaves("b"))
      .addNode("c", leaves("c"))
      .addEdge(lg.START, "a")
      .addConditionalEdges("a", path as never, ["b", "c"])
      .compile();
    await t.steps(graph, { last: "b" });
  }),

  scenario("an edge from one node to several, added one by one, and a join of two joins", async (lg, t) => {
    const graph = new lg.StateGraph(trailState(lg))
      .addNode({ a: leaves("a"), b: leaves("b"), c: leaves("c"), d: leaves("d") })
      .addNode({ ab: leaves("ab"), cd: leaves("cd"), all: leaves("all") })
      .addEdge(lg.START, "a")
      .addEdge(lg.START, "b")
      .addEdge(lg.START, "c")
      .addEdge(lg.START, "d")
      .addEdge(["a", "b"], "ab")
      .addEdge(["c", "d"], "cd")
      .addEdge(["ab", "cd"], "all")
      .compile();
    await t.steps(graph, {});
  }),

  scenario("one builder makes several graphs, and later nodes are not in the earlier ones", async (lg, t) => {
    const builder = new lg.StateGraph(trailState(lg)).addNode("a", leaves("a")).addEdge(lg.START, "a");
    const first = builder.compile();
    const second = builder.addNode("b", leaves("b")).addEdge("a", "b").compile();
    await t.steps(first, {});
    await t.steps(second, {});
  }),

  scenario("a name given to compile is the graph's", async (lg, t) => {
    const builder = new lg.StateGraph(trailState(lg)).addNode("a", leaves("a")).addEdge(lg.START, "a");
    for (const graph of [builder.compile(), builder.compile({ name: "mine" })])
      t.note("names", [graph.name, graph.getName()]);
  }),

  scenario("a deferred join waits for the longest way", async (lg, t) => {
    const graph = new lg.StateGraph(trailState(lg))
      .addNode({ a: leaves("a"), b: leaves("b"), c: leaves("c"), c2: leaves("c2"), c3: leaves("c3") })
      .addNode("end", leaves("end"), { defer: true })
      .addEdge(lg.START, "a")
      .addEdge("a", "b")
      .addEdge("a", "c")
      .addEdge("c", "c2")
      .addEdge("c2", "c3")
      .addEdge(["a", "b"], "end")
      .compile();
    await t.steps(graph, {});
  }),

  scenario("two deferred nodes, one after the other", async (lg, t) => {
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("a", leaves("a"))
      .addNode("d1", leaves("d1"), { defer: true })
      .addNode("d2", leaves("d2"), { defer: true })
      .addEdge(lg.START, "a")
      .addEdge("a", "d1")
      .addEdge("a", "d2")
      .addEdge("d1", "d2")
      .compile();
    await t.steps(graph, {});
  }),

  scenario("a deferred node in a loop", async (lg, t) => {
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("a", leaves("a"))
      .addNode("b", leaves("b"))
      .addNode("d", leaves("d"), { defer: true })
      .addEdge(lg.START, "a")
      .addEdge("a", "b")
      .addEdge("a", "d")
      .addEdge("b", "d")
      .addConditionalEdges("d", (state) => (state.total < 6 ? "a" : lg.END), ["a", lg.END])
      .compile();
    await t.steps(graph, {});
  }),

  scenario("a node's metadata stands in its tasks and in its config", async (lg, t) => {
    const graph = new lg.StateGraph(trailState(lg))
      .addNode(
        "a",
        (_state: Trail, config: RunnableConfig) => ({ last: String(config.metadata?.["team"]) }),
        {
          metadata: { team: "blue" },
        },
      )
      .addEdge(lg.START, "a")
      .compile();
    await t.invoke(graph, {});
    await t.stream(graph, {}, { streamMode: "tasks" });
  }),

  scenario("what a node's config carries", async (lg, t) => {
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("a", (_state: Trail, config: RunnableConfig) => {
        const { metadata, configurable, tags, recursionLimit } = config;
        t.note("config", [
          metadata?.["langgraph_step"],
          metadata?.["langgraph_node"],
          metadata?.["langgraph_triggers"],
          metadata?.["langgraph_path"],
          configurable?.["thread_id"],
          configurable?.["mine"],
          tags,
          recursionLimit,
        ]);
        return {};
      })
      .addEdge(lg.START, "a")
      .compile({ checkpointer: t.saver() });
    await t.invoke(graph, {}, { ...thread("1", { mine: 1 }), tags: ["x"], recursionLimit: 7 });
  }),

  scenario("a node returns a Runnable, which runs in its place", async (lg, t) => {
    const graph = new lg.StateGraph(trailState(lg))
      .addNode(
        "a",
        () => RunnableLambda.from((state: Trail) => ({ trail: [`saw ${state.trail.length}`] })) as never,
      )
      .addEdge(lg.START, "a")
      .compile();
    await t.steps(graph, { trail: ["in"] });
  }),

  scenario("node names with dots, dashes, spaces and other letters", async (lg, t) => {
    const saver = t.saver();
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("a.b-c d", leaves("a"))
      .addNode("ünïcode 漢", leaves("b"))
      .addEdge(lg.START, "a.b-c d")
      .addEdge("a.b-c d", "ünïcode 漢")
      .compile({ checkpointer: saver });
    await t.invoke(graph, {}, thread("1"));
    await t.saved(saver, "1");
  }),

  scenario("a graph whose state is empty runs", async (lg, t) => {
    const graph = new lg.StateGraph(lg.Annotation.Root({ only: lg.Annotation<string>() }))
      .addNode("a", () => ({}))
      .addEdge(lg.START, "a")
      .compile();
    await t.invoke(graph, { only: "x" });
    await t.stream(graph, { only: "x" }, { streamMode: ["updates", "values"] });
  }),

  scenario(
    "what a builder shows of its nodes, edges and conditions, and a graph of its nodes",
    async (lg, t) => {
      const inner = new lg.StateGraph(trailState(lg))
        .addNode("x", leaves("x"))
        .addEdge(lg.START, "x")
        .compile();
      const retryPolicy = { maxAttempts: 2, logWarning: false };
      const builder = new lg.StateGraph(trailState(lg))
        .setNodeDefaults({ retryPolicy, cachePolicy: { ttl: 60 } })
        .addNode("a", leaves("a"), { timeout: 50, errorHandler: () => ({}), cachePolicy: false })
        .addNode("b", inner, { retryPolicy: { maxAttempts: 3 } })
        .addNode("c", leaves("c"), { subgraphs: [inner], ends: ["d"], cachePolicy: true })
        .addNode("d", leaves("d"), { timeout: { idleTimeout: 20, refreshOn: "heartbeat" } })
        .addEdge(lg.START, "a")
        .addEdge("a", "b")
        .addEdge(["a", "b"], "c")
        .addConditionalEdges("b", () => lg.END);
      t.note("builder", {
        names: Object.keys(builder.nodes).toSorted(),
        // defaults are for what is compiled
        own: Object.entries(builder.nodes).map(([name, { retryPolicy: own }]) => [name, own]),
        edges: [...builder.edges],
        conditions: Object.entries(builder.branches).map(([from, of]) => [from, Object.keys(of)]),
      });
      const nodes = Object.entries(builder.compile().nodes).map(([name, node]) => {
        const { retryPolicy: retry, cachePolicy, timeout, tags, ends, errorHandlerNode } = node;
        const isErrorHandler = node.isErrorHandler === true;
        const subgraphs = node.subgraphs?.length ?? 0;
        const policies = { retry, cachePolicy, timeout };
        return [name, { ...policies, tags, ends, errorHandlerNode, isErrorHandler, subgraphs }] as const;
      });
      t.note("graph", Object.fromEntries(nodes));
    },
  ),
];
