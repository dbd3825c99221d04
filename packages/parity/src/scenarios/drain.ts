import { scenario } from "../scenario.ts";
import { leaves, thread, trailState } from "./kit.ts";

/** Runs that are asked to stop. */
export const drain = [
  scenario("a drained run stops before its next step and goes on later", async (lg, t) => {
    const saver = t.saver();
    const build = () =>
      new lg.StateGraph(trailState(lg))
        .addNode("a", (_state, config) => {
          config.control?.requestDrain("sigterm");
          return { trail: ["a"] };
        })
        .addNode("b", leaves("b"))
        .addEdge(lg.START, "a")
        .addEdge("a", "b")
        .compile({ checkpointer: saver });
    for (const durability of ["sync", "async", "exit"] as const) {
      const config = { ...thread(durability), durability };
      const control = new lg.RunControl();
      const error = await t.fails(() => build().invoke({ trail: ["in"] }, { ...config, control }));
      t.note("the error", [
        lg.isGraphDrained(error),
        lg.isGraphBubbleUp(error),
        lg.isGraphInterrupt(error),
        (error as { reason?: unknown }).reason,
        control.drainRequested,
        control.drainReason,
      ]);
      await t.state(build(), config);
      await t.saved(saver, durability);
      await t.invoke(build(), null, config);
    }
  }),

  scenario("a run that ends in the step in which it is drained ends as usual", async (lg, t) => {
    const control = new lg.RunControl();
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("a", () => {
        control.requestDrain();
        return { trail: ["a"] };
      })
      .addEdge(lg.START, "a")
      .compile();
    await t.invoke(graph, {}, { control });
    t.note("control", [control.drainRequested, control.drainReason]);
    await t.fails(() => graph.invoke({}, { control }));
  }),

  scenario("a drain stops a graph within a graph, too", async (lg, t) => {
    const saver = t.saver();
    const inner = new lg.StateGraph(trailState(lg))
      .addNode("x", (_state, config) => {
        config.control?.requestDrain("now");
        return { last: "x" };
      })
      .addNode("y", () => ({ last: "y" }))
      .addEdge(lg.START, "x")
      .addEdge("x", "y")
      .compile();
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("inner", async (state, config) => ({ trail: [(await inner.invoke(state, config)).last] }))
      .addNode("sibling", leaves("sibling"))
      .addNode("end", leaves("end"))
      .addEdge(lg.START, "inner")
      .addEdge(lg.START, "sibling")
      .addEdge(["inner", "sibling"], "end")
      .compile({ checkpointer: saver });
    await t.fails(() => graph.invoke({ trail: ["in"] }, thread("1")));
    await t.state(graph, thread("1"));
    const again = new lg.StateGraph(trailState(lg))
      .addNode("inner", leaves("inner"))
      .addNode("sibling", leaves("sibling again"))
      .addNode("end", leaves("end"))
      .addEdge(lg.START, "inner")
      .addEdge(lg.START, "sibling")
      .addEdge(["inner", "sibling"], "end")
      .compile({ checkpointer: saver });
    await t.invoke(again, null, thread("1"));
  }),
];
