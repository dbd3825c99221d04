import { AIMessage, HumanMessage, type BaseMessage } from "@langchain/core/messages";
import type { PruneOptions } from "@skein/checkpointer";
import { Annotation, Command, END, interrupt, MessagesAnnotation, START, StateGraph } from "@skein/graph";
import { describe, expect, it } from "vitest";
import { ALL_SAVERS, type Saver } from "../../checkpointer/test/savers.ts";

const State = Annotation.Root({
  ...MessagesAnnotation.spec,
  note: Annotation<string[]>({ reducer: (left, right) => left.concat(right), default: () => [] }),
});

/** Asks within a subgraph, while a sibling has finished. */
function chat(checkpointer: Saver) {
  const inner = new StateGraph(MessagesAnnotation)
    .addNode("think", ({ messages }) => ({ messages: [new AIMessage(`thought ${messages.length}`)] }))
    .addNode("answer", ({ messages }) => ({
      messages: [new AIMessage(`${interrupt("may I?") as string}: ${messages.length}`)],
    }))
    .addEdge(START, "think")
    .addEdge("think", "answer")
    .addEdge("answer", END)
    .compile();
  return new StateGraph(State)
    .addNode("inner", inner)
    .addNode("other", () => ({ note: ["other"] }))
    .addEdge(START, "inner")
    .addEdge(START, "other")
    .addEdge("inner", END)
    .addEdge("other", END)
    .compile({ checkpointer });
}

const config = { configurable: { thread_id: "t" } };
const OPTIONS: readonly PruneOptions[] = [
  { keepLast: 0 },
  { keepTurnBoundaries: true },
  { maxAge: 0, now: Date.now() + 1e9 },
];

describe.each(ALL_SAVERS)("a question within a subgraph that nobody has answered, on $name", ({ open }) => {
  it.each(OPTIONS)(
    "is answered after prune(%o), and finished siblings are not run again",
    async (options) => {
      const { saver, reopen, close } = open();
      const graph = chat(saver);
      await graph.invoke({ messages: [new HumanMessage("one")] }, config);
      await graph.invoke(new Command({ resume: "yes" }), config);
      await graph.invoke({ messages: [new HumanMessage("two")] }, config);
      expect((await saver.prune("t", options)).checkpointsRemoved).toBeGreaterThan(2);
      const { messages, note } = await chat(reopen()).invoke(new Command({ resume: "sure" }), config);
      expect((messages as BaseMessage[]).map(({ text }) => text)).toEqual([
        "one",
        "thought 1",
        "yes: 2",
        "two",
        "thought 4",
        "sure: 5",
      ]);
      expect(note).toEqual(["other", "other"]);
      await close();
    },
  );
});
