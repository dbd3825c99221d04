import { AIMessage, AIMessageChunk, HumanMessage } from "@langchain/core/messages";
import { FakeListChatModel } from "@langchain/core/utils/testing";
import type { LangGraph } from "../engines.ts";
import { scenario } from "../scenario.ts";
import { leaves, thread, trailState } from "./kit.ts";

const say = (text: string) => new FakeListChatModel({ responses: [text] });

const chain = (lg: LangGraph) =>
  new lg.StateGraph(trailState(lg))
    .addNode({ a: leaves("a"), b: leaves("b") })
    .addEdge(lg.START, "a")
    .addEdge("a", "b");

export const modes = [
  scenario("the default mode of stream is updates", async (lg, t) => {
    await t.stream(chain(lg).compile(), {}, {});
  }),

  scenario("tasks: each begins and ends, with input, triggers and result", async (lg, t) => {
    await t.stream(chain(lg).compile(), { last: "in" }, { streamMode: "tasks" });
  }),

  scenario("checkpoints: each as it is stored", async (lg, t) => {
    const graph = chain(lg).compile({ checkpointer: t.saver() });
    const more = { runId: "00000000-0000-4000-8000-000000000001", maxConcurrency: 3, tags: ["x"] };
    await t.stream(graph, { last: "in" }, { ...thread("1"), ...more, streamMode: "checkpoints" });
    await t.stream(graph, { last: "again" }, { ...thread("1"), streamMode: "checkpoints" });
  }),

  scenario("debug: tasks and checkpoints in frames", async (lg, t) => {
    const graph = chain(lg).compile({ checkpointer: t.saver() });
    await t.stream(graph, { last: "in" }, { ...thread("1"), streamMode: "debug" });
    await t.stream(chain(lg).compile(), { last: "in" }, { streamMode: "debug" });
  }),

  scenario("all modes at once", async (lg, t) => {
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("a", (_state, runtime) => {
        runtime.writer?.("custom");
        return { last: "a" };
      })
      .addEdge(lg.START, "a")
      .compile({ checkpointer: t.saver() });
    await t.stream(
      graph,
      {},
      {
        ...thread("1"),
        streamMode: ["values", "updates", "custom", "tasks", "checkpoints", "debug", "messages"],
      },
    );
  }),

  scenario("tasks tell the tags of the call, also those of a graph within", async (lg, t) => {
    const inner = new lg.StateGraph(trailState(lg))
      .addNode("inner", leaves("inner"))
      .addEdge(lg.START, "inner")
      .compile();
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("within", inner)
      .addNode("after", leaves("after"))
      .addEdge(lg.START, "within")
      .addEdge("within", "after")
      .compile();
    const named = { runName: "mine", metadata: { m: 1 } };
    for (const tags of [["one", "two"], []])
      await t.stream(graph, {}, { ...named, tags, streamMode: ["tasks"], subgraphs: true });
  }),

  scenario("tasks and checkpoints of a run that is interrupted", async (lg, t) => {
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("ask", () => ({ trail: [`answer ${lg.interrupt("?")}`] }))
      .addEdge(lg.START, "ask")
      .compile({ checkpointer: t.saver() });
    const streamMode = ["tasks", "checkpoints"];
    await t.stream(graph, {}, { ...thread("1"), streamMode });
    await t.stream(graph, new lg.Command({ resume: "yes" }), { ...thread("1"), streamMode });
  }),

  scenario("values with outputKeys, updates with outputKeys", async (lg, t) => {
    const graph = chain(lg).compile();
    for (const streamMode of ["values", "updates", "tasks"]) {
      await t.stream(graph, { last: "in" }, { streamMode, outputKeys: ["total", "last"] });
      await t.stream(graph, { last: "in" }, { streamMode, outputKeys: "total" });
    }
  }),

  scenario("the writer's chunks of every kind, also from deep inside a node", async (lg, t) => {
    const say = (what: unknown): void => lg.getWriter()?.(what);
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("a", async () => {
        for (const what of ["text", 1, null, { a: [1] }, ["list"]]) say(what);
        await Promise.resolve();
        say("after waiting");
        return {};
      })
      .addEdge(lg.START, "a")
      .compile();
    await t.stream(graph, {}, { streamMode: "custom" });
    await t.stream(graph, {}, { streamMode: ["custom", "updates"] });
  }),

  scenario("the writer where nobody listens to custom", async (lg, t) => {
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("a", (_state, runtime) => {
        runtime.writer?.("unheard");
        return { last: "a" };
      })
      .addEdge(lg.START, "a")
      .compile();
    await t.stream(graph, {}, { streamMode: "updates" });
    await t.invoke(graph, {});
  }),

  scenario("custom chunks of a subgraph reach the parent's stream", async (lg, t) => {
    const inner = new lg.StateGraph(lg.Annotation.Root({ last: lg.Annotation<string>() }))
      .addNode("in", (_state, runtime) => {
        runtime.writer?.("from inside");
        return { last: "in" };
      })
      .addEdge(lg.START, "in")
      .compile();
    const graph = new lg.StateGraph(trailState(lg)).addNode("sub", inner).addEdge(lg.START, "sub").compile();
    await t.stream(graph, {}, { streamMode: "custom" });
    await t.stream(graph, {}, { streamMode: ["custom", "updates"], subgraphs: true });
  }),

  scenario("messages: two nodes with models, token by token, each with its node", async (lg, t) => {
    const graph = new lg.StateGraph(lg.MessagesAnnotation)
      .addNode("one", async (state) => ({ messages: [await say("ab").invoke(state.messages)] }))
      .addNode("two", async (state) => ({ messages: [await say("cd").invoke(state.messages)] }))
      .addEdge(lg.START, "one")
      .addEdge("one", "two")
      .compile();
    const input = { messages: [new HumanMessage({ id: "h", content: "hi" })] };
    for await (const [message, metadata] of await graph.stream(input, { streamMode: "messages" })) {
      t.note("chunk", [
        message.text,
        message.getType(),
        metadata["langgraph_node"],
        metadata["langgraph_step"],
      ]);
    }
  }),

  scenario(
    "messages: what a node returns without a model is shown once, and not what came in",
    async (lg, t) => {
      const graph = new lg.StateGraph(lg.MessagesAnnotation)
        .addNode("a", (state) => ({
          messages: [...state.messages, new AIMessage({ id: "a", content: "new" })],
        }))
        .addNode("b", () => ({ messages: new AIMessage({ id: "b", content: "single" }) as never }))
        .addEdge(lg.START, "a")
        .addEdge("a", "b")
        .compile();
      const input = { messages: [new HumanMessage({ id: "h", content: "hi" })] };
      for await (const [message, metadata] of await graph.stream(input, { streamMode: "messages" })) {
        t.note("chunk", [message, metadata["langgraph_node"]]);
      }
    },
  ),

  scenario("messages of a subgraph, with and without subgraphs: true", async (lg, t) => {
    const inner = new lg.StateGraph(lg.MessagesAnnotation)
      .addNode("in", () => ({ messages: [new AIMessage({ id: "in", content: "inside" })] }))
      .addEdge(lg.START, "in")
      .compile();
    const graph = new lg.StateGraph(lg.Annotation.Root({ last: lg.Annotation<string>() }))
      .addNode("call", async () => {
        const { messages } = await inner.invoke({ messages: [] });
        return { last: String(messages.at(-1)?.content) };
      })
      .addEdge(lg.START, "call")
      .compile();
    for (const subgraphs of [true, false]) {
      const chunks: unknown[] = [];
      const stream: AsyncIterable<unknown> = await graph.stream({}, { streamMode: "messages", subgraphs });
      for await (const chunk of stream as AsyncIterable<unknown[][]>)
        chunks.push(subgraphs ? [chunk[0], chunk[1]?.[0]] : chunk[0]);
      t.note(`subgraphs: ${subgraphs}`, chunks);
    }
  }),

  scenario("messages: a model's chunks that a node passes on itself", async (lg, t) => {
    const graph = new lg.StateGraph(lg.MessagesAnnotation)
      .addNode("a", async (state) => {
        let whole: AIMessageChunk | undefined;
        for await (const chunk of await new FakeListChatModel({ responses: ["abc"] }).stream(state.messages))
          whole = whole === undefined ? chunk : whole.concat(chunk);
        return { messages: whole === undefined ? [] : [whole] };
      })
      .addEdge(lg.START, "a")
      .compile();
    const input = { messages: [new HumanMessage({ id: "h", content: "hi" })] };
    for await (const [message] of await graph.stream(input, { streamMode: "messages" }))
      t.note("chunk", [message.text, message.getType()]);
  }),

  scenario("streamEvents v2: which runs begin and end, in which order", async (lg, t) => {
    const graph = chain(lg).compile({ name: "chain" });
    // whether a chunk is told before or after the next node begins is a matter of time
    const chunksOf: string[] = [];
    for await (const { event, name, data, metadata } of graph.streamEvents(
      { last: "in" },
      { version: "v2" },
    )) {
      if (event.endsWith("stream")) chunksOf.push(name);
      else t.note(event, [name, metadata["langgraph_node"], event.endsWith("end") ? data.output : undefined]);
    }
    t.note("chunks of", chunksOf.sort());
  }),

  scenario("streamEvents v2 of a graph with a model in a node", async (lg, t) => {
    const graph = new lg.StateGraph(lg.MessagesAnnotation)
      .addNode("a", async (state) => ({
        messages: [await new FakeListChatModel({ responses: ["ab"] }).invoke(state.messages)],
      }))
      .addEdge(lg.START, "a")
      .compile();
    const input = { messages: [new HumanMessage({ id: "h", content: "hi" })] };
    for await (const { event, name, data } of graph.streamEvents(input, { version: "v2" }))
      t.note(event, [name, event === "on_chat_model_stream" ? data.chunk?.text : undefined]);
  }),

  scenario("streamEvents v2 with subgraphs tells of each state which checkpoint it is", async (lg, t) => {
    const inner = chain(lg).compile({ name: "inner" });
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("nested", inner)
      .addNode("streams", async (_state, config) => {
        for await (const _ of await inner.stream({ last: "in" }, { ...config, streamMode: "values" }));
        return {};
      })
      .addEdge(lg.START, "nested")
      .addEdge("nested", "streams")
      .compile({ checkpointer: t.saver(), name: "outer" });
    const modes = [
      ["values", "updates"],
      ["values"],
      ["updates"],
      ["values", "checkpoints"],
      "values",
    ] as const;
    for (const [at, streamMode] of modes.entries()) {
      const config = { ...thread(String(at)), version: "v2", streamMode, subgraphs: true } as const;
      const chunks: unknown[] = [];
      for await (const { event, name, data } of graph.streamEvents(
        { last: "in" },
        config as unknown as { version: "v2" },
      ))
        if (event === "on_chain_stream" && name === "outer") chunks.push(data.chunk);
      t.note(String(streamMode), chunks);
    }
  }),

  scenario("a stream as server-sent events", async (lg, t) => {
    const graph = chain(lg).compile();
    const text: string[] = [];
    const bytes = await graph.stream(
      { last: "in" },
      { streamMode: ["updates", "values"], encoding: "text/event-stream" },
    );
    for await (const chunk of bytes as unknown as AsyncIterable<Uint8Array>)
      text.push(new TextDecoder().decode(chunk));
    t.note("events", text);
  }),

  scenario("updates of a run that goes on after a failure", async (lg, t) => {
    let broken = true;
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("good", leaves("good"))
      .addNode("bad", async () => {
        await new Promise((resolve) => setTimeout(resolve, 5));
        if (broken) throw new Error("user: bad");
        return { trail: ["bad"] };
      })
      .addEdge(lg.START, "good")
      .addEdge(lg.START, "bad")
      .compile({ checkpointer: t.saver() });
    await t.fails(() => graph.invoke({}, thread("1")));
    broken = false;
    await t.stream(graph, null, { ...thread("1"), streamMode: ["updates", "values", "tasks"] });
  }),
];
