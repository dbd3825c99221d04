import type { LangGraph } from "../engines.ts";
import type { Snapshot } from "../recorder.ts";
import { scenario } from "../scenario.ts";
import { thread, trailState } from "./kit.ts";

/** A graph with a list of its own, that counts how often it ran. */
export function counting(lg: LangGraph) {
  return new lg.StateGraph(
    lg.Annotation.Root({
      last: lg.Annotation<string>(),
      visits: lg.Annotation<number>({ reducer: (left, right) => left + right, default: () => 0 }),
    }),
  )
    .addNode("tick", (state) => ({ visits: 1, last: `visit ${state.visits + 1}` }))
    .addEdge(lg.START, "tick");
}

/** one -> ask -> two, over the key `last`. */
export function asking(lg: LangGraph) {
  return new lg.StateGraph(lg.Annotation.Root({ last: lg.Annotation<string>() }))
    .addNode("one", (state) => ({ last: `${state.last} one` }))
    .addNode("ask", (state) => ({ last: `${state.last} ${lg.interrupt("inside?")}` }))
    .addNode("two", (state) => ({ last: `${state.last} two` }))
    .addEdge(lg.START, "one")
    .addEdge("one", "ask")
    .addEdge("ask", "two");
}

export const above = (lg: LangGraph) =>
  new lg.StateGraph(trailState(lg)).addNode("after", (state) => ({ trail: [`after: ${state.last}`] }));

export const persistence = [
  scenario("an inherited checkpointer: the subgraph starts afresh in each turn", async (lg, t) => {
    const saver = t.saver();
    const graph = above(lg)
      .addNode("sub", counting(lg).compile())
      .addEdge(lg.START, "sub")
      .addEdge("sub", "after")
      .compile({ checkpointer: saver });
    await t.invoke(graph, { last: "a" }, thread("1"));
    await t.invoke(graph, { last: "b" }, thread("1"));
    await t.saved(saver, "1");
  }),

  scenario("checkpointer: true keeps the subgraph's state, other threads have their own", async (lg, t) => {
    const saver = t.saver();
    const graph = above(lg)
      .addNode("sub", counting(lg).compile({ checkpointer: true }))
      .addEdge(lg.START, "sub")
      .addEdge("sub", "after")
      .compile({ checkpointer: saver });
    for (const id of ["1", "1", "2"]) await t.invoke(graph, { last: "in" }, thread(id));
    await t.saved(saver, "1");
    await t.saved(saver, "2");
  }),

  scenario("checkpointer: true in a loop of one run", async (lg, t) => {
    const saver = t.saver();
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("sub", counting(lg).compile({ checkpointer: true }))
      .addNode("note", (state) => ({ trail: [state.last], total: 1 }))
      .addEdge(lg.START, "sub")
      .addEdge("sub", "note")
      .addConditionalEdges("note", (state) => (state.total < 3 ? "sub" : lg.END), ["sub", lg.END])
      .compile({ checkpointer: saver });
    await t.invoke(graph, { last: "in" }, thread("1"));
    await t.saved(saver, "1");
  }),

  scenario("checkpointer: true and a question inside", async (lg, t) => {
    const saver = t.saver();
    const graph = above(lg)
      .addNode("sub", asking(lg).compile({ checkpointer: true }))
      .addEdge(lg.START, "sub")
      .addEdge("sub", "after")
      .compile({ checkpointer: saver });
    await t.invoke(graph, { last: "in" }, thread("1"));
    await t.state(graph, thread("1"));
    await t.state(graph, thread("1", { checkpoint_ns: "sub" }));
    await t.invoke(graph, new lg.Command({ resume: "yes" }), thread("1"));
    await t.saved(saver, "1");
  }),

  scenario("checkpointer: true on a root graph is refused", async (lg, t) => {
    const graph = counting(lg).compile({ checkpointer: true });
    await t.fails(() => graph.invoke({ last: "in" }, thread("1")));
  }),

  scenario("a failure inside: the finished part of the subgraph is not run again", async (lg, t) => {
    const saver = t.saver();
    const ran: string[] = [];
    let broken = true;
    const inner = new lg.StateGraph(lg.Annotation.Root({ last: lg.Annotation<string>() }))
      .addNode("one", (state) => {
        ran.push("one");
        return { last: `${state.last} one` };
      })
      .addNode("two", (state) => {
        ran.push("two");
        if (broken) throw new Error("user: inside");
        return { last: `${state.last} two` };
      })
      .addEdge(lg.START, "one")
      .addEdge("one", "two")
      .compile();
    const graph = above(lg)
      .addNode("sub", inner)
      .addEdge(lg.START, "sub")
      .addEdge("sub", "after")
      .compile({ checkpointer: saver });
    await t.fails(() => graph.invoke({ last: "in" }, thread("1")));
    await t.state(graph, thread("1"), { subgraphs: true });
    broken = false;
    await t.invoke(graph, null, thread("1"));
    t.note("ran", ran);
    await t.saved(saver, "1");
  }),

  scenario("a breakpoint inside a subgraph, given when it is compiled", async (lg, t) => {
    const saver = t.saver();
    const inner = new lg.StateGraph(lg.Annotation.Root({ last: lg.Annotation<string>() }))
      .addNode("one", (state) => ({ last: `${state.last} one` }))
      .addNode("two", (state) => ({ last: `${state.last} two` }))
      .addEdge(lg.START, "one")
      .addEdge("one", "two")
      .compile({ interruptBefore: ["two"] });
    const graph = above(lg)
      .addNode("sub", inner)
      .addEdge(lg.START, "sub")
      .addEdge("sub", "after")
      .compile({ checkpointer: saver });
    await t.invoke(graph, { last: "in" }, thread("1"));
    await t.state(graph, thread("1"), { subgraphs: true });
    await t.invoke(graph, null, thread("1"));
    await t.saved(saver, "1");
  }),

  scenario("the state of a waiting subgraph is updated, and it goes on with that", async (lg, t) => {
    const graph = above(lg)
      .addNode("sub", asking(lg).compile())
      .addEdge(lg.START, "sub")
      .addEdge("sub", "after")
      .compile({ checkpointer: t.saver() });
    await t.invoke(graph, { last: "in" }, thread("1"));
    const { tasks } = await t.state(graph, thread("1"), { subgraphs: true });
    const inside = (tasks[0]?.state as Snapshot | undefined)?.config;
    if (inside === undefined) throw new Error("no state of the subgraph");
    await graph.updateState(inside, { last: "edited" });
    await t.state(graph, thread("1"), { subgraphs: true });
    await t.invoke(graph, new lg.Command({ resume: "yes" }), thread("1"));
  }),

  scenario("getState and getStateHistory of a subgraph by its namespace", async (lg, t) => {
    const graph = above(lg)
      .addNode("sub", asking(lg).compile())
      .addEdge(lg.START, "sub")
      .addEdge("sub", "after")
      .compile({ checkpointer: t.saver() });
    await t.invoke(graph, { last: "in" }, thread("1"));
    const { tasks } = await t.state(graph, thread("1"));
    const inside = tasks[0]?.state as { configurable: object } | undefined;
    if (inside === undefined) throw new Error("no config of the subgraph");
    await t.state(graph, inside);
    await t.history(graph, inside);
  }),

  scenario("replay from a checkpoint inside a subgraph", async (lg, t) => {
    const saver = t.saver();
    const graph = above(lg)
      .addNode("sub", asking(lg).compile())
      .addEdge(lg.START, "sub")
      .addEdge("sub", "after")
      .compile({ checkpointer: saver });
    await t.invoke(graph, { last: "in" }, thread("1"));
    const { tasks } = await t.state(graph, thread("1"));
    const inside = tasks[0]?.state as { configurable: object };
    await t.invoke(graph, new lg.Command({ resume: "yes" }), thread("1"));
    const before = (await t.history(graph, inside)).find(({ next }) => next[0] === "ask");
    if (before === undefined) throw new Error("no checkpoint before ask");
    await t.invoke(graph, null, before.config);
    const { values, next } = await graph.getState(thread("1"));
    t.note("state", [values, next]);
  }),

  scenario("a thread forked before a subgraph runs the subgraph again", async (lg, t) => {
    const saver = t.saver();
    const graph = above(lg)
      .addNode("sub", counting(lg).compile())
      .addEdge(lg.START, "sub")
      .addEdge("sub", "after")
      .compile({ checkpointer: saver });
    await t.invoke(graph, { last: "in" }, thread("1"));
    const before = (await t.history(graph, thread("1"))).find(({ next }) => next[0] === "sub");
    if (before === undefined) throw new Error("no checkpoint before sub");
    await t.invoke(graph, null, before.config);
    await t.saved(saver, "1");
  }),
];
