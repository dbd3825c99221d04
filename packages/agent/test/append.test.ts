import { AIMessage, HumanMessage, ToolMessage, type BaseMessage } from "@langchain/core/messages";
import { tool, type ToolRunnableConfig } from "@langchain/core/tools";
import { MemorySaver } from "@skein/checkpointer";
import { Command, END, pushMessage, Send, START, StateGraph, StateSchema } from "@skein/graph";
import { expect, it } from "vitest";
import { z } from "zod";
import { createAgent, createMiddleware, dualTrackMessages, type AnyAgentMiddleware } from "../src/index.ts";
import { ScriptedModel } from "./scripted-model.ts";

/** Everything that tests need of an agent or a graph. */
interface Thread {
  invoke(input: unknown, config: object): Promise<unknown>;
  updateState(config: object, values: unknown, asNode?: string): Promise<unknown>;
  bulkUpdateState(config: object, steps: readonly object[]): Promise<unknown>;
  getState(config: object): Promise<{ values: unknown }>;
}

const thread = { configurable: { thread_id: "t" } };
const State = new StateSchema({ ...dualTrackMessages() });
const news = (): AIMessage => new AIMessage("news");

function graphOf(node: (state: { messages: BaseMessage[] }) => object): Thread {
  return new StateGraph(State)
    .addNode("node", node as () => object, { ends: ["other", END] })
    .addNode("other", (input: object) => ("say" in input ? { messages: [news()] } : {}))
    .addEdge(START, "node")
    .compile({ checkpointer: new MemorySaver() }) as never;
}

function agentOf(...middleware: readonly AnyAgentMiddleware[]): Thread {
  return createAgent({
    model: new ScriptedModel("answer"),
    tools: [],
    checkpointer: new MemorySaver(),
    middleware,
  }) as never;
}

function agentWithTool(run: (config: ToolRunnableConfig) => unknown): Thread {
  return createAgent({
    model: new ScriptedModel(
      new AIMessage({ content: "", tool_calls: [{ id: "1", name: "act", args: {} }] }),
      "answer",
    ),
    tools: [
      tool((_, config: ToolRunnableConfig) => run(config), {
        name: "act",
        description: "Acts",
        schema: z.object({}),
      }),
    ],
    checkpointer: new MemorySaver(),
  }) as never;
}

const inner = () =>
  new StateGraph(State)
    .addNode("inside", () => ({ messages: [news()] }))
    .addEdge(START, "inside")
    .addEdge("inside", END)
    .compile();

const quiet = () => graphOf(() => new Command({ goto: END }));

const toParent = () => new Command({ graph: Command.PARENT, goto: END, update: { messages: [news()] } });

const SOURCES: Readonly<Record<string, () => Thread>> = {
  "an input": quiet,
  updateState: quiet,
  "a node": () => graphOf(() => ({ messages: [news()] })),
  "a node's command": () => graphOf(() => new Command({ goto: END, update: { messages: [news()] } })),
  "a node that was sent an input": () =>
    graphOf(() => new Command({ goto: [new Send("other", { say: true })] })),
  "a subgraph": () =>
    new StateGraph(State)
      .addNode("inner", inner())
      .addEdge(START, "inner")
      .addEdge("inner", END)
      .compile({ checkpointer: new MemorySaver() }) as never,
  "a graph that a node calls": () =>
    graphOf(async ({ messages }) => (await inner().invoke({ messages })) as object),
  "a subgraph's command to its parent": () => {
    const child = new StateGraph(State)
      .addNode("inside", toParent, { ends: [END] })
      .addEdge(START, "inside")
      .compile();
    return new StateGraph(State)
      .addNode("inner", child, { ends: [END] })
      .addEdge(START, "inner")
      .compile({ checkpointer: new MemorySaver() }) as never;
  },
  "one of several nodes at once": () =>
    new StateGraph(State)
      .addNode("one", () => ({ messages: [news()] }))
      .addNode("other", () => ({ messages: [new AIMessage("another")] }))
      .addEdge(START, "one")
      .addEdge(START, "other")
      .compile({ checkpointer: new MemorySaver() }) as never,
  "a node that failed at first": () => {
    let tries = 0;
    const node = () => {
      if (++tries === 1) throw new Error("not yet");
      return { messages: [news()] };
    };
    return new StateGraph(State)
      .addNode("node", node, {
        retryPolicy: { initialInterval: 1, jitter: false, logWarning: false, retryOn: () => true },
      })
      .addEdge(START, "node")
      .compile({ checkpointer: new MemorySaver() }) as never;
  },
  "a node's pushMessage": () =>
    graphOf(() => {
      pushMessage(new AIMessage({ id: "pushed", content: "news" }));
      return new Command({ goto: END });
    }),
  "a command as input": quiet,
  bulkUpdateState: quiet,
  "a tool": () => agentWithTool(() => "news"),
  "a tool that claims to be a summary": () =>
    agentWithTool(({ toolCall }) => {
      const additional_kwargs = { lc_source: "summarization" };
      return new ToolMessage({ content: "news", tool_call_id: toolCall?.id ?? "", additional_kwargs });
    }),
  "a tool's command": () =>
    agentWithTool(({ toolCall }) => {
      const done = new ToolMessage({ content: "done", tool_call_id: toolCall?.id ?? "" });
      return new Command({ update: { messages: [done, new HumanMessage("news")] } });
    }),
  ...Object.fromEntries(
    (["beforeAgent", "beforeModel", "afterModel", "afterAgent"] as const).map((hook) => [
      `the hook ${hook}`,
      () => agentOf(createMiddleware({ name: "says", [hook]: () => ({ messages: [news()] }) })),
    ]),
  ),
  "a wrap around the model": () =>
    agentOf(createMiddleware({ name: "says", wrapModelCall: () => Promise.resolve(news()) })),
};

/** What is done to the thread from outside, where nothing within it says the news. */
const AFTERWARDS: Readonly<Record<string, (graph: Thread) => Promise<unknown>>> = {
  updateState: (graph) => graph.updateState(thread, { messages: [news()] }, "node"),
  "a command as input": (graph) =>
    graph.invoke(new Command({ goto: "other", update: { messages: [news()] } }), thread),
  bulkUpdateState: (graph) =>
    graph.bulkUpdateState(thread, [{ updates: [{ values: { messages: [news()] }, asNode: "node" }] }]),
};

it.each(Object.entries(SOURCES))(
  "what %s appends reaches both tracks, once (B1, B2)",
  async (source, make) => {
    const graph = make();
    const text = source === "an input" ? "news" : "hello";
    await graph.invoke({ messages: [new HumanMessage(text)] }, thread);
    await AFTERWARDS[source]?.(graph);
    const { values } = await graph.getState(thread);
    const { messages, full_messages } = values as { messages: BaseMessage[]; full_messages: BaseMessage[] };
    expect(full_messages.map(({ id, text }) => [id, text])).toEqual(
      messages.map(({ id, text }) => [id, text]),
    );
    expect(messages.filter((message) => message.text === "news")).toHaveLength(1);
    expect(messages.every(({ id }) => typeof id === "string")).toBe(true);
  },
);
