import { AIMessage, type BaseMessage, HumanMessage } from "@langchain/core/messages";
import { SqliteSaver } from "@skein/checkpointer/sqlite";
import { expect, it } from "vitest";
import {
  Annotation,
  MemorySaver,
  MessagesAnnotation,
  messagesStateReducer,
  START,
  StateGraph,
} from "../src/index.ts";

const LONG = 1_000;
const TURNS = 8;

it.each([
  ["memory", () => new MemorySaver()],
  ["SQLite", () => SqliteSaver.fromConnString(":memory:")],
])(
  "a subgraph that calls its caller's messages otherwise stores none of them again, in %s",
  async (_, open) => {
    const History = Annotation.Root({
      history: Annotation<BaseMessage[]>({ reducer: messagesStateReducer, default: () => [] }),
    });
    const inner = new StateGraph(History)
      .addNode("answer", ({ history }) => ({
        history: [new AIMessage({ id: `a${history.length}`, content: "a".repeat(LONG) })],
      }))
      .addEdge(START, "answer")
      .compile({ checkpointer: true });
    const saver = open();
    const graph = new StateGraph(MessagesAnnotation)
      .addNode("ask", async ({ messages }) => {
        const { history } = await inner.invoke({ history: messages });
        return { messages: history.slice(-1) };
      })
      .addEdge(START, "ask")
      .compile({ checkpointer: saver });
    const config = { configurable: { thread_id: "t" } };
    for (let turn = 0; turn < TURNS; turn += 1) {
      await graph.invoke(
        { messages: [new HumanMessage({ id: `q${turn}`, content: "q".repeat(LONG) })] },
        config,
      );
    }
    const { itemBytes = 0, writeBytes = 0 } = (await saver.storageReport("t")) ?? {};
    expect(itemBytes).toBeGreaterThan(2 * TURNS * LONG);
    // ids, roles and the rest of a message are beside its text
    expect(itemBytes + writeBytes).toBeLessThan(2 * TURNS * LONG * 1.5);
  },
);
