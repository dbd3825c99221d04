import type { LangGraph } from "../engines.ts";
import type { Recorder, Snapshot, Stateful } from "../recorder.ts";
import { scenario } from "../scenario.ts";
import { leaves, thread, trailState } from "./kit.ts";

/** Counts its visits in a state of its own; asks first, if it is to. */
function counting(lg: LangGraph, asks = false) {
  return new lg.StateGraph(
    lg.Annotation.Root({
      last: lg.Annotation<string>(),
      visits: lg.Annotation<string[]>({ reducer: (left, right) => [...left, ...right], default: () => [] }),
    }),
  )
    .addNode("one", (state) => ({ visits: [`${state.last} ${state.visits.length}`] }))
    .addNode("two", (state) => ({
      last: `${state.visits.join(", ")}${asks ? `: ${lg.interrupt("inside?")}` : ""}`,
    }))
    .addEdge(lg.START, "one")
    .addEdge("one", "two");
}

/** START -> sub -> after, over a subgraph that keeps its state or not. */
function above(lg: LangGraph, t: Recorder, { own, asks = false }: { own: boolean; asks?: boolean }) {
  const saver = t.saver();
  const graph = new lg.StateGraph(trailState(lg))
    .addNode("sub", counting(lg, asks).compile(own ? { checkpointer: true } : {}))
    .addNode("after", (state) => ({ trail: [`after ${state.last}`] }))
    .addEdge(lg.START, "sub")
    .addEdge("sub", "after")
    .compile({ checkpointer: saver });
  return { saver, graph };
}

/** Checkpoints at which a node was next, oldest first. */
async function before(graph: Stateful, node: string): Promise<Snapshot[]> {
  const found: Snapshot[] = [];
  for await (const state of graph.getStateHistory(thread("1"))) found.unshift(state as Snapshot);
  return found.filter(({ next }) => next.includes(node));
}

/** The state in which the subgraph waits. One of its own stands under the node's bare name. */
async function inside(graph: Stateful, own: boolean): Promise<Snapshot> {
  if (own) return (await graph.getState(thread("1", { checkpoint_ns: "sub" }))) as Snapshot;
  const { tasks } = (await graph.getState(thread("1"), { subgraphs: true })) as Snapshot;
  return tasks[0]?.state as Snapshot;
}

/** The states of both graphs. LangGraph finds one that a subgraph keeps by its bare name only. */
async function states(t: Recorder, graph: Stateful, own: boolean): Promise<void> {
  await t.state(graph, thread("1"), { subgraphs: !own });
  if (own) await t.state(graph, thread("1", { checkpoint_ns: "sub" }));
}

const place = (state: Snapshot | undefined): { configurable: { thread_id: string } } =>
  state?.config as { configurable: { thread_id: string } };

export const replay = [
  scenario("a replay finds a subgraph's own state as it was then", async (lg, t) => {
    const { saver, graph } = above(lg, t, { own: true });
    for (const last of ["a", "b", "c"]) await t.invoke(graph, { last }, thread("1"));
    const points = await before(graph, "sub");
    await t.invoke(graph, null, place(points[1]));
    await t.invoke(graph, null, place(points[0]));
    await t.invoke(graph, { last: "d" }, thread("1"));
    await t.history(graph, thread("1"));
    await t.saved(saver, "1");
  }),

  scenario("a replay of a loop finds a subgraph's state as of then once, and then its own", async (lg, t) => {
    const saver = t.saver();
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("sub", counting(lg).compile({ checkpointer: true }))
      .addNode("note", (state) => ({ trail: [state.last], last: `${state.total}`, total: 1 }))
      .addEdge(lg.START, "sub")
      .addEdge("sub", "note")
      .addConditionalEdges("note", (state) => (state.total < 4 ? "sub" : lg.END), ["sub", lg.END])
      .compile({ checkpointer: saver });
    await t.invoke(graph, { last: "in" }, thread("1"));
    const points = await before(graph, "sub");
    await t.stream(graph, null, { ...place(points[1]), streamMode: ["updates", "values"] });
    await t.saved(saver, "1");
  }),

  scenario("an old checkpoint with a new input finds a subgraph's newest state", async (lg, t) => {
    const { saver, graph } = above(lg, t, { own: true });
    for (const last of ["a", "b"]) await t.invoke(graph, { last }, thread("1"));
    const points = await before(graph, "sub");
    await t.invoke(graph, { last: "new" }, place(points[0]));
    await t.saved(saver, "1");
  }),

  scenario("an old checkpoint with a Command that goes to a subgraph", async (lg, t) => {
    const { saver, graph } = above(lg, t, { own: true });
    for (const last of ["a", "b"]) await t.invoke(graph, { last }, thread("1"));
    const points = await before(graph, "after");
    await t.invoke(graph, new lg.Command({ goto: "sub", update: { last: "led" } }), place(points[0]));
    await t.saved(saver, "1");
  }),

  ...[true, false].map((own) =>
    scenario(`an update is run twice, over a subgraph that ${own ? "keeps" : "inherits"}`, async (lg, t) => {
      const { saver, graph } = above(lg, t, { own });
      for (const last of ["a", "b"]) await t.invoke(graph, { last }, thread("1"));
      const points = await before(graph, "sub");
      const update = await graph.updateState(place(points[1]), { last: "edited" }, lg.START as never);
      for (let time = 0; time < 2; time += 1) await t.invoke(graph, null, update);
      await t.saved(saver, "1");
    }),
  ),

  ...[true, false].map((own) =>
    scenario(`a replay asks again in a subgraph that ${own ? "keeps" : "inherits"}`, async (lg, t) => {
      const { saver, graph } = above(lg, t, { own, asks: true });
      for (const last of ["a", "b"]) {
        await t.invoke(graph, { last }, thread("1"));
        await t.invoke(graph, new lg.Command({ resume: `yes ${last}` }), thread("1"));
      }
      const points = await before(graph, "sub");
      await t.invoke(graph, null, place(points[1]));
      await states(t, graph, own);
      await t.invoke(graph, new lg.Command({ resume: "yes again" }), thread("1"));
      await t.saved(saver, "1");
    }),
  ),

  ...[true, false].map((own) =>
    scenario(
      `a checkpoint inside a subgraph that ${own ? "keeps" : "inherits"} is run again`,
      async (lg, t) => {
        const { saver, graph } = above(lg, t, { own, asks: true });
        await t.invoke(graph, { last: "a" }, thread("1"));
        const waiting = await inside(graph, own);
        await t.invoke(graph, new lg.Command({ resume: "yes" }), thread("1"));
        await t.stream(graph, null, {
          ...place(waiting),
          streamMode: ["updates", "values"],
          subgraphs: true,
        });
        await states(t, graph, own);
        await t.invoke(graph, new lg.Command({ resume: "once more" }), thread("1"));
        await t.history(graph, thread("1"));
        await t.saved(saver, "1");
      },
    ),
  ),

  ...[true, false].map((own) =>
    scenario(
      `an earlier checkpoint inside a subgraph that ${own ? "keeps" : "inherits"} is run again`,
      async (lg, t) => {
        const { saver, graph } = above(lg, t, { own, asks: true });
        await t.invoke(graph, { last: "a" }, thread("1"));
        const waiting = await inside(graph, own);
        const all = await t.history(graph, {
          configurable: {
            thread_id: "1",
            checkpoint_ns: (waiting.config.configurable as never)["checkpoint_ns"],
          },
        });
        const first = all.find(({ next }) => next.includes("one"));
        await t.invoke(graph, null, place(first));
        await t.invoke(graph, new lg.Command({ resume: "yes" }), thread("1"));
        await t.history(graph, thread("1"));
        await t.saved(saver, "1");
      },
    ),
  ),

  scenario("a fork inside a subgraph by updateState is run", async (lg, t) => {
    const { saver, graph } = above(lg, t, { own: true, asks: true });
    await t.invoke(graph, { last: "a" }, thread("1"));
    const waiting = await inside(graph, true);
    const fork = await graph.updateState(waiting.config, { visits: ["by hand"] } as never);
    t.note("fork", fork);
    await t.invoke(graph, null, fork);
    await t.invoke(graph, new lg.Command({ resume: "yes" }), thread("1"));
    await t.saved(saver, "1");
  }),

  scenario("a replay of graphs in graphs that keep their states", async (lg, t) => {
    const saver = t.saver();
    const middle = new lg.StateGraph(lg.Annotation.Root({ last: lg.Annotation<string>() }))
      .addNode("leaf", counting(lg).compile({ checkpointer: true }))
      .addEdge(lg.START, "leaf")
      .compile({ checkpointer: true });
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("a", leaves("a"))
      .addNode("sub", middle)
      .addEdge(lg.START, "a")
      .addEdge("a", "sub")
      .compile({ checkpointer: saver });
    for (const last of ["a", "b", "c"]) await t.invoke(graph, { last }, thread("1"));
    const points = await before(graph, "sub");
    await t.invoke(graph, null, place(points[1]));
    await t.saved(saver, "1");
  }),

  scenario("a run's name in the stream of checkpoints", async (lg, t) => {
    const { graph } = above(lg, t, { own: false });
    await t.stream(
      graph,
      { last: "a" },
      { ...thread("1"), runName: "nightly", streamMode: ["checkpoints", "debug"], subgraphs: true },
    );
  }),

  scenario("a breakpoint that a replay from within a subgraph meets is told of its graph", async (lg, t) => {
    const state = trailState(lg);
    const innermost = new lg.StateGraph(state)
      .addNode("one", leaves("one"))
      .addNode("two", leaves("two"))
      .addEdge(lg.START, "one")
      .addEdge("one", "two")
      .compile({ interruptBefore: ["two"] });
    const middle = new lg.StateGraph(state).addNode("low", innermost).addEdge(lg.START, "low").compile();
    const graph = new lg.StateGraph(state)
      .addNode("mid", middle)
      .addEdge(lg.START, "mid")
      .compile({ checkpointer: t.saver() });
    const modes = { subgraphs: true, streamMode: ["updates", "values"] };
    await t.stream(graph, { last: "in" }, { ...thread("1"), ...modes });
    const outer = await t.state(graph, thread("1"), { subgraphs: true });
    const mid = outer.tasks[0]?.state as Snapshot;
    const low = mid.tasks[0]?.state as Snapshot;
    for (const { config } of [low, mid, outer]) await t.stream(graph, null, { ...config, ...modes });
  }),
];
