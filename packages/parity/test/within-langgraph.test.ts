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

const Trail = ({ lg }: Engine) =>
  lg.Annotation.Root({
    trail: lg.Annotation<string[]>({ reducer: (a, b) => a.concat(b), default: () => [] }),
  });

/** A graph that asks twice, called in a node of LangGraph's that asks first; what was asked, and the output. */
async function asking(engine: Engine, byId: boolean) {
  const { lg } = engine;
  const inner = new lg.StateGraph(Trail(engine))
    .addNode("begins", () => ({ trail: ["begun"] }))
    .addNode("asks", () => ({ trail: [`${lg.interrupt("one")} ${lg.interrupt("two")}`] }))
    .addEdge(lg.START, "begins")
    .addEdge("begins", "asks")
    .compile();
  const { StateGraph, START, interrupt, Command, MemorySaver } = oracle.lg;
  const outer = new StateGraph(Trail(oracle))
    .addNode("calls", async (_state, config) => {
      const before: string = interrupt("before");
      const { trail } = await inner.invoke({ trail: ["given"] }, config);
      return { trail: [before, ...trail] };
    })
    .addEdge(START, "calls")
    .compile({ checkpointer: new MemorySaver() });
  type Asked = { __interrupt__?: { id: string; value: unknown }[]; trail: string[] };
  const asked: unknown[] = [];
  let output = (await outer.invoke({}, thread("t"))) as Asked;
  for (let turn = 0; output.__interrupt__ !== undefined && turn < 9; turn += 1) {
    const [{ id = "", value } = {}] = output.__interrupt__;
    asked.push(value);
    const resume = byId ? { [id]: `to ${String(value)}` } : `to ${String(value)}`;
    output = (await outer.invoke(new Command({ resume }), thread("t"))) as Asked;
  }
  return { asked, trail: output.trail };
}

describe("a graph of ours in a node of LangGraph.js", () => {
  it.each([undefined, "own"])("stands where one of LangGraph's would (thread: %s)", async (thread_id) => {
    expect(await within(ours, thread_id)).toEqual(await within(oracle, thread_id));
  });

  it.each([false, true])("asks its questions through that node (answers by id: %s)", async (byId) => {
    const given = await asking(ours, byId);
    expect(given).toEqual(await asking(oracle, byId));
    expect(given.asked).toContain("two");
  });
});
