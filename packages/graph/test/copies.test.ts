import { HumanMessage } from "@langchain/core/messages";
import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { describe, expect, test } from "vitest";
import { Annotation, END, MessagesAnnotation, Send, START, StateGraph } from "@skein/graph";
import { SAVERS } from "./support/savers.ts";

const thread = { configurable: { thread_id: "t" } };

const State = Annotation.Root({
  ...MessagesAnnotation.spec,
  count: Annotation<number, number>({ reducer: (a, b) => a + b, default: () => 0 }),
});
const graphOn = (checkpointer: BaseCheckpointSaver) =>
  new StateGraph(State)
    .addSequence({
      a: () => ({ messages: [new HumanMessage({ id: "a", content: "a" })], count: 1 }),
      b: () => ({ messages: [new HumanMessage({ id: "b", content: "b" })], count: 10 }),
    })
    .addEdge(START, "a")
    .compile({ checkpointer });
type Graph = ReturnType<typeof graphOn>;

async function history(graph: Graph) {
  const found = [];
  for await (const state of graph.getStateHistory(thread)) found.push(state);
  return found;
}
const ids = (values: { messages: { id?: string | undefined }[] }) => values.messages.map(({ id }) => id);

describe.each(SAVERS)("a copy of a checkpoint (A10), on %s", (_name, make) => {
  test("has the whole state of its original, also what the original's own step wrote", async () => {
    const graph = graphOn(make());
    await graph.invoke({ messages: [new HumanMessage({ id: "in", content: "in" })] }, thread);
    const before = await history(graph);
    const [done, afterA] = before;
    for (const original of [done, afterA]) {
      if (original === undefined) throw new Error("the run left no history");
      const copy = await graph.updateState(original.config, null, "__copy__");
      const state = await graph.getState(copy);
      expect(ids(state.values)).toEqual(ids(original.values));
      expect(state.values.count).toBe(original.values.count);
      expect(state.next).toEqual(original.next);
      expect(state.metadata?.source).toBe("fork");
      // a copy stands beside its original
      expect(state.parentConfig).toEqual(original.parentConfig);
    }
    // the originals are what they were
    const old = (await history(graph)).slice(2);
    expect(old.map(({ values }) => [ids(values), values.count])).toEqual(
      before.map(({ values }) => [ids(values), values.count]),
    );
  });

  test("runs on from where its original stands, and can be copied again", async () => {
    const graph = graphOn(make());
    await graph.invoke({ messages: [new HumanMessage({ id: "in", content: "in" })] }, thread);
    const afterA = (await history(graph))[1];
    const copy = await graph.updateState(afterA?.config ?? thread, null, "__copy__");
    const again = await graph.updateState(copy, null, "__copy__");
    const result = await graph.invoke(null, again);
    expect(result.messages.map(({ id }) => id)).toEqual(["in", "a", "b"]);
    expect(result.count).toBe(11);
    const next = await graph.invoke({ count: 5 }, thread);
    expect(next.count).toBe(27);
  });

  test("of the first checkpoint is a second beginning", async () => {
    const graph = graphOn(make());
    await graph.invoke({ count: 3 }, thread);
    const first = (await history(graph)).at(-1);
    const copy = await graph.updateState(first?.config ?? thread, null, "__copy__");
    expect((await graph.getState(copy)).next).toEqual([START]);
    expect((await graph.invoke(null, copy)).count).toBe(14);
  });

  test("takes values for the tasks that it would run", async () => {
    const graph = new StateGraph(State)
      .addNode("split", () => ({ count: 1 }))
      .addNode("work", ({ count }: { count: number }) => ({ count }))
      .addNode("end", () => ({ count: 100 }))
      .addEdge(START, "split")
      .addConditionalEdges("split", () => [new Send("work", { count: 2 }), new Send("work", { count: 3 })])
      .addEdge("work", "end")
      .compile({ checkpointer: make() });
    expect((await graph.invoke({}, thread)).count).toBe(106);
    const states = [];
    for await (const state of graph.getStateHistory(thread)) states.push(state);
    const before = states.find(({ next }) => next.join() === "work,work");
    const pairs = [
      [{ count: 20 }, "work"],
      [{ count: 30 }, "work"],
    ];
    const written = await graph.updateState(before?.config ?? thread, pairs, "__copy__");
    const state = await graph.getState(written);
    expect(state.values.count).toBe(51);
    expect((await graph.invoke(null, written)).count).toBe(151);
  });

  test("takes no other values", async () => {
    const graph = graphOn(make());
    await graph.invoke({}, thread);
    await expect(graph.updateState(thread, { count: 1 }, "__copy__")).rejects.toThrow(/takes no values/);
    await expect(
      graph.updateState({ configurable: { thread_id: "none" } }, null, "__copy__"),
    ).rejects.toThrow(/does not exist/);
  });
});

describe.each(SAVERS)("updates as special nodes, on %s", (_name, make) => {
  test("as END, what the thread still had to do counts as done", async () => {
    const graph = graphOn(make());
    const waiting = { ...thread, interruptBefore: ["b" as const] };
    await graph.invoke({ count: 1 }, waiting);
    await graph.updateState(thread, null, END);
    const state = await graph.getState(thread);
    expect(state.next).toEqual([]);
    expect(state.values.count).toBe(2);
    expect((await graph.invoke({ count: 1 }, thread)).count).toBe(14);
  });

  test("as input, the thread starts over with it", async () => {
    const graph = graphOn(make());
    await graph.invoke({ count: 1 }, thread);
    await graph.updateState(thread, { count: 2 }, "__input__");
    expect((await graph.getState(thread)).next).toEqual([START]);
    expect((await graph.invoke(null, thread)).count).toBe(25);
  });
});
