import { RunnableLambda } from "@langchain/core/runnables";
import type { LangGraph } from "../engines.ts";
import type { Recorder } from "../recorder.ts";
import { scenario } from "../scenario.ts";
import { leaves, trailState } from "./kit.ts";

type Drawable = {
  getGraph(config?: object): DrawnGraph;
  getGraphAsync(config?: object): Promise<DrawnGraph>;
};
interface DrawnGraph {
  drawMermaid(options?: object): string;
  toJSON(): Record<string, unknown>;
}

/** What is drawn, and the parts that tools read. */
async function drawn(t: Recorder, graph: unknown, config?: object): Promise<void> {
  const sync = (graph as Drawable).getGraph(config);
  t.note("mermaid", sync.drawMermaid());
  t.note("async", (await (graph as Drawable).getGraphAsync(config)).drawMermaid());
  const { nodes, edges } = sync.toJSON() as {
    nodes: { id: string; type: string; data: unknown }[];
    edges: unknown;
  };
  t.note(
    "nodes",
    nodes.map(({ id, type, data }) => [id, type, type === "schema" ? undefined : data]),
  );
  t.note("edges", edges);
}

function chain(lg: LangGraph) {
  return new lg.StateGraph(trailState(lg))
    .addNode("b", leaves("b"))
    .addNode("a", leaves("a"))
    .addEdge(lg.START, "b")
    .addEdge("b", "a")
    .addEdge("a", lg.END);
}

export const drawing = [
  scenario("drawing a chain", async (lg, t) => drawn(t, chain(lg).compile())),

  scenario("drawing without styles, with another curve, other colours and wrapped labels", async (lg, t) => {
    const graph = chain(lg).compile().getGraph();
    t.note("plain", graph.drawMermaid({ withStyles: false }));
    t.note("curve", graph.drawMermaid({ curveStyle: "basis" }));
    t.note(
      "colours",
      graph.drawMermaid({ nodeColors: { default: "fill:#fff", first: "fill:#000" } as never }),
    );
    t.note("wrapped", graph.drawMermaid({ wrapLabelNWords: 1 }));
  }),

  scenario("a node that nothing leaves ends the graph in the drawing", async (lg, t) => {
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("z", leaves("z"))
      .addNode("y", leaves("y"))
      .addNode("x", leaves("x"))
      .addEdge(lg.START, "z")
      .addEdge("z", "y")
      .addEdge("z", "x")
      .compile();
    await drawn(t, graph);
  }),

  scenario("drawing conditional edges with labels, without, and with a list", async (lg, t) => {
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("a", leaves("a"))
      .addNode("b", leaves("b"))
      .addNode("c", leaves("c"))
      .addEdge(lg.START, "a")
      .addConditionalEdges("a", () => "go", { go: "b", stop: lg.END, c: "c" })
      .addConditionalEdges("b", () => "c", ["c", lg.END])
      .addConditionalEdges("c", () => lg.END)
      .compile();
    await drawn(t, graph);
  }),

  scenario("drawing a branch from the start and nodes that go by Commands", async (lg, t) => {
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("a", () => new lg.Command({ goto: "b" }), { ends: ["b", lg.END] })
      .addNode("b", leaves("b"), { ends: ["a"] })
      .addConditionalEdges(lg.START, () => "a", ["a", "b"])
      .compile();
    await drawn(t, graph);
  }),

  scenario("drawing joins and several edges from one node", async (lg, t) => {
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("start", leaves("start"))
      .addNode("two", leaves("two"))
      .addNode("one", leaves("one"))
      .addNode("end", leaves("end"))
      .addEdge(lg.START, "start")
      .addEdge("start", "two")
      .addEdge("start", "one")
      .addEdge(["one", "two"], "end")
      .addEdge("end", lg.END)
      .compile();
    await drawn(t, graph);
  }),

  scenario("many edges are drawn by where they start, in the order they were added", async (lg, t) => {
    const names = Array.from({ length: 40 }, (_, i) => `n${(i * 7) % 40}`);
    const builder = new lg.StateGraph(trailState(lg)) as unknown as {
      addNode(name: string, action: unknown): void;
      addEdge(start: string, end: string): void;
      compile(): Drawable;
    };
    for (const name of names) builder.addNode(name, leaves(name));
    for (const [i, name] of names.entries())
      builder.addEdge(i === 0 ? lg.START : (names[i - 1] as string), name);
    for (const name of names.slice(2)) builder.addEdge(name, names[1] as string);
    await drawn(t, builder.compile());
  }),

  scenario("breakpoints and metadata of nodes in a drawing", async (lg, t) => {
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("a", leaves("a"), { metadata: { team: "red", size: 3 } })
      .addNode("b", leaves("b"))
      .addNode("c", leaves("c"))
      .addEdge(lg.START, "a")
      .addEdge("a", "b")
      .addEdge("b", "c")
      .compile({ interruptBefore: ["a", "b"], interruptAfter: ["b", "c"] });
    await drawn(t, graph);
  }),

  scenario("names that Mermaid would misread", async (lg, t) => {
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("subgraph", leaves("s"))
      .addNode("has space", leaves("h"))
      .addNode("ünï-code", leaves("u"))
      .addNode("a.b/c", leaves("a"))
      .addEdge(lg.START, "subgraph")
      .addEdge("subgraph", "has space")
      .addEdge("has space", "ünï-code")
      .addEdge("ünï-code", "a.b/c")
      .compile();
    await drawn(t, graph);
  }),

  scenario("xray opens subgraphs, as deep as it says", async (lg, t) => {
    const inmost = chain(lg).compile();
    const inner = new lg.StateGraph(trailState(lg))
      .addNode("first", leaves("first"))
      .addNode("deep", inmost)
      .addEdge(lg.START, "first")
      .addEdge("first", "deep")
      .addEdge("deep", lg.END)
      .compile();
    const outer = new lg.StateGraph(trailState(lg))
      .addNode("before", leaves("before"))
      .addNode("inner", inner)
      .addNode("after", leaves("after"))
      .addEdge(lg.START, "before")
      .addEdge("before", "inner")
      .addEdge("inner", "after")
      .addEdge("after", lg.END)
      .compile();
    await drawn(t, outer);
    await drawn(t, outer, { xray: true });
    await drawn(t, outer, { xray: 1 });
    await drawn(t, outer, { xray: 2 });
  }),

  scenario(
    "xray of a subgraph with a branch in it, of one node, and of a function that names its graph",
    async (lg, t) => {
      const branching = new lg.StateGraph(trailState(lg))
        .addNode("x", leaves("x"))
        .addNode("y", leaves("y"))
        .addNode("z", leaves("z"))
        .addEdge(lg.START, "x")
        .addConditionalEdges("x", () => "y", { left: "y", right: "z" })
        .addEdge("y", lg.END)
        .addEdge("z", lg.END)
        .compile();
      const single = new lg.StateGraph(trailState(lg))
        .addNode("only", leaves("only"))
        .addEdge(lg.START, "only")
        .addEdge("only", lg.END)
        .compile();
      const outer = new lg.StateGraph(trailState(lg))
        .addNode("branching", branching)
        .addNode("single", single)
        .addNode("named", async (state) => branching.invoke(state), { subgraphs: [branching] as never })
        .addEdge(lg.START, "branching")
        .addEdge("branching", "single")
        .addEdge("single", "named")
        .addEdge("named", lg.END)
        .compile();
      await drawn(t, outer, { xray: true });
    },
  ),

  scenario("xray of a sequence of runnables", async (lg, t) => {
    const sequence = RunnableLambda.from(() => ({ trail: ["1"] })).pipe(
      RunnableLambda.from((x: object) => x),
    );
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("steps", sequence as never)
      .addEdge(lg.START, "steps" as never)
      .addEdge("steps" as never, lg.END)
      .compile();
    t.note("closed", graph.getGraph().drawMermaid());
  }),

  scenario("a loop, drawn", async (lg, t) => {
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("agent", leaves("agent"))
      .addNode("tools", leaves("tools"))
      .addEdge(lg.START, "agent")
      .addConditionalEdges("agent", () => "tools", { continue: "tools", end: lg.END })
      .addEdge("tools", "agent")
      .compile();
    await drawn(t, graph);
  }),

  scenario("a node with an error handler, drawn", async (lg, t) => {
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("a", leaves("a"), { errorHandler: () => ({ trail: ["handled"] }) } as never)
      .addNode("b", leaves("b"))
      .addEdge(lg.START, "a")
      .addEdge("a", "b")
      .compile();
    await drawn(t, graph);
  }),
];
