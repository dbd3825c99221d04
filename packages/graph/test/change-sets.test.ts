import { AIMessage, HumanMessage, RemoveMessage } from "@langchain/core/messages";
import {
  Annotation,
  Command,
  interrupt,
  MessagesAnnotation,
  Overwrite,
  ReducedValue,
  START,
  StateGraph,
  StateSchema,
} from "@skein/graph";
import { expect, test } from "vitest";
import { z } from "zod";
import { FakeSaver } from "./support/fake-change-sets.ts";
import { Notes, thread } from "./support/notes.ts";

test("a step of one task is one commit, and nothing else", async () => {
  const saver = new FakeSaver();
  const graph = new StateGraph(Notes)
    .addNode("a", () => ({ notes: ["a"] }))
    .addEdge(START, "a")
    .compile({ checkpointer: saver });
  await graph.invoke({ topic: "x" }, thread);
  expect(saver.calls).toEqual(["open", "commit", "commit", "commit"]);
  const [input, start, step] = saver.changes;
  // the last one gives the thread back
  expect(saver.changes.map(({ release }) => release)).toEqual([false, false, true]);
  expect(input?.checkpoint.metadata).toEqual({ source: "input", step: -1, parents: {} });
  expect([...(start?.channels.keys() ?? [])].toSorted()).toEqual(["__start__", "branch:to:a", "topic"]);
  // I3: what did not change is not written again
  expect([...(step?.channels.keys() ?? [])].toSorted()).toEqual(["branch:to:a", "notes"]);
  expect(step?.writes.map(({ writes }) => writes)).toEqual([[["notes", ["a"]]]]);
});

test("a list is handed over as what was added to it (I7)", async () => {
  const saver = new FakeSaver();
  const graph = new StateGraph(MessagesAnnotation)
    .addNode("reply", (state) => ({ messages: new AIMessage(`${state.messages.length}`) }))
    .addEdge(START, "reply")
    .compile({ checkpointer: saver });
  for (let turn = 0; turn < 5; turn += 1) await graph.invoke({ messages: `turn ${turn}` }, thread);
  const last = saver.changes.at(-1)?.channels.get("messages");
  expect(last).toMatchObject({ op: "list", segments: [{ keep: [0, 9] }, { add: [{ content: "9" }] }] });
});

test("the object in a task's write is the object in the list (C3)", async () => {
  const saver = new FakeSaver();
  const graph = new StateGraph(MessagesAnnotation)
    .addNode("reply", () => ({ messages: [{ role: "assistant", content: "hi" }] }))
    .addEdge(START, "reply")
    .compile({ checkpointer: saver });
  await graph.invoke({ messages: [] }, thread);
  const change = saver.changes.at(-1);
  const list = change?.channels.get("messages");
  const added = list?.op === "list" ? list.segments.flatMap((s) => ("add" in s ? s.add : [])) : [];
  expect(added).toHaveLength(1);
  const written = change?.writes[0]?.writes[0]?.[1] as unknown[] | undefined;
  expect(written?.[0]).toBe(added[0]);
});

test("replacing and removing keep the rest by reference", async () => {
  const saver = new FakeSaver();
  const graph = new StateGraph(MessagesAnnotation)
    .addNode("edit", () => ({
      messages: [new HumanMessage({ id: "2", content: "two!" }), new RemoveMessage({ id: "4" })],
    }))
    .addEdge(START, "edit")
    .compile({ checkpointer: saver });
  const messages = ["1", "2", "3", "4", "5"].map((id) => new HumanMessage({ id, content: id }));
  const state = await graph.invoke({ messages }, thread);
  expect(state.messages.map((m) => m.content)).toEqual(["1", "two!", "3", "5"]);
  expect(saver.changes.at(-1)?.channels.get("messages")).toMatchObject({
    op: "list",
    segments: [{ keep: [0, 1] }, { add: [{ content: "two!" }] }, { keep: [2, 3] }, { keep: [4, 5] }],
  });
  expect((await graph.getState(thread)).values["messages"]).toHaveLength(4);
});

test("the stored list is the list, whatever reducers and overwrites do to it", async () => {
  const saver = new FakeSaver();
  const State = new StateSchema({
    list: new ReducedValue(z.array(z.object({ n: z.number() })).default([]), {
      inputSchema: z.custom<{ n: number }[]>(),
      reducer: (a, b) => [...b, ...a.filter((x) => x.n % 2 === 0)],
    }),
  });
  const graph = new StateGraph(State)
    .addNode("a", (s) => ({ list: [{ n: s.list.length }, { n: 2 }] }))
    .addNode("b", () => ({ list: new Overwrite([{ n: 7 }]) }))
    .addNode("c", () => ({ list: [{ n: 9 }] }))
    .addSequence({ d: () => ({ list: [] }), e: () => ({ list: [{ n: 4 }] }) })
    .addEdge(START, "a")
    .addEdge("a", "b")
    .addEdge("b", "c")
    .addEdge("c", "d")
    .compile({ checkpointer: saver });
  const result = await graph.invoke({ list: [{ n: 2 }, { n: 3 }] }, thread);
  expect((await graph.getState(thread)).values["list"]).toEqual(result.list);
});

test("durability exit stores once, at the end", async () => {
  const saver = new FakeSaver();
  const graph = new StateGraph(Notes)
    .addSequence({ a: () => ({ notes: ["a"] }), b: () => ({ notes: ["b"] }) })
    .addEdge(START, "a")
    .compile({ checkpointer: saver });
  await graph.invoke({ topic: "x" }, { ...thread, durability: "exit" });
  await graph.invoke({ topic: "y" }, { ...thread, durability: "exit" });
  expect(saver.calls.filter((call) => call === "commit")).toHaveLength(2);
  const state = await graph.getState(thread);
  expect(state.values).toEqual({ topic: "y", notes: ["a", "b", "a", "b"] });
  expect(state.next).toEqual([]);
});

test("durability exit keeps what waits", async () => {
  const saver = new FakeSaver();
  const graph = new StateGraph(Notes)
    .addNode("ask", () => ({ notes: [interrupt<string, string>("name?")] }))
    .addNode("side", () => ({ notes: ["side"] }))
    .addEdge(START, "ask")
    .addEdge(START, "side")
    .compile({ checkpointer: saver });
  const config = { ...thread, durability: "exit" as const };
  const waiting = await graph.invoke({ topic: "x" }, config);
  expect(waiting).toMatchObject({ notes: ["side"], __interrupt__: [{ value: "name?" }] });
  expect((await graph.invoke(new Command({ resume: "Ada" }), config)).notes).toEqual(["Ada", "side"]);
});

test("a resumed thread loads the channels that its steps touch (I7)", async () => {
  const saver = new FakeSaver();
  const Small = Annotation.Root({ topic: Annotation<string> });
  const State = Annotation.Root({
    topic: Annotation<string>,
    large: Annotation<string[]>({ reducer: (a, b) => a.concat(b), default: () => [] }),
  });
  const graph = new StateGraph({ state: State, output: Small })
    .addNode("a", (state: { topic: string }) => ({ topic: `${state.topic}!` }), {
      input: Small,
      ends: ["b"],
    })
    .addNode("b", () => ({ large: ["b"] }), { input: Small })
    .addEdge(START, "a")
    .compile({ checkpointer: saver });
  await graph.updateState(thread, { topic: "t", large: ["first"] }, "a");
  saver.loaded.length = 0;
  expect(await graph.invoke({ topic: "x" }, thread)).toEqual({ topic: "x!" });
  expect(saver.loaded).not.toContain("large");
  // a step that writes it does load it
  await graph.updateState(thread, { large: ["second"] }, "b");
  expect(saver.loaded).toContain("large");
  expect((await graph.getState(thread)).values).toEqual({ topic: "x!", large: ["first", "second"] });
});
