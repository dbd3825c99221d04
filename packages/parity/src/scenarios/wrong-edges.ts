import { RunnableLambda } from "@langchain/core/runnables";
import { scenario } from "../scenario.ts";
import { leaves, trailState } from "./kit.ts";

const named = (name: string, to: string) =>
  Object.assign(new RunnableLambda({ func: () => to }), { name }) as never;

/** Edges and nodes that cannot work. */
export const wrongEdges = [
  scenario("A8 what is refused when a graph is built", async (lg, t) => {
    const fresh = () => new lg.StateGraph(trailState(lg)).addNode("a", leaves("a")).addNode("b", leaves("b"));
    await t.fails(() =>
      fresh()
        .addEdge("nowhere" as never, "a")
        .addEdge(lg.START, "a")
        .compile(),
    );
    await t.fails(() => fresh().addEdge(lg.START, "a").compile());
    await t.fails(() => fresh().addNode("a", leaves("a")));
    await t.fails(() => fresh().addNode(lg.START as never, leaves("a")));
    await t.fails(() => fresh().addNode(lg.END as never, leaves("a")));
    await t.fails(() => fresh().addNode("__proto__", leaves("a")));
    await t.fails(() => fresh().addNode([["__proto__", leaves("a")]]));
    await t.fails(() => fresh().addEdge(lg.END as never, "a"));
    await t.fails(() => fresh().addEdge("a", lg.START as never));
    await t.fails(() => fresh().addNode("with|bar", leaves("a")));
    await t.fails(() => fresh().addNode("with:colon", leaves("a")));
    await t.fails(() => fresh().addNode("trail" as never, leaves("a")));
    await t.fails(() =>
      fresh()
        .addEdge(lg.START, "a")
        .addEdge("a", "b")
        .compile({ interruptBefore: ["nowhere" as never] }),
    );
    await t.fails(() =>
      fresh()
        .addConditionalEdges("a", () => "b")
        .addConditionalEdges("nowhere" as never, () => "b")
        .addEdge(lg.START, "a")
        .compile(),
    );
  }),

  scenario("a condition that returns an unknown node, or nothing", async (lg, t) => {
    const to = (target: unknown) =>
      new lg.StateGraph(trailState(lg))
        .addNode("a", leaves("a"))
        .addNode("b", leaves("b"))
        .addEdge(lg.START, "a")
        .addConditionalEdges("a", () => target as never)
        .addEdge("b", lg.END)
        .compile();
    await t.invoke(to("b"), {});
    await t.invoke(to([]), {});
    await t.fails(() => to(undefined).invoke({}));
    await t.fails(() => to(null).invoke({}));
  }),

  scenario("a node that returns something that is no update is refused", async (lg, t) => {
    const returning = (value: unknown) =>
      new lg.StateGraph(trailState(lg))
        .addNode("a", () => value as never)
        .addEdge(lg.START, "a")
        .compile();
    await t.fails(() => returning("text").invoke({}));
    await t.fails(() => returning(5).invoke({}));
    await t.fails(() => returning(true).invoke({}));
  }),

  scenario("two conditions on one node both count, if they have names of their own", async (lg, t) => {
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("a", leaves("a"))
      .addNode("b", leaves("b"))
      .addNode("c", leaves("c"))
      .addEdge(lg.START, "a")
      .addConditionalEdges("a", named("first", "c"), ["c"])
      .addConditionalEdges("a", named("second", "b"), ["b"])
      .compile();
    await t.steps(graph, {});
  }),

  scenario("an edge to nowhere, where a node is left over that it was meant for", async (lg, t) => {
    await t.fails(() =>
      new lg.StateGraph(trailState(lg))
        .addNode("a", leaves("a"))
        .addNode("b", leaves("b"))
        .addEdge(lg.START, "a")
        .addEdge("a", "nowhere" as never)
        .compile(),
    );
  }),

  scenario("a graph without an entry", async (lg, t) => {
    await t.fails(() =>
      new lg.StateGraph(trailState(lg)).addNode("a", leaves("a")).addNode("b", leaves("b")).compile(),
    );
  }),

  scenario("a Send to a node that does not exist", async (lg, t) => {
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("plan", leaves("plan"))
      .addEdge(lg.START, "plan")
      .addConditionalEdges("plan", () => [new lg.Send("nowhere", {})] as never)
      .compile();
    await t.fails(() => graph.invoke({}));
  }),
];
