import { AIMessage, type BaseMessage, HumanMessage } from "@langchain/core/messages";
import { FakeListChatModel } from "@langchain/core/utils/testing";
import { expect, test } from "vitest";
import { MessagesAnnotation, START, StateGraph } from "@skein/graph";

const question = { messages: [new HumanMessage({ id: "q", content: "?" })] };
const graphOf = (reply: (messages: BaseMessage[]) => Promise<BaseMessage> | BaseMessage) =>
  new StateGraph(MessagesAnnotation)
    .addNode("agent", async (state) => ({ messages: [await reply(state.messages)] }))
    .addEdge(START, "agent")
    .compile();
async function chunks(graph: ReturnType<typeof graphOf>): Promise<[BaseMessage, Record<string, unknown>][]> {
  const found: [BaseMessage, Record<string, unknown>][] = [];
  for await (const chunk of await graph.stream(question, { streamMode: "messages" })) found.push(chunk);
  return found;
}

test("tokens of a model stream, once, under one id, with the node's name", async () => {
  const model = new FakeListChatModel({ responses: ["hello"] });
  const found = await chunks(graphOf((messages) => model.invoke(messages)));
  expect(found.map(([chunk]) => chunk.content)).toEqual(["h", "e", "l", "l", "o"]);
  expect(new Set(found.map(([chunk]) => chunk.id)).size).toBe(1);
  expect(found[0]?.[1]).toMatchObject({ langgraph_node: "agent", langgraph_step: 1 });
});

test("a message that no model streamed is emitted when its node returns it", async () => {
  const found = await chunks(graphOf(() => new AIMessage({ id: "a", content: "made here" })));
  expect(found.map(([message]) => message.content)).toEqual(["made here"]);
});

test("a message that was given to the node is not emitted again", async () => {
  expect(await chunks(graphOf((messages) => messages[0] as BaseMessage))).toEqual([]);
});

test("a model tagged nostream does not stream tokens", async () => {
  const model = new FakeListChatModel({ responses: ["hello"] }).withConfig({ tags: ["nostream"] });
  const found = await chunks(graphOf((messages) => model.invoke(messages)));
  expect(found.map(([message]) => message.content)).toEqual(["hello"]);
});

test("callbacks hear of the graph, its nodes and their models, each within the other", async () => {
  const model = new FakeListChatModel({ responses: ["hello"] });
  const heard: string[] = [];
  const names = new Map<string, string>();
  const handler = {
    handleChainStart: (...[, , id, parent, , , , name]: unknown[]) => {
      names.set(id as string, name as string);
      heard.push(`${names.get(parent as string) ?? "-"} > ${name as string}`);
    },
    handleChatModelStart: (...[, , , parent]: unknown[]) => {
      heard.push(`${names.get(parent as string)} > model`);
    },
  };
  await graphOf((messages) => model.invoke(messages)).invoke(question, { callbacks: [handler] });
  expect(heard).toEqual(["- > LangGraph", "LangGraph > __start__", "LangGraph > agent", "agent > model"]);
});
