import { describe, expect, it } from "vitest";
import { type Engine, oracle, ours } from "../src/engines.ts";
import { thread } from "../src/scenarios/kit.ts";

/** A graph with a saver of its own, which two runs of a node of LangGraph's call twice each. */
async function within({ lg }: Engine, thread_id: string | undefined) {
  const Sum = lg.Annotation.Root({
    sum: lg.Annotation<number>({ reducer: (left, right) => left + right, default: () => 0 }),
  });
  const inner = new lg.StateGraph(Sum)
    .addNode("adds", () => ({ sum: 1 }))
    .addEdge(lg.START, "adds")
    .compile({ checkpointer: new lg.MemorySaver() });
  const outer = new oracle.lg.StateGraph(oracle.lg.Annotation.Root({ sums: oracle.lg.Annotation<number[]> }))
    .addNode("calls", async (_state, config) => {
      const other = { ...config, configurable: { ...config.configurable, thread_id } };
      const handed = thread_id === undefined ? config : other;
      const [one, two] = [await inner.invoke({ sum: 1 }, handed), await inner.invoke({ sum: 1 }, handed)];
      return { sums: [one.sum, two.sum] };
    })
    .addEdge(oracle.lg.START, "calls")
    .compile({ checkpointer: new oracle.lg.MemorySaver() });
  const sums = [];
  for (let run = 0; run < 2; run += 1) sums.push((await outer.invoke({}, thread("t"))).sums);
  const next = (await outer.getState(thread("t"))).values;
  return { sums, next };
}

describe("a graph of ours in a node of LangGraph.js", () => {
  it.each([undefined, "own"])("stands where one of LangGraph's would (thread: %s)", async (thread_id) => {
    expect(await within(ours, thread_id)).toEqual(await within(oracle, thread_id));
  });
});
