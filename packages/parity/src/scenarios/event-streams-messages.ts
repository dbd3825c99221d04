import type { CallbackManagerForLLMRun } from "@langchain/core/callbacks/manager";
import { SimpleChatModel } from "@langchain/core/language_models/chat_models";
import {
  AIMessage,
  AIMessageChunk,
  type BaseMessage,
  HumanMessage,
  SystemMessage,
  ToolMessage,
} from "@langchain/core/messages";
import { ChatGenerationChunk } from "@langchain/core/outputs";
import type { RunnableConfig } from "@langchain/core/runnables";
import { tool } from "@langchain/core/tools";
import { FakeListChatModel } from "@langchain/core/utils/testing";
import { z } from "zod";
import { ScriptedModel } from "../agents/model.ts";
import { type LangGraph, prebuiltOf } from "../engines.ts";
import { scenario } from "../scenario.ts";
import { listed, noteRun, said, settled, untimed, V3 } from "./event-streams-kit.ts";
import { late } from "./kit.ts";

const asks = { messages: [new HumanMessage({ id: "q", content: "?" })] };

/** Streams the chunks that it is given. */
class ChunkModel extends SimpleChatModel {
  readonly chunks: readonly (AIMessageChunk | Error)[];

  constructor(...chunks: (AIMessageChunk | Error)[]) {
    super({ maxRetries: 0 });
    this.chunks = chunks;
  }
  _llmType(): string {
    return "chunks";
  }
  async _call(): Promise<string> {
    return "not streamed";
  }
  override async *_streamResponseChunks(
    _messages: BaseMessage[],
    _options: this["ParsedCallOptions"],
    manager?: CallbackManagerForLLMRun,
  ): AsyncGenerator<ChatGenerationChunk> {
    for (const message of this.chunks) {
      if (message instanceof Error) {
        await late(5);
        throw message;
      }
      const chunk = new ChatGenerationChunk({ text: message.text, message });
      yield chunk;
      await manager?.handleLLMNewToken(message.text, undefined, undefined, undefined, undefined, { chunk });
    }
  }
}

/** A graph whose nodes call models, one after the other. */
function calling(lg: LangGraph, models: Record<string, { invoke(...args: never[]): Promise<BaseMessage> }>) {
  const graph = new lg.StateGraph(lg.MessagesAnnotation) as unknown as {
    addNode(name: string, run: unknown): unknown;
    addEdge(from: string, to: string): unknown;
    compile(): ReturnType<typeof compiled>;
  };
  const compiled = () => new lg.StateGraph(lg.MessagesAnnotation).addNode("x", () => ({})).compile();
  let before: string = lg.START;
  for (const [name, model] of Object.entries(models)) {
    graph.addNode(name, async ({ messages }: { messages: BaseMessage[] }, config: RunnableConfig) => ({
      messages: [await (model as unknown as ChunkModel).invoke(messages, config)],
    }));
    graph.addEdge(before, name);
    before = name;
  }
  return graph.compile();
}

export const eventStreamMessages = [
  scenario("v3: a model that streams: its tokens, and the whole message", async (lg, t) => {
    const run = await calling(lg, { model: ScriptedModel.saying("three words here") }).streamEvents(asks, V3);
    t.note("messages", await said(run.messages));
    await noteRun(t, run);
  }),

  scenario("v3: a model that calls tools", async (lg, t) => {
    const calls = [
      { id: "c1", name: "add", args: { a: 1 } },
      { id: "c2", name: "add", args: { a: 2 } },
    ];
    const model = ScriptedModel.saying({ text: "let me see", calls });
    const run = await calling(lg, { model }).streamEvents(asks, V3);
    t.note("messages", await said(run.messages));
  }),

  scenario("v3: a model that cannot stream", async (lg, t) => {
    const model = new FakeListChatModel({ responses: ["at once"] });
    const run = await calling(lg, { model }).streamEvents(asks, V3);
    const [messages] = await said(run.messages);
    t.note("messages", messages);
  }),

  scenario("v3: reasoning, usage and what the provider says", async (lg, t) => {
    const model = new ChunkModel(
      new AIMessageChunk({ id: "m", content: [{ type: "reasoning", reasoning: "hm, ", index: 0 }] }),
      new AIMessageChunk({ id: "m", content: [{ type: "reasoning", reasoning: "yes", index: 0 }] }),
      new AIMessageChunk({ id: "m", content: [{ type: "text", text: "Yes", index: 1 }] }),
      Object.assign(new AIMessageChunk({ id: "m", content: [] }), {
        usage_metadata: { input_tokens: 3, output_tokens: 4, total_tokens: 7 },
        response_metadata: { finish_reason: "stop" },
      }),
    );
    const run = await calling(lg, { model }).streamEvents(asks, V3);
    t.note("messages", await said(run.messages));
  }),

  scenario("v3: messagesFrom gives those of one node", async (lg, t) => {
    const graph = calling(lg, {
      first: ScriptedModel.saying("one two"),
      second: ScriptedModel.saying("three four"),
    });
    const run = await graph.streamEvents(asks, V3);
    const [all, first, nobody] = await Promise.all([
      said(run.messages),
      said(run.messagesFrom("first")),
      said(run.messagesFrom("nobody")),
    ]);
    t.note("all", all);
    t.note("first", first);
    t.note("nobody", nobody);
    t.note("second, late", await said(run.messagesFrom("second")));
    t.note("all, late", await said(run.messages));
  }),

  scenario("v3: two models at once in one node", async (lg, t) => {
    const [one, two] = [ScriptedModel.saying("a b"), ScriptedModel.saying("c d")];
    const graph = new lg.StateGraph(lg.MessagesAnnotation)
      .addNode("both", async (_state, config) => {
        const first = await one.invoke("1", config);
        const second = await two.invoke("2", config);
        return { messages: [new AIMessage({ id: "sum", content: `${first.text} ${second.text}` })] };
      })
      .addEdge(lg.START, "both")
      .compile();
    const run = await graph.streamEvents({ messages: [] }, V3);
    t.note("messages", await said(run.messages));
  }),

  scenario("v3: a subgraph's messages are the subgraph's", async (lg, t) => {
    const inner = calling(lg, { talk: ScriptedModel.saying("from within") });
    const graph = new lg.StateGraph(lg.MessagesAnnotation)
      .addNode("inner", inner)
      .addEdge(lg.START, "inner")
      .compile();
    const run = await graph.streamEvents(asks, V3);
    const ofSubgraphs = async () => {
      const seen: unknown[] = [];
      for await (const sub of run.subgraphs) seen.push(sub.name, await said(sub.messages));
      return seen;
    };
    const [outer, within] = await Promise.all([said(run.messages), ofSubgraphs()]);
    t.note("outer", outer);
    t.note("within", within);
  }),

  scenario("v3: a node that calls a model is a subgraph without states", async (lg, t) => {
    const run = await calling(lg, { model: ScriptedModel.saying("hi") }).streamEvents(asks, V3);
    for await (const sub of run.subgraphs) {
      t.note("name", sub.name);
      t.note("values", await listed(sub.values));
      t.note("output", await settled(sub.output));
    }
  }),

  scenario("v3: messages that nodes return, of every kind", async (lg, t) => {
    const graph = new lg.StateGraph(lg.MessagesAnnotation)
      .addNode("says", () => ({
        messages: [
          new AIMessage({ id: "1", content: "text" }),
          new AIMessage({
            id: "2",
            content: [
              { type: "text", text: "a" },
              { type: "reasoning", reasoning: "b" },
              { type: "image", url: "https://example.com/c.png" },
              { type: "tool_call", id: "c", name: "f", args: {} },
            ],
          }),
          new AIMessage({ id: "3", content: "", tool_calls: [{ id: "c", name: "f", args: {} }] }),
          new HumanMessage({ id: "4", content: "asked" }),
          new SystemMessage({ id: "5", content: "told" }),
          new ToolMessage({ id: "6", content: "done", tool_call_id: "c" }),
        ],
      }))
      .addEdge(lg.START, "says")
      .compile();
    const run = await graph.streamEvents(asks, V3);
    t.note("events", await listed(run, untimed));
    t.note("messages", await said(run.messages));
  }),

  scenario("v3: a message that a node was given, or that was streamed, is not told again", async (lg, t) => {
    const model = ScriptedModel.saying("said once");
    const graph = new lg.StateGraph(lg.MessagesAnnotation)
      .addNode("model", async ({ messages }, config) => ({
        messages: [...messages, await model.invoke(messages, config)],
      }))
      .addNode("again", ({ messages }) => ({ messages }))
      .addEdge(lg.START, "model")
      .addEdge("model", "again")
      .compile();
    const run = await graph.streamEvents(asks, V3);
    t.note("messages", await said(run.messages));
  }),

  scenario("v3: a message that a node pushes", async (lg, t) => {
    const graph = new lg.StateGraph(lg.MessagesAnnotation)
      .addNode("push", (_state, config) => {
        const message = new AIMessage({ id: "early", content: "soon" });
        lg.pushMessage(message, config as never);
        return { messages: [] };
      })
      .addEdge(lg.START, "push")
      .compile();
    const run = await graph.streamEvents(asks, V3);
    t.note("events", await listed(run, untimed));
    t.note("messages", await said(run.messages));
  }),

  scenario("v3: a model tagged nostream is not heard", async (lg, t) => {
    const graph = calling(lg, {
      loud: ScriptedModel.saying("heard"),
      quiet: ScriptedModel.saying("not heard").withConfig({ tags: ["nostream"] }) as never,
    });
    const run = await graph.streamEvents(asks, V3);
    t.note("texts", await listed(run.messages, ({ node }) => node));
  }),

  scenario("v3: a model that fails in the middle of a message", async (lg, t) => {
    const model = new ChunkModel(
      new AIMessageChunk({ id: "m", content: "so " }),
      new AIMessageChunk({ id: "m", content: "far" }),
      new Error("user: cut off"),
    );
    const run = await calling(lg, { model }).streamEvents(asks, V3);
    t.note("messages", await said(run.messages));
    t.note("output", await settled(run.output));
  }),

  scenario("v3: tools: begun, under way, finished and failed", async (lg, t) => {
    const { ToolNode } = prebuiltOf(lg);
    const works = tool(
      async function* ({ n }) {
        yield { at: n };
        yield "nearly";
        return `worked ${n}`;
      },
      { name: "works", description: "Works", schema: z.object({ n: z.number() }) },
    );
    const fails = tool(
      async () => {
        await late(20);
        throw new Error("user: broken");
      },
      { name: "fails", description: "Fails", schema: z.object({}) },
    );
    const graph = new lg.StateGraph(lg.MessagesAnnotation)
      .addNode("tools", new ToolNode([works as never, fails]))
      .addEdge(lg.START, "tools")
      .compile();
    const calls = [
      { id: "c1", name: "works", args: { n: 1 } },
      { id: "c2", name: "fails", args: {} },
    ];
    const run = await graph.streamEvents(
      { messages: [new AIMessage({ id: "ai", content: "", tool_calls: calls })] },
      V3,
    );
    const events = await listed(run, untimed);
    t.note(
      "tools",
      events.filter((event) => (event as unknown[])[1] === "tools").map((event) => (event as unknown[])[4]),
    );
    const [messages] = await said(run.messages);
    t.note("messages", messages);
  }),
];
