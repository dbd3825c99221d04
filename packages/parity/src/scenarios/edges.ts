import { scenario } from "../scenario.ts";
import { leaves, thread, trailState } from "./kit.ts";

export const edges = [
  scenario("an edge from START to END, alone and beside one to a node", async (lg, t) => {
    const alone = new lg.StateGraph(trailState(lg)).addEdge(lg.START, lg.END);
    const beside = new lg.StateGraph(trailState(lg))
      .addNode("a", leaves("a"))
      .addEdge(lg.START, lg.END)
      .addEdge(lg.START, "a");
    for (const builder of [alone, beside]) {
      const graph = builder.compile({ checkpointer: t.saver() });
      await t.stream(graph, { last: "x" }, { ...thread("1"), streamMode: ["values", "updates"] });
      await t.state(graph, thread("1"));
      t.note("drawn", (await graph.getGraphAsync()).drawMermaid());
    }
  }),

  scenario("a sequence runs in order, one node a step", async (lg, t) => {
    const graph = new lg.StateGraph(trailState(lg))
      .addSequence([
        ["a", leaves("a")],
        ["b", leaves("b")],
        ["c", leaves("c")],
      ])
      .addEdge(lg.START, "a")
      .addEdge("c", lg.END)
      .compile();
    await t.steps(graph, {});
  }),

  scenario("a conditional edge returns the name of a node", async (lg, t) => {
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("a", leaves("a"))
      .addNode("left", leaves("left"))
      .addNode("right", leaves("right"))
      .addEdge(lg.START, "a")
      .addConditionalEdges("a", (state) => (state.last === "l" ? "left" : "right"), ["left", "right"])
      .compile();
    await t.invoke(graph, { last: "l" });
    await t.invoke(graph, { last: "r" });
  }),

  scenario("a path map translates what the condition returns, END included", async (lg, t) => {
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("a", leaves("a"))
      .addNode("b", leaves("b"))
      .addEdge(lg.START, "a")
      .addConditionalEdges("a", (state) => state.last, { go: "b", stop: lg.END })
      .compile();
    await t.invoke(graph, { last: "go" });
    await t.invoke(graph, { last: "stop" });
  }),

  scenario("a condition may choose several nodes", async (lg, t) => {
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("a", leaves("a"))
      .addNode("b", leaves("b"))
      .addNode("c", leaves("c"))
      .addNode("d", leaves("d"))
      .addEdge(lg.START, "a")
      .addConditionalEdges("a", () => ["d", "b"] as const as never, ["b", "c", "d"])
      .compile();
    await t.invoke(graph, {});
    await t.steps(graph, {});
  }),

  scenario("a condition sees the state with its node's writes applied", async (lg, t) => {
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("a", () => ({ total: 5, trail: ["a"] }))
      .addNode("big", leaves("big"))
      .addNode("small", leaves("small"))
      .addEdge(lg.START, "a")
      .addConditionalEdges("a", (state) => (state.total >= 5 ? "big" : "small"), ["big", "small"])
      .compile();
    await t.invoke(graph, {});
  }),

  scenario("a condition of one branch does not see a sibling's writes of the same step", async (lg, t) => {
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("a", leaves("a"))
      .addNode("b", leaves("b"))
      .addNode("one", leaves("one"))
      .addNode("two", leaves("two"))
      .addEdge(lg.START, "a")
      .addEdge(lg.START, "b")
      .addConditionalEdges("b", (state) => (state.total === 1 ? "one" : "two"), ["one", "two"])
      .compile();
    await t.invoke(graph, {});
  }),

  scenario("conditions from START choose the entry", async (lg, t) => {
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("a", leaves("a"))
      .addNode("b", leaves("b"))
      .addConditionalEdges(lg.START, (state) => (state.last === "b" ? "b" : "a"), ["a", "b"])
      .compile();
    await t.invoke(graph, { last: "b" });
    await t.invoke(graph, { last: "a" });
  }),

  scenario("two conditions without a name on one node are refused", async (lg, t) => {
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("a", leaves("a"))
      .addConditionalEdges("a", () => lg.END);
    await t.fails(() => graph.addConditionalEdges("a", () => lg.END));
  }),

  scenario("fan-out and two paths of unequal length into one node run it twice", async (lg, t) => {
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("a", leaves("a"))
      .addNode("b", leaves("b"))
      .addNode("b2", leaves("b2"))
      .addNode("end", leaves("end"))
      .addEdge(lg.START, "a")
      .addEdge("a", "b")
      .addEdge("a", "end")
      .addEdge("b", "b2")
      .addEdge("b2", "end")
      .compile();
    await t.steps(graph, {});
  }),

  scenario("a join waits for all of its sources, over paths of unequal length", async (lg, t) => {
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("a", leaves("a"))
      .addNode("b", leaves("b"))
      .addNode("c", leaves("c"))
      .addNode("c2", leaves("c2"))
      .addNode("end", leaves("end"))
      .addEdge(lg.START, "a")
      .addEdge("a", "b")
      .addEdge("a", "c")
      .addEdge("c", "c2")
      .addEdge(["b", "c2"], "end")
      .compile();
    await t.steps(graph, {});
  }),

  scenario("a join in a loop waits again each time round", async (lg, t) => {
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("start", leaves("start"))
      .addNode("b", leaves("b"))
      .addNode("c", leaves("c"))
      .addNode("join", leaves("join"))
      .addEdge(lg.START, "start")
      .addEdge("start", "b")
      .addEdge("start", "c")
      .addEdge(["b", "c"], "join")
      .addConditionalEdges("join", (state) => (state.total < 8 ? "start" : lg.END), ["start", lg.END])
      .compile();
    await t.steps(graph, {});
  }),

  scenario("a join whose source never runs is never passed, and the run ends", async (lg, t) => {
    const saver = t.saver();
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("a", leaves("a"))
      .addNode("b", leaves("b"))
      .addNode("c", leaves("c"))
      .addNode("join", leaves("join"))
      .addEdge(lg.START, "a")
      .addConditionalEdges("a", () => "b", ["b", "c"])
      .addEdge(["b", "c"], "join")
      .compile({ checkpointer: saver });
    await t.invoke(graph, {}, thread("1"));
    await t.state(graph, thread("1"));
    await t.saved(saver, "1");
  }),

  scenario("a deferred node runs when nothing else is left to run", async (lg, t) => {
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("a", leaves("a"))
      .addNode("b", leaves("b"))
      .addNode("b2", leaves("b2"))
      .addNode("c", leaves("c"))
      .addNode("end", leaves("end"), { defer: true })
      .addEdge(lg.START, "a")
      .addEdge("a", "b")
      .addEdge("a", "c")
      .addEdge("b", "b2")
      .addEdge("b2", "end")
      .addEdge("c", "end")
      .compile();
    await t.steps(graph, {});
  }),

  scenario("a node with a loop edge onto itself runs until its condition ends it", async (lg, t) => {
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("again", leaves("again"))
      .addEdge(lg.START, "again")
      .addConditionalEdges("again", (state) => (state.total < 4 ? "again" : lg.END), ["again", lg.END])
      .compile();
    await t.invoke(graph, {});
  }),

  scenario("the recursion limit counts supersteps exactly", async (lg, t) => {
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("again", leaves("again"))
      .addEdge(lg.START, "again")
      .addConditionalEdges("again", (state) => (state.total < 4 ? "again" : lg.END), ["again", lg.END])
      .compile();
    await t.invoke(graph, {}, { recursionLimit: 5 });
    await t.fails(() => graph.invoke({}, { recursionLimit: 4 }));
    await t.fails(() => graph.invoke({}, { recursionLimit: 1 }));
  }),

  scenario("the default recursion limit stops an endless loop", async (lg, t) => {
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("a", leaves("a"))
      .addNode("b", leaves("b"))
      .addEdge(lg.START, "a")
      .addEdge("a", "b")
      .addEdge("b", "a")
      .compile();
    await t.streamFails(graph, {}, { streamMode: "updates" });
  }),

  scenario("a recursion limit below one is refused", async (lg, t) => {
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("a", leaves("a"))
      .addEdge(lg.START, "a")
      .compile();
    await t.fails(() => graph.invoke({}, { recursionLimit: 0 }));
  }),

  scenario("checkpoints of a graph with fan-out, condition and join", async (lg, t) => {
    const saver = t.saver();
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("a", leaves("a"))
      .addNode("b", leaves("b"))
      .addNode("c", leaves("c"))
      .addNode("join", leaves("join"))
      .addNode("end", () => ({ last: "end" }))
      .addEdge(lg.START, "a")
      .addEdge("a", "b")
      .addEdge("a", "c")
      .addEdge(["b", "c"], "join")
      .addConditionalEdges("join", () => "end", ["end"])
      .compile({ checkpointer: saver });
    await t.invoke(graph, { trail: ["in"] }, thread("1"));
    await t.history(graph, thread("1"));
    await t.saved(saver, "1");
    await t.invoke(graph, { trail: ["again"] }, thread("1"));
    await t.saved(saver, "1");
  }),

  scenario("nodes whose names are whole numbers come before the others, in their order", async (lg, t) => {
    const names = ["b", "10", "1.1", "2", "a", "01"];
    const builder = new lg.StateGraph(trailState(lg));
    for (const name of names) builder.addNode(name, leaves(name));
    builder.addConditionalEdges(lg.START as never, () => names as never[]);
    const graph = builder.compile({ checkpointer: t.saver(), interruptBefore: "*" });
    await t.invoke(graph, {}, thread("1"));
    const { next } = await t.state(graph, thread("1"));
    t.note("next", next);
    t.note("drawn", graph.getGraph().drawMermaid());
  }),

  scenario("nodes and conditions see keys in the order of the state, also of a large one", async (lg, t) => {
    for (const size of [4, 60]) {
      const names = Array.from({ length: size }, (_, i) => `k${size - i}`);
      const State = lg.Annotation.Root(
        Object.fromEntries(names.map((name) => [name, lg.Annotation<number>()])),
      );
      const [first = "", second = "", third = "", fourth = ""] = names;
      const look = (what: string, state: Record<string, unknown>): void =>
        t.note(what, [state[third], state["unknown"], Object.keys(state), Object.keys({ ...state })]);
      const graph = new lg.StateGraph(State)
        .addNode("n", (state) => {
          look("node", state);
          return { [first]: 1, [third]: 3 };
        })
        .addNode("m", (state) => {
          look("node after", state);
          return {};
        })
        .addConditionalEdges(lg.START, (state) => (look("start", state), "n"), ["n"])
        .addConditionalEdges("n", (state) => (look("condition", state), "m"), ["m"])
        .compile();
      await t.invoke(graph, { [fourth]: 4, [second]: 2 });
    }
  }),
];
