import { MemorySaver } from "@langchain/langgraph-checkpoint";
import { expect, it } from "vitest";
import { Annotation, START, StateGraph } from "../src/index.ts";

const State = Annotation.Root({
  big: Annotation<bigint>,
  n: Annotation<number>({ reducer: (a, b) => a + b, default: () => 0 }),
});
const thread = { configurable: { thread_id: "t" } };
const corrupt = expect.objectContaining({ code: "STORAGE_CORRUPT" }) as Error;

function counting(saver: MemorySaver) {
  return new StateGraph(State)
    .addNode("count", () => ({ big: 10n, n: 1 }))
    .addEdge(START, "count")
    .compile({ checkpointer: saver });
}

it("a state that LangGraph's saver could not print is not read as an empty one", async () => {
  const graph = counting(new MemorySaver());
  // its serializer stores a text for a bigint, and says nothing; a run begins anew, as there
  for (let i = 0; i < 2; i += 1) expect(await graph.invoke({ n: 0 }, thread)).toEqual({ big: 10n, n: 1 });
  await expect(graph.getState(thread)).rejects.toThrow(corrupt);
  await expect(graph.getState(thread)).rejects.toThrow(/thread "t" is none.*unable to serialize.*bigint/);
  await expect(graph.getStateHistory(thread).next()).rejects.toThrow(corrupt);
  await expect(graph.updateState(thread, { n: 5 })).rejects.toThrow(corrupt);
});

it.each([{}, "text"])("nor is what is no checkpoint at all: %s", async (found) => {
  const saver = new MemorySaver();
  const graph = counting(saver);
  await graph.invoke({ n: 0 }, thread);
  const { getTuple } = saver;
  saver.getTuple = async (config) => {
    const tuple = await getTuple.call(saver, config);
    return tuple && { ...tuple, checkpoint: found as never };
  };
  await expect(graph.getState(thread)).rejects.toThrow(corrupt);
  await expect(graph.updateState(thread, { n: 5 })).rejects.toThrow(corrupt);
});

it("a checkpoint of an older format is one", async () => {
  const saver = new MemorySaver();
  const graph = counting(saver);
  await graph.invoke({ n: 0 }, thread);
  const { getTuple } = saver;
  saver.getTuple = async (config) => {
    const tuple = await getTuple.call(saver, config);
    const checkpoint = { v: 1, id: "1ef", ts: "", channel_values: {} };
    return tuple && { ...tuple, checkpoint: checkpoint as never };
  };
  expect((await graph.getState(thread)).values).toEqual({ n: 0 });
});
