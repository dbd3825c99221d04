import { AIMessage, HumanMessage, type BaseMessage } from "@langchain/core/messages";
import { dualTrackMessages } from "@skein/agent";
import { back, MemorySaver } from "@skein/checkpointer";
import { SqliteSaver } from "@skein/checkpointer/sqlite";
import { Annotation, Command, interrupt, MessagesAnnotation, START, StateGraph } from "@skein/graph";
import { describe, expect, it } from "vitest";
import { openPostgres } from "../../checkpointer/test/support/postgres.ts";

type Saver = MemorySaver | SqliteSaver | ReturnType<typeof openPostgres>["saver"];
const SAVERS: readonly (readonly [string, () => Saver])[] = [
  ["memory", () => new MemorySaver()],
  ["SQLite", () => SqliteSaver.fromConnString(":memory:")],
  ["PostgreSQL", () => openPostgres().saver],
];
const thread = { configurable: { thread_id: "t" } };
const TURNS = 8;

type Kind = "a subgraph" | "a node that returns all of them";

const more = (messages: BaseMessage[]) => new AIMessage({ id: `a${messages.length}`, content: "an answer" });

const all = ({ messages }: { messages: BaseMessage[] }) => ({ messages: [...messages, more(messages)] });

/** Two tasks a step: one hands its messages back with one more, the other asks a question or fails at first. */
function graphOf(saver: Saver, isDual: boolean, kind: Kind, other: () => unknown) {
  const inner = new StateGraph(MessagesAnnotation)
    .addNode("work", ({ messages }) => ({ messages: [more(messages)] }))
    .addEdge(START, "work")
    .compile();
  const fields = (isDual ? dualTrackMessages() : MessagesAnnotation.spec) as typeof MessagesAnnotation.spec;
  return new StateGraph(Annotation.Root(fields))
    .addNode("work", kind === "a subgraph" ? inner : all)
    .addNode("other", () => {
      other();
      return {};
    })
    .addEdge(START, "work")
    .addEdge(START, "other")
    .compile({ checkpointer: saver });
}

const question = (turn: number) => ({
  messages: [
    new HumanMessage({ id: `h${turn}`, content: `question ${turn} of them: ${"word ".repeat(60)}` }),
  ],
});

const ids = (list: readonly unknown[]) => list.map((message) => (message as BaseMessage).id);

async function exported(saver: Saver): Promise<string> {
  let text = "";
  for await (const line of saver.exportThread("t")) text += line;
  return text;
}

describe.each(SAVERS)("messages that a finished task hands back (%s)", (name, open) => {
  /** What is on its way to a server when a task is recorded stands with it once more. */
  const most = name === "PostgreSQL" ? 2 : 1;
  const cases = [false, true].flatMap((isDual) =>
    (["a subgraph", "a node that returns all of them"] as const).map((kind) => [isDual, kind] as const),
  );
  it.each(cases)(
    "are stored once while another task of its step waits (both tracks: %s, %s)",
    async (...how) => {
      const saver = open();
      const graph = graphOf(saver, ...how, () => interrupt("?") as unknown);
      for (let turn = 1; turn <= TURNS; turn += 1) {
        await graph.invoke(question(turn), thread);
        if (turn % 2 === 0) await graph.updateState(thread, { messages: [] }, "other");
        else await graph.invoke(new Command({ resume: "x" }), thread);
      }
      const { values } = await graph.getState(thread);
      expect(values.messages).toHaveLength(2 * TURNS);
      const text = await exported(saver);
      for (let turn = 1; turn <= TURNS; turn += 1)
        expect(text.split(`question ${turn} of them`).length - 1).toBeLessThanOrEqual(most);
    },
  );

  it.each(cases)("are stored once where another task failed (both tracks: %s, %s)", async (...how) => {
    const saver = open();
    let fails = 0;
    const graph = graphOf(saver, ...how, () => {
      fails += 1;
      if (fails % 2 === 1) throw new Error("once");
    });
    for (let turn = 1; turn <= TURNS; turn += 1) {
      await expect(graph.invoke(question(turn), thread)).rejects.toThrow("once");
      await graph.invoke(null, thread);
    }
    const { values } = await graph.getState(thread);
    expect(values.messages).toHaveLength(2 * TURNS);
    expect((await exported(saver)).split("question 1 of them").length - 1).toBeLessThanOrEqual(most);
  });

  it("are no revisions of the history where they are taken in by an update", async () => {
    const saver = open();
    const graph = graphOf(saver, true, "a node that returns all of them", () => undefined);
    for (const turn of [1, 2]) await graph.invoke(question(turn), thread);
    await back(saver, "t");
    await graph.updateState(thread, { messages: [new HumanMessage({ id: "new", content: "new" })] }, "other");
    const { values } = await graph.getState(thread);
    const full = ids((values as unknown as { full_messages: BaseMessage[] }).full_messages);
    expect(new Set(full).size).toBe(full.length);
    expect(ids((await saver.history(thread, { limit: 100 })).elements)).toEqual(full);
  });
});
