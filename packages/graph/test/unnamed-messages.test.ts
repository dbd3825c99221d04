import { AIMessage, HumanMessage, RemoveMessage, type BaseMessage } from "@langchain/core/messages";
import { MemorySaver } from "@skein/checkpointer";
import { expect, test } from "vitest";
import { Annotation, Command, interrupt, MessagesAnnotation, START, StateGraph } from "../src/index.ts";

const t = { configurable: { thread_id: "t" } };
const appending = () =>
  Annotation<BaseMessage[]>({ reducer: (left, right) => left.concat(right), default: () => [] });

/** What another process finds. */
async function inAnother(saver: MemorySaver): Promise<MemorySaver> {
  const lines: string[] = [];
  for await (const line of saver.exportThread("t")) lines.push(line);
  const other = new MemorySaver();
  await other.importThread(lines);
  return other;
}

test.each([false, true])(
  "a message without an id that becomes one of the conversation is stored with the id that it got (another process: %s)",
  async (isAnother) => {
    const State = Annotation.Root({
      ...MessagesAnnotation.spec,
      drafts: appending(),
      go: Annotation<string>,
    });
    const graph = (saver: MemorySaver) =>
      new StateGraph(State)
        .addNode("write", ({ drafts, go }) => {
          if (go === "draft") return { drafts: [1, 2, 3, 4, 5, 6].map((n) => new AIMessage(`draft ${n}`)) };
          return { messages: [drafts[0] as BaseMessage] };
        })
        .addEdge(START, "write")
        .compile({ checkpointer: saver });
    let saver = new MemorySaver();
    await graph(saver).invoke({ go: "draft" }, t);
    if (isAnother) saver = await inAnother(saver);
    const { messages } = await graph(saver).invoke({ go: "send" }, t);
    expect(messages[0]?.id).toBeTypeOf("string");
    const { values } = await graph(await inAnother(saver)).getState(t);
    expect((values as { messages: BaseMessage[] }).messages.map(({ id }) => id)).toEqual([messages[0]?.id]);
  },
);

test("ids that a subgraph gives messages of its caller are the same after an answer", async () => {
  const inner = new StateGraph(Annotation.Root({ ...MessagesAnnotation.spec, chosen: Annotation<string> }))
    .addNode("choose", ({ messages }) => ({ chosen: messages[0]?.id as string }))
    .addNode("ask", ({ chosen }) => {
      interrupt("remove it?");
      return { messages: [new RemoveMessage({ id: chosen })] };
    })
    .addEdge(START, "choose")
    .addEdge("choose", "ask")
    .compile();
  const graph = (saver: MemorySaver) =>
    new StateGraph(Annotation.Root({ messages: appending() }))
      .addNode("inner", async ({ messages }, config) => {
        const out = await inner.invoke({ messages }, config);
        return { messages: [new AIMessage(`${out.messages.length} are left`)] };
      })
      .addEdge(START, "inner")
      .compile({ checkpointer: saver });
  const saver = new MemorySaver();
  const seven = [1, 2, 3, 4, 5, 6, 7].map((n) => new HumanMessage(`message ${n}`));
  await graph(saver).updateState(t, { messages: seven }, "inner");
  const asking = await inAnother(saver);
  await graph(asking).invoke({ messages: [new HumanMessage("clean up")] }, t);
  const { messages } = await graph(await inAnother(asking)).invoke(new Command({ resume: true }), t);
  expect(messages.at(-1)?.content).toBe("7 are left");
});
