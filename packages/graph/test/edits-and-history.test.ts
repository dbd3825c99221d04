import { HumanMessage, type BaseMessage } from "@langchain/core/messages";
import { MemorySaver } from "@skein/checkpointer";
import { SqliteSaver } from "@skein/checkpointer/sqlite";
import { describe, expect, it } from "vitest";
import { Annotation, MessagesAnnotation, START, StateGraph } from "@skein/graph";
import { openPostgres } from "../../checkpointer/test/support/postgres.ts";

const thread = { configurable: { thread_id: "t" } };
const SAVERS = [
  ["memory", () => new MemorySaver()],
  ["SQLite", () => SqliteSaver.fromConnString(":memory:")],
  // it sends steps that pile up while an earlier one is on its way
  ["PostgreSQL", () => openPostgres().saver],
] as const;

interface Counted {
  count: number;
  /** Longer than what stands in a manifest. */
  text: string;
}

const State = Annotation.Root({
  ...MessagesAnnotation.spec,
  held: Annotation<Counted>(),
  steps: Annotation<number>({ reducer: (a, b) => a + b, default: () => 0 }),
});

describe.each(SAVERS)("what a program edits in place later, on %s", (_name, make) => {
  it.each(["short", "long"])("does not reach the checkpoints before: a %s value", async (length) => {
    const text = length === "long" ? "x".repeat(600) : "";
    const graph = new StateGraph(State)
      .addNode("a", ({ held, messages }) => {
        held.count += 1;
        (messages[0] as BaseMessage).content = `edited ${held.count}`;
        return { held, messages: [...messages], steps: 1 };
      })
      .addNode("b", ({ held, messages }) => {
        held.count += 1;
        (messages[0] as BaseMessage).content = `edited ${held.count}`;
        return { held, messages: [...messages], steps: 1 };
      })
      .addEdge(START, "a")
      .addEdge("a", "b")
      .compile({ checkpointer: make() });
    for (const turn of [0, 1]) {
      const input = turn === 0 ? { messages: [new HumanMessage({ id: "m", content: "m" })] } : {};
      await graph.invoke({ ...input, held: { count: 10 * turn, text } }, thread);
    }
    const history: unknown[] = [];
    for await (const { values, metadata } of graph.getStateHistory(thread)) {
      const content = values.messages[0]?.content;
      if (metadata?.source === "loop") history.unshift([values.held.count, content, values.held.text.length]);
    }
    const long = text.length;
    expect(history).toEqual([
      [0, "m", long],
      [1, "edited 1", long],
      [2, "edited 2", long],
      [10, "edited 2", long],
      [11, "edited 11", long],
      [12, "edited 12", long],
    ]);
  });
});
