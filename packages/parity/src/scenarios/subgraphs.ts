import type { LangGraph } from "../engines.ts";
import { scenario } from "../scenario.ts";
import { leaves, thread, trailState } from "./kit.ts";

/** A subgraph with keys of its own and one (`last`) that it shares with its parent. */
function ownKeys(lg: LangGraph) {
  return new lg.StateGraph(
    lg.Annotation.Root({
      last: lg.Annotation<string>(),
      inner: lg.Annotation<string[]>({ reducer: (left, right) => [...left, ...right], default: () => [] }),
    }),
  )
    .addNode("one", (state) => ({ inner: [`one saw ${state.last}`] }))
    .addNode("two", (state) => ({ inner: ["two"], last: `inner had ${state.inner.length}` }))
    .addEdge(lg.START, "one")
    .addEdge("one", "two");
}

export const subgraphs = [
  scenario("A7 a compiled graph as a node, with keys of its own", async (lg, t) => {
    const saver = t.saver();
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("before", () => ({ last: "before", trail: ["before"] }))
      .addNode("sub", ownKeys(lg).compile())
      .addNode("after", (state) => ({ trail: [`after: ${state.last}`] }))
      .addEdge(lg.START, "before")
      .addEdge("before", "sub")
      .addEdge("sub", "after")
      .compile({ checkpointer: saver });
    await t.invoke(graph, {}, thread("1"));
    await t.history(graph, thread("1"));
    await t.saved(saver, "1");
  }),

  scenario("a subgraph called from inside a node", async (lg, t) => {
    const inner = ownKeys(lg).compile();
    const saver = t.saver();
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("call", async () => {
        const output = await inner.invoke({ last: "called" });
        return { trail: output.inner, last: output.last };
      })
      .addEdge(lg.START, "call")
      .compile({ checkpointer: saver });
    await t.invoke(graph, {}, thread("1"));
    await t.saved(saver, "1");
  }),

  scenario("streams with subgraphs: true carry the namespace", async (lg, t) => {
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("before", () => ({ last: "before" }))
      .addNode("sub", ownKeys(lg).compile())
      .addEdge(lg.START, "before")
      .addEdge("before", "sub")
      .compile();
    await t.stream(graph, {}, { streamMode: "updates", subgraphs: true });
    await t.stream(graph, {}, { streamMode: "values", subgraphs: true });
    await t.stream(graph, {}, { streamMode: ["updates", "values"], subgraphs: true });
    await t.stream(graph, {}, { streamMode: "updates", subgraphs: false });
  }),

  scenario("an interrupt inside a subgraph is seen above and resumes inside", async (lg, t) => {
    const saver = t.saver();
    const inner = new lg.StateGraph(
      lg.Annotation.Root({
        last: lg.Annotation<string>(),
        inner: lg.Annotation<string[]>({ reducer: (left, right) => [...left, ...right], default: () => [] }),
      }),
    )
      .addNode("one", () => ({ inner: ["one"] }))
      .addNode("ask", (state) => ({
        inner: ["asked"],
        last: `${state.inner.join()} ${lg.interrupt("inside?")}`,
      }))
      .addEdge(lg.START, "one")
      .addEdge("one", "ask")
      .compile();
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("sub", inner)
      .addNode("after", (state) => ({ trail: [`after: ${state.last}`] }))
      .addEdge(lg.START, "sub")
      .addEdge("sub", "after")
      .compile({ checkpointer: saver });
    await t.invoke(graph, { last: "in" }, thread("1"));
    await t.state(graph, thread("1"));
    await t.state(graph, thread("1"), { subgraphs: true });
    await t.saved(saver, "1");
    await t.invoke(graph, new lg.Command({ resume: "yes" }), thread("1"));
    await t.history(graph, thread("1"));
    await t.saved(saver, "1");
  }),

  scenario("an interrupt two graphs down", async (lg, t) => {
    const State = () => lg.Annotation.Root({ last: lg.Annotation<string>() });
    const deepest = new lg.StateGraph(State())
      .addNode("ask", () => ({ last: `deep ${lg.interrupt("deep?")}` }))
      .addEdge(lg.START, "ask")
      .compile();
    const middle = new lg.StateGraph(State()).addNode("down", deepest).addEdge(lg.START, "down").compile();
    const graph = new lg.StateGraph(State())
      .addNode("top", middle)
      .addEdge(lg.START, "top")
      .compile({ checkpointer: t.saver() });
    await t.invoke(graph, { last: "in" }, thread("1"));
    await t.state(graph, thread("1"), { subgraphs: true });
    await t.stream(graph, new lg.Command({ resume: "answer" }), {
      ...thread("1"),
      streamMode: ["updates", "values"],
      subgraphs: true,
    });
    await t.state(graph, thread("1"));
  }),

  scenario("two subgraphs side by side, both asking", async (lg, t) => {
    const saver = t.saver();
    const asking = (name: string) =>
      new lg.StateGraph(lg.Annotation.Root({ [name]: lg.Annotation<string>() }))
        .addNode("ask", () => ({ [name]: `${name} ${lg.interrupt(`${name}?`)}` }))
        .addEdge(lg.START, "ask")
        .compile();
    const graph = new lg.StateGraph(
      lg.Annotation.Root({ left: lg.Annotation<string>(), right: lg.Annotation<string>() }),
    )
      .addNode("l", asking("left"))
      .addNode("r", asking("right"))
      .addEdge(lg.START, "l")
      .addEdge(lg.START, "r")
      .compile({ checkpointer: saver });
    await t.invoke(graph, { left: "x", right: "y" }, thread("1"));
    const { tasks } = await t.state(graph, thread("1"));
    const resume = Object.fromEntries(
      tasks.flatMap((task) => task.interrupts.map((one) => [one.id, one.value])),
    );
    await t.invoke(graph, new lg.Command({ resume }), thread("1"));
    await t.saved(saver, "1");
  }),

  scenario("a failure inside a subgraph is the node's failure, as the same error", async (lg, t) => {
    const failure = new Error("user: inside");
    const inner = new lg.StateGraph(trailState(lg))
      .addNode("fail", () => {
        throw failure;
      })
      .addEdge(lg.START, "fail")
      .compile();
    const graph = new lg.StateGraph(trailState(lg)).addNode("sub", inner).addEdge(lg.START, "sub").compile();
    const error = await t.fails(() => graph.invoke({}));
    t.note("same object", error === failure);
  }),

  scenario("a subgraph with a checkpointer of its own keeps its state between calls", async (lg, t) => {
    const inner = new lg.StateGraph(
      lg.Annotation.Root({
        last: lg.Annotation<string>(),
        count: lg.Annotation<number>({ reducer: (left, right) => left + right, default: () => 0 }),
      }),
    )
      .addNode("tick", (state) => ({ count: 1, last: `count ${state.count}` }))
      .addEdge(lg.START, "tick")
      .compile({ checkpointer: true });
    const saver = t.saver();
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("sub", inner)
      .addEdge(lg.START, "sub")
      .compile({ checkpointer: saver });
    await t.invoke(graph, { last: "a" }, thread("1"));
    await t.invoke(graph, { last: "b" }, thread("1"));
    await t.saved(saver, "1");
  }),

  scenario("a subgraph keeps its state between calls, also below one that is not saved", async (lg, t) => {
    const State = lg.Annotation.Root({ last: lg.Annotation<string>() });
    const own = lg.Annotation.Root({
      last: lg.Annotation<string>(),
      count: lg.Annotation<number>({ reducer: (left, right) => left + right, default: () => 0 }),
    });
    const inner = new lg.StateGraph(own)
      .addNode("tick", (state) => ({ count: 1, last: `count ${state.count}` }))
      .addEdge(lg.START, "tick")
      .compile({ checkpointer: true });
    const calls = async (_: unknown, config: object) => ({
      last: (await inner.invoke({ last: "called" }, config)).last,
    });
    for (const middle of [inner, calls]) {
      const saver = t.saver();
      const unsaved = new lg.StateGraph(State)
        .addNode("sub", middle as typeof inner)
        .addEdge(lg.START, "sub")
        .compile({ checkpointer: false });
      const graph = new lg.StateGraph(State)
        .addNode("unsaved", unsaved)
        .addEdge(lg.START, "unsaved")
        .compile({ checkpointer: saver });
      for (const last of ["a", "b", "c"]) await t.invoke(graph, { last }, thread("1"));
      await t.saved(saver, "1");
    }
  }),

  scenario("a subgraph with checkpointer: false is not saved", async (lg, t) => {
    const saver = t.saver();
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("sub", ownKeys(lg).compile({ checkpointer: false }))
      .addEdge(lg.START, "sub")
      .compile({ checkpointer: saver });
    await t.invoke(graph, { last: "in" }, thread("1"));
    await t.saved(saver, "1");
  }),

  scenario("Send to a subgraph", async (lg, t) => {
    const inner = new lg.StateGraph(
      lg.Annotation.Root({
        item: lg.Annotation<number>(),
        trail: lg.Annotation<string[]>({ reducer: (left, right) => [...left, ...right], default: () => [] }),
      }),
    )
      .addNode("one", (state) => ({ trail: [`one ${state.item}`] }))
      .addNode("two", (state) => ({ trail: [`two ${state.item}`] }))
      .addEdge(lg.START, "one")
      .addEdge("one", "two")
      .compile();
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("sub", inner)
      .addConditionalEdges(lg.START, () => [1, 2].map((item) => new lg.Send("sub", { item })), ["sub"])
      .compile();
    await t.invoke(graph, {});
    await t.stream(graph, {}, { streamMode: "updates" });
  }),

  scenario("a subgraph in a loop runs afresh each time", async (lg, t) => {
    const saver = t.saver();
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("sub", ownKeys(lg).compile())
      .addNode("count", leaves("count"))
      .addEdge(lg.START, "sub")
      .addEdge("sub", "count")
      .addConditionalEdges("count", (state) => (state.total < 2 ? "sub" : lg.END), ["sub", lg.END])
      .compile({ checkpointer: saver });
    await t.invoke(graph, { last: "in" }, thread("1"));
    await t.saved(saver, "1");
  }),

  scenario("of a subgraph that waits beside a finished task, no values are shown", async (lg, t) => {
    const inner = new lg.StateGraph(
      lg.Annotation.Root({ last: lg.Annotation<string>(), own: lg.Annotation<string>() }),
    )
      .addNode("asks", () => ({ last: lg.interrupt("?") as string }))
      .addNode("works", () => ({ own: "works" }))
      .addEdge(lg.START, "asks")
      .addEdge(lg.START, "works")
      .compile();
    for (const node of [inner, async () => inner.invoke({ own: "called" })]) {
      const graph = new lg.StateGraph(trailState(lg))
        .addNode("sub", node as typeof inner)
        .addEdge(lg.START, "sub")
        .compile({ checkpointer: t.saver() });
      for (const durability of ["sync", "async", "exit"] as const) {
        const config = { ...thread(durability), durability, subgraphs: true, streamMode: "values" };
        await t.stream(graph, { trail: ["in"] }, config);
        await t.stream(graph, new lg.Command({ resume: "yes" }), config);
        await t.state(graph, thread(durability));
      }
    }
  }),
];
