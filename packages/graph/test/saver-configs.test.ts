import { MemorySaver } from "@langchain/langgraph-checkpoint";
import { expect, it, vi } from "vitest";
import { Annotation, interrupt, START, StateGraph } from "../src/index.ts";

const State = Annotation.Root({ topic: Annotation<string> });
const CALLS = ["getTuple", "put", "putWrites", "list"] as const;

it("a saver is given the caller's members and its own, and nothing of a run, inside another graph too", async () => {
  const saver = new MemorySaver();
  const calls = CALLS.map((call) => vi.spyOn(saver, call));
  const inner = new StateGraph(State)
    .addNode("ask", () => ({ topic: interrupt<string, string>("?") }))
    .addEdge(START, "ask")
    .compile();
  const outer = new StateGraph(State)
    .addNode("inner", inner)
    .addEdge(START, "inner")
    .compile({ checkpointer: saver });
  const config = { configurable: { thread_id: "t", tenant: "acme" } };
  await outer.invoke({}, config);
  await outer.getState(config, { subgraphs: true });
  for await (const _ of outer.getStateHistory(config));

  const given = calls.flatMap(({ mock }) => mock.calls.map(([{ configurable }]) => configurable ?? {}));
  expect(new Set(given.map(({ checkpoint_ns }) => checkpoint_ns === ""))).toEqual(new Set([true, false]));
  expect([...new Set(given.flatMap((members) => Reflect.ownKeys(members)))].sort()).toEqual([
    "checkpoint_id",
    "checkpoint_map",
    "checkpoint_ns",
    "tenant",
    "thread_id",
  ]);
});
