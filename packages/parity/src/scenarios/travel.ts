import type { LangGraph } from "../engines.ts";
import type { Recorder, Snapshot } from "../recorder.ts";
import { scenario } from "../scenario.ts";
import { leaves, thread, trailState } from "./kit.ts";

/** a -> b -> c on one thread that has run once. */
async function ran(lg: LangGraph, t: Recorder) {
  const saver = t.saver();
  const graph = new lg.StateGraph(trailState(lg))
    .addNode({ a: leaves("a"), b: leaves("b"), c: leaves("c") })
    .addEdge(lg.START, "a")
    .addEdge("a", "b")
    .addEdge("b", "c")
    .compile({ checkpointer: saver });
  await graph.invoke({ trail: ["in"] }, thread("1"));
  const all = await t.history(graph, thread("1"));
  /** The checkpoint at which a node was next. */
  const before = (node: string): Snapshot => {
    const found = all.find(({ next }) => next[0] === node);
    if (found === undefined) throw new Error(`no checkpoint before ${node}`);
    return found;
  };
  return { graph, saver, before };
}

export const travel = [
  scenario("replay from the checkpoint before the first node", async (lg, t) => {
    const { graph, saver, before } = await ran(lg, t);
    await t.stream(graph, null, { ...before("a").config, streamMode: ["updates", "values"] });
    await t.saved(saver, "1");
  }),

  scenario("a fork of a fork", async (lg, t) => {
    const { graph, saver, before } = await ran(lg, t);
    const first = await graph.updateState(before("c").config, { trail: ["first fork"] });
    await t.invoke(graph, null, first);
    const second = await graph.updateState(first, { trail: ["second fork"] });
    await t.invoke(graph, null, second);
    await t.history(graph, thread("1"));
    await t.saved(saver, "1");
  }),

  scenario("a fork as a node: its successors run", async (lg, t) => {
    const { graph, before } = await ran(lg, t);
    const fork = await graph.updateState(before("b").config, { trail: ["as b"] }, "b");
    await t.state(graph, fork);
    await t.invoke(graph, null, fork);
  }),

  scenario("the last checkpoint by its id is the thread's state", async (lg, t) => {
    const { graph } = await ran(lg, t);
    const latest = (await t.state(graph, thread("1"))).config;
    await t.state(graph, latest);
    await t.invoke(graph, { trail: ["more"] }, latest);
  }),

  scenario("a checkpoint id that does not exist", async (lg, t) => {
    const { graph } = await ran(lg, t);
    const config = thread("1", { checkpoint_id: "1f000000-0000-6000-8000-000000000000" });
    await t.state(graph, config).catch((error: unknown) => t.note("refused", error));
  }),

  scenario("updateState with nothing copies the checkpoint", async (lg, t) => {
    const { graph, saver } = await ran(lg, t);
    t.note("copied", await graph.updateState(thread("1"), null as never));
    await t.state(graph, thread("1"));
    await t.saved(saver, "1");
  }),

  scenario("updateState as START is an input", async (lg, t) => {
    const { graph, saver } = await ran(lg, t);
    await graph.updateState(thread("1"), { trail: ["by hand"] }, lg.START as never);
    await t.state(graph, thread("1"));
    await t.invoke(graph, null, thread("1"));
    await t.saved(saver, "1");
  }),

  scenario("updateState as END ends what was to run", async (lg, t) => {
    const { graph, saver, before } = await ran(lg, t);
    const ended = await graph.updateState(before("b").config, null as never, lg.END as never);
    await t.state(graph, ended);
    await t.saved(saver, "1");
  }),

  scenario("updateState as a node with a condition follows it", async (lg, t) => {
    const graph = new lg.StateGraph(trailState(lg))
      .addNode({ a: leaves("a"), far: leaves("far"), near: leaves("near") })
      .addEdge(lg.START, "a")
      .addConditionalEdges("a", (state) => (state.total > 5 ? "far" : "near"), ["far", "near"])
      .compile({ checkpointer: t.saver() });
    await t.invoke(graph, {}, thread("1"));
    await graph.updateState(thread("1"), { total: 9 }, "a");
    await t.state(graph, thread("1"));
    await t.invoke(graph, null, thread("1"));
  }),

  scenario("updateState with a key that does not exist, and with no object", async (lg, t) => {
    const { graph } = await ran(lg, t);
    await graph.updateState(thread("1"), { stranger: 1 } as never, "a");
    await t.state(graph, thread("1"));
    await t.fails(() => graph.updateState(thread("1"), "text" as never, "a"));
  }),

  scenario("updateState with an Overwrite", async (lg, t) => {
    const { graph } = await ran(lg, t);
    await graph.updateState(thread("1"), { trail: new lg.Overwrite(["only this"]) as never }, "c");
    await t.state(graph, thread("1"));
  }),

  scenario("an Overwrite as input, whose checkpoint is run again", async (lg, t) => {
    const saver = t.saver();
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("a", leaves("a"))
      .addEdge(lg.START, "a")
      .compile({ checkpointer: saver });
    await t.invoke(graph, { trail: new lg.Overwrite(["only this"]) as never, last: "in" }, thread("1"));
    const first = (await t.history(graph, thread("1"))).at(-1);
    await t.invoke(graph, null, first?.config ?? {});
    await t.state(graph, thread("1"));
    await t.saved(saver, "1");
  }),

  scenario("updateState of a thread that waits for an answer", async (lg, t) => {
    const saver = t.saver();
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("a", leaves("a"))
      .addNode("ask", (state) => ({ trail: [`${state.last}: ${lg.interrupt("?")}`] }))
      .addEdge(lg.START, "a")
      .addEdge("a", "ask")
      .compile({ checkpointer: saver });
    await t.invoke(graph, { last: "old" }, thread("1"));
    await graph.updateState(thread("1"), { last: "new" });
    await t.state(graph, thread("1"));
    await t.invoke(graph, null, thread("1"));
    await t.invoke(graph, new lg.Command({ resume: "yes" }), thread("1"));
    await t.saved(saver, "1");
  }),

  scenario("updateState after a failure, in place of the node that failed", async (lg, t) => {
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("a", leaves("a"))
      .addNode("bad", () => {
        throw new Error("user: bad");
      })
      .addNode("c", leaves("c"))
      .addEdge(lg.START, "a")
      .addEdge("a", "bad")
      .addEdge("bad", "c")
      .compile({ checkpointer: t.saver() });
    await t.fails(() => graph.invoke({}, thread("1")));
    await graph.updateState(thread("1"), { trail: ["repaired"] }, "bad");
    await t.state(graph, thread("1"));
    await t.invoke(graph, null, thread("1"));
  }),

  scenario("bulkUpdateState: several supersteps, several nodes in one of them", async (lg, t) => {
    const { graph, saver } = await ran(lg, t);
    t.note(
      "config",
      await graph.bulkUpdateState(thread("1"), [
        { updates: [{ values: { trail: ["one"] }, asNode: "a" }] },
        { updates: [{ values: { trail: ["two"] }, asNode: "b" }] },
      ]),
    );
    await t.saved(saver, "1");
    const both = ["b", "c"].map((asNode) => ({ values: { trail: [`both ${asNode}`] }, asNode }));
    t.note("both", await graph.bulkUpdateState(thread("1"), [{ updates: both }]));
    await t.state(graph, thread("1"));
    await t.history(graph, thread("1"));
  }),

  scenario("bulkUpdateState refuses no supersteps, empty ones, and updates of nobody", async (lg, t) => {
    const { graph } = await ran(lg, t);
    await t.fails(() => graph.bulkUpdateState(thread("1"), []));
    const full = { updates: [{ values: { last: "not written" }, asNode: "a" }] };
    await t.fails(() => graph.bulkUpdateState(thread("1"), [full, { updates: [] }]));
    await t.state(graph, thread("1"));
    await t.fails(() => graph.bulkUpdateState(thread("1"), [{ updates: [] }]));
    await t.fails(() =>
      graph.bulkUpdateState(thread("1"), [{ updates: [{ values: { last: "x" }, asNode: "nowhere" }] }]),
    );
  }),

  scenario("history by filter of its metadata", async (lg, t) => {
    const { graph } = await ran(lg, t);
    await graph.updateState(thread("1"), { last: "x" }, "a");
    await t.history(graph, thread("1"), { filter: { source: "update" } });
    await t.history(graph, thread("1"), { filter: { source: "loop", step: 1 } });
    await t.history(graph, thread("1"), { filter: { source: "nothing" } });
    await t.history(graph, thread("1"), { filter: { user: undefined, source: "loop" } });
    await t.history(graph, thread("1"), { filter: { source: undefined } });
  }),

  scenario("history before a checkpoint, page by page", async (lg, t) => {
    const { graph } = await ran(lg, t);
    let page = await t.history(graph, thread("1"), { limit: 2 });
    while (page.length > 0)
      page = await t.history(graph, thread("1"), { before: page.at(-1)?.config, limit: 2 });
  }),

  scenario("replay with other breakpoints, and on from there", async (lg, t) => {
    const { graph, before } = await ran(lg, t);
    await t.invoke(graph, null, { ...before("a").config, interruptBefore: ["c"] });
    await t.state(graph, thread("1"));
    await t.invoke(graph, null, thread("1"));
    await t.history(graph, thread("1"));
  }),

  scenario("a thread deleted from the saver begins anew", async (lg, t) => {
    const { graph, saver } = await ran(lg, t);
    await saver.deleteThread("1");
    await t.state(graph, thread("1"));
    await t.invoke(graph, { trail: ["again"] }, thread("1"));
    await t.saved(saver, "1");
  }),
];
