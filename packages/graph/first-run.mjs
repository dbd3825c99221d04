// What `scripts/compile-early.mjs` runs: a small graph, without a saver.
export const entries = ["node/index.js"];
export const files = /^node\/core-/;

export async function firstRun([{ Annotation, StateGraph, START, END }]) {
  const State = Annotation.Root({
    count: Annotation({ reducer: (left, right) => left + right, default: () => 0 }),
    last: Annotation(),
  });
  const graph = new StateGraph(State)
    .addNode("left", () => ({ count: 1, last: "left" }))
    .addNode("right", async () => ({ count: 1, last: "right" }))
    .addEdge(START, "left")
    .addEdge("left", "right")
    .addConditionalEdges("right", ({ count }) => (count < 4 ? "left" : END), ["left", END])
    .compile();
  const { count } = await graph.invoke({ count: 0 });
  if (count !== 4) throw new Error(`the first run counted ${count} steps instead of 4`);
}
