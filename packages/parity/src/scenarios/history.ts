import type { LangGraph } from "../engines.ts";
import type { Recorder } from "../recorder.ts";
import { scenario } from "../scenario.ts";
import { leaves, thread, trailState } from "./kit.ts";

function chain(lg: LangGraph, t: Recorder) {
  const saver = t.saver();
  const graph = new lg.StateGraph(trailState(lg))
    .addNode("a", leaves("a"))
    .addNode("b", (state) => ({ trail: [`b after ${state.trail.length}`], last: "b" }))
    .addNode("c", leaves("c"))
    .addEdge(lg.START, "a")
    .addEdge("a", "b")
    .addEdge("b", "c")
    .compile({ checkpointer: saver });
  return { graph, saver };
}

export const history = [
  scenario("F1 a thread's checkpoints, snapshot by snapshot", async (lg, t) => {
    const { graph, saver } = chain(lg, t);
    await t.invoke(graph, { trail: ["in"] }, thread("1"));
    await t.state(graph, thread("1"));
    await t.history(graph, thread("1"));
    await t.saved(saver, "1");
  }),

  scenario("a second input continues the thread; another thread knows nothing of it", async (lg, t) => {
    const { graph, saver } = chain(lg, t);
    await t.invoke(graph, { trail: ["one"] }, thread("1"));
    await t.invoke(graph, { trail: ["two"], last: "given" }, thread("1"));
    await t.invoke(graph, { trail: ["other"] }, thread("2"));
    await t.history(graph, thread("1"));
    await t.state(graph, thread("2"));
    await t.saved(saver, "1");
  }),

  scenario("history by limit, before and filter", async (lg, t) => {
    const { graph } = chain(lg, t);
    await graph.invoke({}, thread("1"));
    await graph.invoke({}, thread("1"));
    const all = await t.history(graph, thread("1"), { limit: 3 });
    await t.history(graph, thread("1"), { before: all[2]?.config, limit: 2 });
    await t.history(graph, thread("1"), { filter: { source: "input" } });
  }),

  scenario("the state of a thread that does not exist", async (lg, t) => {
    const { graph } = chain(lg, t);
    await t.state(graph, thread("never"));
    await t.history(graph, thread("never"));
  }),

  scenario(
    "a checkpointer without a thread id, and getState without a checkpointer, are refused",
    async (lg, t) => {
      const { graph } = chain(lg, t);
      await t.fails(() => graph.invoke({}));
      const bare = new lg.StateGraph(trailState(lg))
        .addNode("a", leaves("a"))
        .addEdge(lg.START, "a")
        .compile();
      await t.fails(() => bare.getState(thread("1")));
      await t.fails(() => bare.updateState(thread("1"), { last: "x" }));
    },
  ),

  scenario("no input and nothing to continue is refused", async (lg, t) => {
    const { graph } = chain(lg, t);
    await t.fails(() => graph.invoke(null, thread("1")));
    const bare = new lg.StateGraph(trailState(lg)).addNode("a", leaves("a")).addEdge(lg.START, "a").compile();
    await t.fails(() => bare.invoke(null));
    await t.fails(() => bare.invoke(undefined as never));
  }),

  scenario("an input whose keys are all unknown is refused or ignored the same way", async (lg, t) => {
    const { graph } = chain(lg, t);
    await t.invoke(graph, { stranger: 1 } as never, thread("1"));
  }),

  scenario("updateState as the last node, and as a named one", async (lg, t) => {
    const { graph, saver } = chain(lg, t);
    await t.invoke(graph, { trail: ["in"] }, thread("1"));
    await graph.updateState(thread("1"), { trail: ["as the last"] });
    await t.state(graph, thread("1"));
    await graph.updateState(thread("1"), { trail: ["as a"] }, "a");
    await t.state(graph, thread("1"));
    await t.invoke(graph, null, thread("1"));
    await t.history(graph, thread("1"));
    await t.saved(saver, "1");
  }),

  scenario("updateState on an empty thread", async (lg, t) => {
    const { graph, saver } = chain(lg, t);
    await graph.updateState(thread("1"), { trail: ["by hand"] }, "a");
    await t.state(graph, thread("1"));
    await t.invoke(graph, null, thread("1"));
    await t.saved(saver, "1");
  }),

  scenario("updateState as an unknown node, or when it is not clear which, is refused", async (lg, t) => {
    const { graph } = chain(lg, t);
    await graph.invoke({}, thread("1"));
    await t.fails(() => graph.updateState(thread("1"), { last: "x" }, "nowhere"));
    const wide = new lg.StateGraph(trailState(lg))
      .addNode("a", leaves("a"))
      .addNode("b", leaves("b"))
      .addEdge(lg.START, "a")
      .addEdge(lg.START, "b")
      .compile({ checkpointer: t.saver() });
    await wide.invoke({}, thread("1"));
    await t.fails(() => wide.updateState(thread("1"), { last: "x" }));
  }),

  scenario("A10 fork: an update of an old checkpoint, then on from there", async (lg, t) => {
    const { graph, saver } = chain(lg, t);
    await t.invoke(graph, { trail: ["in"] }, thread("1"));
    const all = await t.history(graph, thread("1"));
    const old = all.find((snapshot) => snapshot.next[0] === "b");
    if (old === undefined) throw new Error("no checkpoint before b");
    const forked = await graph.updateState(old.config, { trail: ["fork"], last: "forked" });
    t.note("fork", forked);
    await t.invoke(graph, null, forked);
    await t.history(graph, thread("1"));
    await t.saved(saver, "1");
  }),

  scenario("A10 time travel: replay from an old checkpoint", async (lg, t) => {
    const { graph, saver } = chain(lg, t);
    await t.invoke(graph, { trail: ["in"] }, thread("1"));
    const all = await t.history(graph, thread("1"));
    const old = all.find((snapshot) => snapshot.next[0] === "c");
    if (old === undefined) throw new Error("no checkpoint before c");
    await t.invoke(graph, null, old.config);
    await t.state(graph, thread("1"));
    await t.history(graph, thread("1"));
    await t.saved(saver, "1");
  }),

  scenario("time travel with a new input at an old checkpoint", async (lg, t) => {
    const { graph, saver } = chain(lg, t);
    await t.invoke(graph, { trail: ["in"] }, thread("1"));
    const all = await t.history(graph, thread("1"));
    const old = all.find((snapshot) => snapshot.next[0] === "c");
    if (old === undefined) throw new Error("no checkpoint before c");
    await t.invoke(graph, { trail: ["another way"] }, old.config);
    await t.state(graph, thread("1"));
    await t.saved(saver, "1");
  }),

  scenario("the state at an old checkpoint", async (lg, t) => {
    const { graph } = chain(lg, t);
    await graph.invoke({ trail: ["in"] }, thread("1"));
    const all = await t.history(graph, thread("1"));
    for (const snapshot of all) await t.state(graph, snapshot.config);
  }),

  scenario("replay before an interrupt asks again", async (lg, t) => {
    const saver = t.saver();
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("a", leaves("a"))
      .addNode("ask", () => ({ trail: [`answer ${lg.interrupt("?")}`] }))
      .addEdge(lg.START, "a")
      .addEdge("a", "ask")
      .compile({ checkpointer: saver });
    await t.invoke(graph, {}, thread("1"));
    await t.invoke(graph, new lg.Command({ resume: "first" }), thread("1"));
    const all = await t.history(graph, thread("1"));
    const old = all.find((snapshot) => snapshot.next[0] === "ask");
    if (old === undefined) throw new Error("no checkpoint before ask");
    await t.invoke(graph, null, old.config);
    await t.state(graph, thread("1"));
    await t.invoke(graph, new lg.Command({ resume: "second" }), thread("1"));
    await t.history(graph, thread("1"));
  }),

  scenario(
    "metadata and tags of a call are in the checkpoints' metadata as LangGraph keeps them",
    async (lg, t) => {
      const { graph, saver } = chain(lg, t);
      await graph.invoke({}, { ...thread("1", { user: "u1" }), metadata: { origin: "test" }, tags: ["x"] });
      await t.saved(saver, "1");
    },
  ),

  scenario("F2 durability exit leaves one checkpoint, and async as many as sync", async (lg, t) => {
    for (const durability of ["sync", "async", "exit"] as const) {
      const { graph, saver } = chain(lg, t);
      await t.invoke(graph, { trail: [durability] }, { ...thread("1"), durability });
      await t.saved(saver, "1");
    }
  }),

  scenario("two graphs over one thread: the second knows a key that the first does not", async (lg, t) => {
    const saver = t.saver();
    const small = new lg.StateGraph(lg.Annotation.Root({ last: lg.Annotation<string>() }))
      .addNode("s", () => ({ last: "small" }))
      .addEdge(lg.START, "s")
      .compile({ checkpointer: saver });
    const big = new lg.StateGraph(trailState(lg))
      .addNode("b", (state) => ({ trail: [`saw ${state.last}`] }))
      .addEdge(lg.START, "b")
      .compile({ checkpointer: saver });
    await t.invoke(small, { last: "in" }, thread("1"));
    await t.invoke(big, { trail: ["in"] }, thread("1"));
    await t.invoke(small, { last: "in again" }, thread("1"));
    await t.state(big, thread("1"));
    await t.saved(saver, "1");
  }),
];
