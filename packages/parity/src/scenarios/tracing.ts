import type { RunnableConfig } from "@langchain/core/runnables";
import { RunTrees } from "../run-tree.ts";
import { scenario } from "../scenario.ts";
import { leaves, thread, trailState, type Trail } from "./kit.ts";

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
];
