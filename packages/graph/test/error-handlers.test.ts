import { Command, GraphError, isNodeError, type NodeError, Send, START, StateGraph } from "@skein/graph";
import { describe, expect, test } from "vitest";
import { SAVERS } from "./support/savers.ts";
import { leaves, type S, sleep, State, thread } from "./support/trail.ts";

describe.each(SAVERS)("error handlers, on %s", (_name, make) => {
  test("A9 the run goes on with what the handler returns, and the failed node's edges are not taken", async () => {
    let seen: NodeError | undefined;
    const failure = new TypeError("broken");
    const graph = new StateGraph(State)
      .addNode(
        "bad",
        () => {
          throw failure;
        },
        {
          errorHandler: (state: S, error) => {
            seen = error;
            return new Command({ update: { trail: [`after ${state.trail.join()}`] }, goto: "mend" });
          },
        },
      )
      .addNode("sibling", leaves("sibling"))
      .addNode("next", leaves("next"))
      .addNode("mend", leaves("mend"))
      .addEdge(START, "bad")
      .addEdge(START, "sibling")
      .addEdge("bad", "next")
      .compile({ checkpointer: make() });
    const { trail } = await graph.invoke({ trail: ["in"] }, thread);
    expect(trail).toEqual(["in", "sibling", "after in", "mend"]);
    expect(isNodeError(seen)).toBe(true);
    expect([seen?.node, seen?.error]).toEqual(["bad", failure]);
    expect((await graph.getState(thread)).next).toEqual([]);
  });

  test("A6 after a crash of the handler, the handler runs again and the node does not", async () => {
    let tries = 0;
    let broken = true;
    const graph = new StateGraph(State)
      .addNode(
        "bad",
        () => {
          tries += 1;
          throw new TypeError("broken");
        },
        {
          errorHandler: (_state: S, { node, error }) => {
            if (broken) throw new Error("the handler, too");
            return { trail: [`${node}: ${error.name} ${error.message}`] };
          },
        },
      )
      .addNode("sibling", async () => {
        await sleep(1);
        return { trail: ["sibling"] };
      })
      .addEdge(START, "bad")
      .addEdge(START, "sibling")
      .compile({ checkpointer: make() });
    await expect(graph.invoke({}, thread)).rejects.toThrow("the handler, too");
    broken = false;
    expect((await graph.invoke(null, thread)).trail.toSorted()).toEqual(["bad: TypeError broken", "sibling"]);
    expect(tries).toBe(1);
  });
});

test("an error handler takes over for each Send that failed, and only for those", async () => {
  const graph = new StateGraph(State)
    .addNode(
      "work",
      async ({ n }: { n: number }) => {
        await sleep(5 - n);
        if (n % 2 === 1) throw new Error(`odd ${n}`);
        return { trail: [`done ${n}`] };
      },
      { errorHandler: (_state: unknown, { error }) => ({ trail: [error.message] }) },
    )
    .addConditionalEdges(START, () => [0, 1, 2, 3].map((n) => new Send("work", { n })))
    .compile();
  expect((await graph.invoke({}, { maxConcurrency: 2 })).trail.toSorted()).toEqual([
    "done 0",
    "done 2",
    "odd 1",
    "odd 3",
  ]);
});

test("a handler's name is not to be had for a node", () => {
  const graph = new StateGraph(State).addNode("__error_handler__a", leaves("x"));
  expect(() => graph.addNode("a", leaves("a"), { errorHandler: () => ({}) })).toThrow(GraphError);
});
