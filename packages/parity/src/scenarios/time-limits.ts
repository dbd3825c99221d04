import { scenario } from "../scenario.ts";
import { late, leaves, thread, trailState } from "./kit.ts";
import { quietly } from "./trouble.ts";

/** What takes too long, and who stops it. */
export const timeLimits = [
  scenario("a node that takes too long", async (lg, t) => {
    const graph = new lg.StateGraph(trailState(lg))
      .addNode(
        "slow",
        async () => {
          await late(2_000);
          return {};
        },
        { timeout: 10 },
      )
      .addEdge(lg.START, "slow")
      .compile();
    const error = await t.fails(() => graph.invoke({}));
    t.note("node", [(error as { node?: string }).node, (error as { kind?: string }).kind]);
  }),

  scenario("a timeout of a run, and one of idleness that a heartbeat holds off", async (lg, t) => {
    const graph = new lg.StateGraph(trailState(lg))
      .addNode(
        "busy",
        async (_state, runtime) => {
          for (let beat = 0; beat < 4; beat += 1) {
            await late(10);
            runtime.heartbeat?.();
          }
          return { trail: ["busy"] };
        },
        { timeout: { idleTimeout: 500, runTimeout: 5_000 } },
      )
      .addEdge(lg.START, "busy")
      .compile();
    await t.steps(graph, {});
  }),

  scenario("a timeout's error by hand: it knows the limit that was passed", async (lg, t) => {
    const facts = { node: "n", elapsed: 12, runTimeout: 10, idleTimeout: 5 };
    for (const kind of ["run", "idle"] as const) {
      const { timeout, elapsed } = new lg.NodeTimeoutError({ ...facts, kind });
      t.note(kind, [timeout, elapsed]);
      await t.fails(() => new lg.NodeTimeoutError({ node: "n", elapsed: 12, kind }));
    }
  }),

  scenario("a timeout of zero or less is refused", async (lg, t) => {
    await t.fails(() => new lg.StateGraph(trailState(lg)).addNode("a", leaves("a"), { timeout: 0 }));
    await t.fails(() => new lg.StateGraph(trailState(lg)).addNode("a", leaves("a"), { timeout: -5 }));
  }),

  scenario("a timed out node is retried by its policy", async (lg, t) => {
    let attempts = 0;
    const graph = new lg.StateGraph(trailState(lg))
      .addNode(
        "slow",
        async () => {
          attempts += 1;
          if (attempts === 1) await late(2_000);
          return { trail: [`attempt ${attempts}`] };
        },
        { timeout: 30, retryPolicy: { ...quietly, maxAttempts: 2 } },
      )
      .addEdge(lg.START, "slow")
      .compile();
    await t.steps(graph, {});
  }),

  scenario("a cancelled run and what is saved of it", async (lg, t) => {
    const saver = t.saver();
    const stop = new AbortController();
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("a", leaves("a"))
      .addNode("b", async () => {
        stop.abort();
        await late(5);
        return { trail: ["b"] };
      })
      .addEdge(lg.START, "a")
      .addEdge("a", "b")
      .compile({ checkpointer: saver });
    await t.fails(() => graph.invoke({}, { ...thread("1"), signal: stop.signal }));
    t.note("next", (await graph.getState(thread("1"))).next);
    await t.invoke(graph, null, thread("1"));
  }),

  scenario("the recursion limit inside a subgraph counts by itself", async (lg, t) => {
    const inner = new lg.StateGraph(
      lg.Annotation.Root({
        rounds: lg.Annotation<number>({ reducer: (left, right) => left + right, default: () => 0 }),
      }),
    )
      .addNode("again", () => ({ rounds: 1 }))
      .addEdge(lg.START, "again")
      .addConditionalEdges("again", (state) => (state.rounds < 5 ? "again" : lg.END), ["again", lg.END])
      .compile();
    const graph = new lg.StateGraph(trailState(lg)).addNode("sub", inner).addEdge(lg.START, "sub").compile();
    await t.invoke(graph, {}, { recursionLimit: 7 });
    await t.fails(() => graph.invoke({}, { recursionLimit: 4 }));
  }),

  scenario("a thread that met the recursion limit goes on", async (lg, t) => {
    const saver = t.saver();
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("again", leaves("again"))
      .addEdge(lg.START, "again")
      .addConditionalEdges("again", (state) => (state.total < 5 ? "again" : lg.END), ["again", lg.END])
      .compile({ checkpointer: saver });
    await t.fails(() => graph.invoke({}, { ...thread("1"), recursionLimit: 3 }));
    await t.state(graph, thread("1"));
    await t.invoke(graph, null, thread("1"));
    await t.saved(saver, "1");
  }),
];
