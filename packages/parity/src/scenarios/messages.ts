import {
  AIMessage,
  AIMessageChunk,
  HumanMessage,
  RemoveMessage,
  SystemMessage,
  ToolMessage,
} from "@langchain/core/messages";
import { FakeListChatModel } from "@langchain/core/utils/testing";
import { scenario } from "../scenario.ts";
import { thread } from "./kit.ts";

const human = (id: string, content: string) => new HumanMessage({ id, content });
const ai = (id: string, content: string) => new AIMessage({ id, content });

export const messages = [
  scenario("A3 the reducer by hand: append, replace in place, later of two wins, remove", async (lg, t) => {
    const left = [human("1", "a"), ai("2", "b"), human("3", "c")];
    const merge = (right: unknown) => lg.messagesStateReducer(left, right as never);
    t.note("append", merge([ai("4", "d")]));
    t.note("replace", merge([ai("2", "B")]));
    t.note("twice the same id", merge([ai("2", "B"), ai("2", "BB"), ai("9", "x"), ai("9", "y")]));
    t.note("remove", merge([new RemoveMessage({ id: "2" })]));
    t.note("remove then add", merge([new RemoveMessage({ id: "2" }), ai("2", "again")]));
    t.note("add then remove", merge([ai("5", "x"), new RemoveMessage({ id: "5" })]));
    t.note(
      "remove all",
      merge([ai("7", "lost"), new RemoveMessage({ id: lg.REMOVE_ALL_MESSAGES }), ai("8", "kept")]),
    );
    t.note("one, not in a list", merge(ai("4", "alone")));
    t.note("left is untouched", left);
  }),

  scenario("A3 removing a message that is not there is refused", async (lg, t) => {
    await t.fails(() => lg.messagesStateReducer([human("1", "a")], [new RemoveMessage({ id: "none" })]));
  }),

  scenario("A3 plain forms of a message are accepted", async (lg, t) => {
    const merged = lg.messagesStateReducer([], [
      "text",
      ["system", "as a pair"],
      { role: "user", content: "as an object" },
      {
        role: "assistant",
        content: "",
        tool_calls: [{ id: "c", name: "f", args: { x: 1 }, type: "tool_call" }],
      },
      { type: "human", content: "by type" },
    ] as never);
    t.note(
      "types",
      merged.map((message) => [message.type, message.content]),
    );
    t.note(
      "ids",
      merged.map((message) => typeof message.id),
    );
  }),

  scenario("A3 messages without an id get one, and it stays", async (lg, t) => {
    const graph = new lg.StateGraph(lg.MessagesAnnotation)
      .addNode("a", () => ({ messages: [new AIMessage("no id")] }))
      .addNode("b", (state) => {
        const last = state.messages.at(-1);
        return { messages: [new AIMessage({ id: last?.id ?? "missing", content: "replaced" })] };
      })
      .addEdge(lg.START, "a")
      .addEdge("a", "b")
      .compile({ checkpointer: t.saver() });
    await t.invoke(graph, { messages: [new HumanMessage("hi")] }, thread("1"));
    await t.state(graph, thread("1"));
  }),

  scenario("a conversation with tools over two turns, as saved", async (lg, t) => {
    const saver = t.saver();
    let turn = 0;
    const graph = new lg.StateGraph(lg.MessagesAnnotation)
      .addNode("model", (state) => {
        turn += 1;
        const asked = state.messages.at(-1)?.type === "human";
        return {
          messages: [
            asked
              ? new AIMessage({
                  id: `m${turn}`,
                  content: "",
                  tool_calls: [{ id: `c${turn}`, name: "look", args: { q: turn } }],
                })
              : ai(`m${turn}`, "done"),
          ],
        };
      })
      .addNode("tools", (state) => {
        const calls = (state.messages.at(-1) as AIMessage).tool_calls ?? [];
        return {
          messages: calls.map(
            (call) =>
              new ToolMessage({
                id: `t-${call.id}`,
                tool_call_id: call.id ?? "",
                name: call.name,
                content: "found",
              }),
          ),
        };
      })
      .addEdge(lg.START, "model")
      .addConditionalEdges(
        "model",
        (state) => ((state.messages.at(-1) as AIMessage).tool_calls?.length ? "tools" : lg.END),
        ["tools", lg.END],
      )
      .addEdge("tools", "model")
      .compile({ checkpointer: saver });
    await t.invoke(graph, { messages: [human("h1", "one")] }, thread("1"));
    await t.invoke(graph, { messages: [human("h2", "two")] }, thread("1"));
    await t.history(graph, thread("1"));
    await t.saved(saver, "1");
  }),

  scenario("a node clears and rewrites the messages", async (lg, t) => {
    const saver = t.saver();
    const graph = new lg.StateGraph(lg.MessagesAnnotation)
      .addNode("compact", () => ({
        messages: [
          new RemoveMessage({ id: lg.REMOVE_ALL_MESSAGES }),
          new SystemMessage({ id: "s", content: "summary" }),
          human("3", "kept"),
        ],
      }))
      .addEdge(lg.START, "compact")
      .compile({ checkpointer: saver });
    await t.invoke(graph, { messages: [human("1", "a"), ai("2", "b"), human("3", "c")] }, thread("1"));
    await t.stream(
      graph,
      { messages: [human("4", "d")] },
      { ...thread("1"), streamMode: ["updates", "values"] },
    );
    await t.state(graph, thread("1"));
  }),

  scenario("messages from parallel nodes stay contiguous and in task order", async (lg, t) => {
    const graph = new lg.StateGraph(lg.MessagesAnnotation)
      .addNode("a", async () => {
        await new Promise((resolve) => setTimeout(resolve, 8));
        return { messages: [ai("a1", "a1"), ai("a2", "a2")] };
      })
      .addNode("b", () => ({ messages: [ai("b1", "b1"), ai("b2", "b2")] }))
      .addEdge(lg.START, "a")
      .addEdge(lg.START, "b")
      .compile();
    await t.invoke(graph, { messages: [human("h", "hi")] });
  }),

  scenario("the messages stream: a model's tokens and a node's finished messages", async (lg, t) => {
    const model = new FakeListChatModel({ responses: ["ab"] });
    const graph = new lg.StateGraph(lg.MessagesAnnotation)
      .addNode("model", async (state, config) => {
        const answer = await model.invoke(state.messages, config);
        return { messages: [new AIMessage({ id: "final", content: answer.content })] };
      })
      .addNode("plain", () => ({ messages: [ai("p", "from a node")] }))
      .addEdge(lg.START, "model")
      .addEdge("model", "plain")
      .compile();
    const chunks: unknown[] = [];
    for await (const chunk of await graph.stream(
      { messages: [human("h", "hi")] },
      { streamMode: "messages" },
    )) {
      chunks.push(chunk);
    }
    t.note("tokens", withoutTracing(chunks as [AIMessageChunk, Record<string, unknown>][]));
  }),

  scenario("the messages stream leaves out what is tagged nostream, and says which node", async (lg, t) => {
    const quiet = new FakeListChatModel({ responses: ["silent"], tags: ["langsmith:nostream"] } as never);
    const loud = new FakeListChatModel({ responses: ["ok"] });
    const graph = new lg.StateGraph(lg.MessagesAnnotation)
      .addNode("quiet", async (state, config) => {
        await quiet.withConfig({ tags: ["langsmith:nostream"] }).invoke(state.messages, config);
        return {};
      })
      .addNode("loud", async (state, config) => ({ messages: [await loud.invoke(state.messages, config)] }))
      .addEdge(lg.START, "quiet")
      .addEdge("quiet", "loud")
      .compile();
    const chunks: unknown[] = [];
    for await (const chunk of await graph.stream(
      { messages: [human("h", "hi")] },
      { streamMode: "messages" },
    )) {
      chunks.push(chunk);
    }
    t.note("tokens", withoutTracing(chunks as [AIMessageChunk, Record<string, unknown>][]));
  }),

  scenario("a message that was returned without a list is a task's result without one", async (lg, t) => {
    const saver = t.saver();
    const graph = new lg.StateGraph(lg.MessagesAnnotation)
      .addNode("one", () => ({ messages: ai("1", "alone") }))
      .addNode("list", () => ({ messages: [ai("2", "listed")] }))
      .addNode("ask", () => ({ messages: ai("3", lg.interrupt("?") as string) }))
      .addNode("beside", () => ({ messages: ai("4", "beside") }))
      .addEdge(lg.START, "one")
      .addEdge("one", "list")
      .addEdge("list", "ask")
      .addEdge("list", "beside")
      .compile({ checkpointer: saver });
    await t.invoke(graph, { messages: human("h", "hi") as never }, thread("1"));
    await t.state(graph, thread("1"));
    await t.invoke(graph, new lg.Command({ resume: "yes" }), thread("1"));
    await t.history(graph, thread("1"));
    await t.saved(saver, "1");
  }),
];

/** Drops what the callback manager adds for tracers; keeps what the engine says about a token. */
function withoutTracing(chunks: [AIMessageChunk, Record<string, unknown>][]): unknown[] {
  return chunks.map(([message, metadata]) => [
    { type: message.type, content: message.content },
    Object.fromEntries(
      Object.entries(metadata).filter(
        ([key]) => key.startsWith("langgraph_") || key === "tags" || key.includes("checkpoint_ns"),
      ),
    ),
  ]);
}
