import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BaseMessage } from "@langchain/core/messages";
import { MemorySaver } from "@skein/checkpointer";
import { SqliteSaver } from "@skein/checkpointer/sqlite";
import { type BaseCheckpointSaver, END, Send, START, StateGraph } from "@skein/graph";
import { afterAll, expect, it } from "vitest";
import { compactMessages } from "../src/index.ts";
import { ai, human, markedSummary, State, summary, thread, type Values } from "./dual-track-graph.ts";

const texts = (messages: readonly BaseMessage[]): string[] => messages.map(({ text }) => text);
const within = (node: (state: Values) => object) =>
  new StateGraph(State)
    .addNode("inner", node as never)
    .addEdge(START, "inner")
    .addEdge("inner", END)
    .compile({ checkpointer: true });

/** Each turn a new summary stands for all but the question, before a subgraph that keeps its state is called. */
function compacting(checkpointer: BaseCheckpointSaver, node: (state: Values) => object) {
  return new StateGraph(State)
    .addNode("compact", ({ messages }) => {
      const remove = messages.slice(0, -1).map(({ id }) => id as string);
      const turn = messages.at(-1)?.text;
      return remove.length === 0
        ? {}
        : { messages: compactMessages({ remove, summary: summary(`before ${turn}`) }) };
    })
    .addNode("sub", within(node))
    .addEdge(START, "compact")
    .addEdge("compact", "sub")
    .addEdge("sub", END)
    .compile({ checkpointer });
}
const turns = ["a", "b", "c", "d"];
const folder = mkdtempSync(join(tmpdir(), "kept-by-subgraphs-"));
afterAll(() => rmSync(folder, { recursive: true }));
const answers = ({ messages }: Values) => ({ messages: [ai(`re ${messages.at(-1)?.text}`)] });

it.each([
  ["one process", [new MemorySaver()]],
  ["a process for each turn", turns.map(() => SqliteSaver.fromConnString(join(folder, "threads.db")))],
])(
  "a subgraph that keeps its state hands back nothing that its caller has compacted: %s",
  async (_, savers) => {
    for (const [i, turn] of turns.entries()) {
      const saver = savers[i % savers.length] as BaseCheckpointSaver;
      await compacting(saver, answers).invoke({ messages: [human(turn)] }, thread);
    }
    const { values } = await compacting(savers[0] as BaseCheckpointSaver, answers).getState(thread);
    const { messages, full_messages } = values as unknown as Values;
    expect(texts(full_messages)).toEqual(["a", "re a", "b", "re b", "c", "re c", "d", "re d"]);
    expect(messages.map(({ id }) => id)).toEqual(["before d", "d", "re d"]);
  },
);

it("what it says of a message that was compacted is an edit, and what only looks like a summary a message", async () => {
  const graph = compacting(new MemorySaver(), ({ messages }) => ({
    messages: messages.length > 1 ? [human("a", "edited"), markedSummary("by the node")] : [],
  }));
  await graph.invoke({ messages: [human("a")] }, thread);
  await graph.invoke({ messages: [human("b")] }, thread);
  const { messages, full_messages } = (await graph.getState(thread)).values as unknown as Values;
  expect(full_messages.map(({ id, text }) => [id, text])).toEqual([
    ["a", "edited"],
    ["b", "b"],
    ["by the node", "summary"],
  ]);
  expect(messages.map(({ id }) => id)).toEqual(["before b", "b", "a", "by the node"]);
});

it("a message that only looks like a summary is in the history of the subgraph that is sent it", async () => {
  const saver = new MemorySaver();
  const graph = new StateGraph(State)
    .addNode("sub", within(answers))
    .addConditionalEdges(START, () => [new Send("sub", { messages: [markedSummary("sent")] })], ["sub"])
    .compile({ checkpointer: saver });
  await graph.invoke({ messages: [human("a")] }, thread);
  const { values } = await graph.getState({ configurable: { ...thread.configurable, checkpoint_ns: "sub" } });
  expect((values as unknown as Values).full_messages.map(({ id }) => id)).toEqual(["sent", "re summary"]);
});

it("what a call that failed had written comes back with the next one", async () => {
  let fails = true;
  const sub = new StateGraph(State)
    .addNode("first", answers)
    .addNode("then", () => {
      if (fails) throw new Error("lost");
      return {};
    })
    .addEdge(START, "first")
    .addEdge("first", "then")
    .compile({ checkpointer: true });
  const graph = new StateGraph(State)
    .addNode("sub", sub)
    .addEdge(START, "sub")
    .compile({ checkpointer: new MemorySaver() });
  await expect(graph.invoke({ messages: [human("a")] }, thread)).rejects.toThrow("lost");
  fails = false;
  await graph.invoke({ messages: [human("b")] }, thread);
  const { full_messages } = (await graph.getState(thread)).values as unknown as Values;
  expect(texts(full_messages).toSorted()).toEqual(["a", "b", "re a", "re b"]);
});

it("a subgraph gives its caller's messages no time that is not stored: that of a tombstone", async () => {
  const savers = ["one", "another"].map(() => SqliteSaver.fromConnString(join(folder, "times.db")));
  const inner = new StateGraph(State).addNode("inner", answers).addEdge(START, "inner").compile();
  const graphOf = (checkpointer: BaseCheckpointSaver | undefined) =>
    new StateGraph(State)
      .addNode("sub", inner)
      .addEdge(START, "sub")
      .compile({ checkpointer: checkpointer! });
  const shown = async (saver: BaseCheckpointSaver | undefined) =>
    ((await graphOf(saver).getState(thread)).values as unknown as Values).messages[0]?.additional_kwargs;
  const [saver, other] = savers;
  await graphOf(saver).invoke({ messages: [human("a"), human("b")] }, thread);
  await saver?.eraseMessage(thread, "a");
  await graphOf(saver).invoke({ messages: [human("c")] }, thread);
  expect(await shown(saver)).toEqual({});
  expect(await shown(other)).toEqual({});
});
