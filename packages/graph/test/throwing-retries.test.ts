import { MemorySaver } from "@langchain/langgraph-checkpoint";
import { type RetryPolicy, START, StateGraph } from "@skein/graph";
import { describe, expect, test } from "vitest";
import { leaves, sleep, State, thread } from "./support/trail.ts";

const judge = new Error("the judge");
const retryPolicy: RetryPolicy = {
  retryOn: () => {
    throw judge;
  },
};

const FAILING: readonly (readonly [string, () => unknown])[] = [
  [
    "at once",
    () => {
      throw new Error("broken");
    },
  ],
  [
    "late",
    async () => {
      await sleep(1);
      throw new Error("broken");
    },
  ],
];

describe.each(FAILING)("a retryOn that throws, of a node that fails %s", (_when, fails) => {
  test("fails the node, beside a sibling, and is stored with it", async () => {
    const graph = new StateGraph(State)
      .addNode("bad", fails as () => object, { retryPolicy })
      .addNode("sibling", leaves("sibling"))
      .addEdge(START, "bad")
      .addEdge(START, "sibling")
      .compile({ checkpointer: new MemorySaver() });
    await expect(graph.invoke({}, thread)).rejects.toBe(judge);
    const { tasks } = await graph.getState(thread);
    expect(tasks.find(({ name }) => name === "bad")?.error).toMatchObject({ message: "the judge" });
  });

  test("is told to the node's error handler", async () => {
    const graph = new StateGraph(State)
      .addNode("bad", fails as () => object, {
        retryPolicy,
        errorHandler: (_state, { error }) => ({ trail: [error.message] }),
      })
      .addEdge(START, "bad")
      .compile();
    expect(await graph.invoke({})).toEqual({ trail: ["the judge"] });
  });
});
