import { MemorySaver } from "@langchain/langgraph-checkpoint";
import { expect, test } from "vitest";
import { z } from "zod";
import { Annotation, END, MessagesValue, START, StateGraph, StateSchema } from "@skein/graph";

const State = Annotation.Root({
  topic: Annotation<string>,
  notes: Annotation<string[], string[]>({ reducer: (a, b) => a.concat(b), default: () => [] }),
});

test("nodes return parts of the state, which reducers merge", async () => {
  const graph = new StateGraph(State)
    .addNode("a", () => ({ notes: ["a"] }))
    .addNode("b", async (state) => ({ notes: [`b after ${state.notes.join()}`] }))
    .addEdge(START, "a")
    .addEdge("a", "b")
    .addEdge("b", END)
    .compile();
  expect(await graph.invoke({ topic: "x" })).toEqual({ topic: "x", notes: ["a", "b after a"] });
});

test("a thread goes on where it stopped", async () => {
  const graph = new StateGraph(new StateSchema({ messages: MessagesValue, n: z.number().default(0) }))
    .addNode("count", (state) => ({ n: state.n + 1, messages: { role: "assistant", content: `${state.n}` } }))
    .addEdge(START, "count")
    .compile({ checkpointer: new MemorySaver() });
  const config = { configurable: { thread_id: "1" } };
  await graph.invoke({ messages: "hi" }, config);
  const state = await graph.invoke({ messages: "again" }, config);
  expect(state.n).toBe(2);
  expect(state.messages.map((m) => m.content)).toEqual(["hi", "0", "again", "1"]);
});

test("updates and values stream", async () => {
  const graph = new StateGraph(State)
    .addNode("a", () => ({ notes: ["a"] }))
    .addNode("b", () => ({ notes: ["b"] }))
    .addEdge(START, "a")
    .addConditionalEdges("a", (state) => (state.notes.length === 1 ? "b" : END))
    .compile();
  const chunks: unknown[] = [];
  for await (const chunk of await graph.stream({ topic: "x" }, { streamMode: ["updates", "values"] }))
    chunks.push(chunk);
  expect(chunks).toEqual([
    ["values", { topic: "x", notes: [] }],
    ["updates", { a: { notes: ["a"] } }],
    ["values", { topic: "x", notes: ["a"] }],
    ["updates", { b: { notes: ["b"] } }],
    ["values", { topic: "x", notes: ["a", "b"] }],
  ]);
});
