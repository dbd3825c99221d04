import {
  GraphDrained,
  isGraphDrained,
  type LangGraphRunnableConfig,
  RunControl,
  START,
  StateGraph,
} from "@skein/graph";
import { describe, expect, test } from "vitest";
import { SAVERS } from "./support/savers.ts";
import { leaves, type S, State, thread } from "./support/trail.ts";

describe.each(SAVERS)("a run that is drained, on %s", (_name, make) => {
  test.each(["sync", "async", "exit"] as const)(
    "a drained run is stored up to its last step and goes on later (%s)",
    async (durability) => {
      const control = new RunControl();
      const graph = new StateGraph(State)
        .addSequence({
          a: () => {
            control.requestDrain("sigterm");
            return { trail: ["a"] };
          },
          b: leaves("b"),
        })
        .addEdge(START, "a")
        .compile({ checkpointer: make() });
      const run = graph.invoke({ trail: ["in"] }, { ...thread, durability, control });
      const error: unknown = await run.catch((caught: unknown) => caught);
      expect(isGraphDrained(error)).toBe(true);
      expect(error).toMatchObject({ name: "GraphDrained", reason: "sigterm", code: "DRAINED" });
      const state = await graph.getState(thread);
      expect([state.next, state.values.trail]).toEqual([["b"], ["in", "a"]]);
      expect((await graph.invoke(null, thread)).trail).toEqual(["in", "a", "b"]);
    },
  );
});

test("a drain of a graph within a graph keeps what its siblings did", async () => {
  const inner = new StateGraph(State)
    .addSequence({
      x: (_state: S, config: LangGraphRunnableConfig) => {
        config.control?.requestDrain();
        return { trail: ["x"] };
      },
      y: leaves("y"),
    })
    .addEdge(START, "x")
    .compile();
  const [, makeSaver] = SAVERS[1] as (typeof SAVERS)[number];
  let siblings = 0;
  const graph = new StateGraph(State)
    .addNode("inner", inner)
    .addNode("sibling", () => {
      siblings += 1;
      return { trail: ["sibling"] };
    })
    .addEdge(START, "inner")
    .addEdge(START, "sibling")
    .compile({ checkpointer: makeSaver() });
  await expect(graph.invoke({}, thread)).rejects.toBeInstanceOf(GraphDrained);
  expect((await graph.invoke(null, thread)).trail.toSorted()).toEqual(["sibling", "x", "y"]);
  expect(siblings).toBe(1);
});
