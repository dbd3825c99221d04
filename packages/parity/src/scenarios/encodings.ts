import { AIMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { z } from "zod";
import { scenario } from "../scenario.ts";
import { late, thread, trailState } from "./kit.ts";
import { chain } from "./runtime.ts";

const text = (bytes: unknown): string => new TextDecoder().decode(bytes as Uint8Array);

/** What streams of events and of bytes say. */
export const encodings = [
  scenario("tools: when tools begin, end and fail", async (lg, t) => {
    const add = tool(({ a, b }) => String(a + b), {
      name: "add",
      description: "adds",
      schema: z.object({ a: z.number(), b: z.number() }),
    });
    const broken = tool(
      () => {
        throw new Error("user: broken");
      },
      { name: "broken", description: "fails", schema: z.object({}) },
    );
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("call", async (_state, config) => {
        await add.invoke({ type: "tool_call", id: "c1", name: "add", args: { a: 1, b: 2 } }, config);
        await broken.invoke({}, config).catch(() => undefined);
        return { last: "called" };
      })
      .addEdge(lg.START, "call")
      .compile();
    const chunks = (await t.stream(graph, {}, { streamMode: ["tools", "updates"] })) as unknown[];
    t.note("how many", chunks.length);
  }),

  scenario("server-sent events: every mode, subgraphs, errors", async (lg, t) => {
    const inner = new lg.StateGraph(lg.Annotation.Root({ last: lg.Annotation<string>() }))
      .addNode("x", () => ({ last: "x" }))
      .addEdge(lg.START, "x")
      .compile();
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("inner", inner)
      .addNode("bad", ({ total }) => {
        if (total > 5) throw new TypeError("user: too many");
        return { trail: ["fine"] };
      })
      .addEdge(lg.START, "inner")
      .addEdge("inner", "bad")
      .compile({ checkpointer: t.saver() });
    const events = async (input: unknown, options: object): Promise<string[]> => {
      const found: string[] = [];
      const config = {
        ...thread(JSON.stringify(options)),
        ...options,
        encoding: "text/event-stream" as const,
      };
      for await (const chunk of await graph.stream(input as object, config)) found.push(text(chunk));
      return found.map((event) => event.split("\n")[0] as string);
    };
    t.note("values", await events({}, { streamMode: "values" }));
    t.note("several", await events({}, { streamMode: ["updates", "values"], subgraphs: true }));
    t.note("error", await events({ total: 9 }, { streamMode: "updates" }));
    const plain: string[] = [];
    for await (const chunk of await graph.stream(
      {},
      { ...thread("p"), streamMode: "updates", encoding: "text/event-stream" },
    ))
      plain.push(text(chunk));
    t.note("text", plain);
  }),

  scenario("messages as server-sent events are flat objects with their type", async (lg, t) => {
    const graph = new lg.StateGraph(lg.MessagesAnnotation)
      .addNode("a", () => ({ messages: [new AIMessage({ id: "a", content: "hello" })] }))
      .addEdge(lg.START, "a")
      .compile();
    const found: string[] = [];
    const options = { streamMode: "updates", encoding: "text/event-stream" } as const;
    for await (const chunk of await graph.stream({ messages: [] }, options)) found.push(text(chunk));
    t.note("events", found);
  }),

  scenario(
    "server-sent events say what was shown, also when it is changed before it is read",
    async (lg, t) => {
      const graph = new lg.StateGraph(lg.MessagesAnnotation)
        .addNode("a", (_state, { writer }) => {
          const progress = { done: 1 };
          writer?.(progress);
          return { messages: [new AIMessage({ id: "a", content: "hello" })] };
        })
        .addNode("b", async ({ messages }) => {
          await late(1);
          for (const message of messages) message.content = "changed";
          return {};
        })
        .addEdge(lg.START, "a")
        .addEdge("a", "b")
        .compile();
      for (const streamMode of ["values", "updates", "custom", "tasks"] as const) {
        const options = { streamMode, encoding: "text/event-stream" } as const;
        const events = await graph.stream({ messages: [] }, options);
        await late(30);
        const found: string[] = [];
        for await (const event of events) found.push(text(event).replaceAll(/[0-9a-f-]{36}/g, "id"));
        t.note(streamMode, found);
      }
    },
  ),

  scenario("a server-sent event that JSON cannot say is the last", async (lg, t) => {
    const ran: string[] = [];
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("a", (_state, { writer }) => {
        for (const chunk of ["one", 10n, "two"]) writer?.(chunk);
        return {};
      })
      .addNode("b", () => {
        ran.push("b");
        return {};
      })
      .addEdge(lg.START, "a")
      .addEdge("a", "b")
      .compile();
    const found: string[] = [];
    const options = { streamMode: "custom", encoding: "text/event-stream" } as const;
    for await (const event of await graph.stream({}, options)) found.push(text(event));
    t.note("events", found);
    for (let waits = 0; ran.length === 0 && waits < 200; waits += 1) await late(5);
    t.note("ran", ran);
  }),

  scenario("streamEvents v1 and v2 tell the same runs", async (lg, t) => {
    const graph = chain(lg);
    for (const version of ["v1", "v2"] as const) {
      const seen: unknown[] = [];
      for await (const { event, name, tags, metadata } of graph.streamEvents({}, { version })) {
        // when a chunk is read is no part of it; v2's order is compared elsewhere
        if (event !== "on_chain_stream") seen.push([event, name, tags, metadata?.["langgraph_node"]]);
      }
      t.note(version, seen);
    }
  }),

  scenario("streamEvents with stream modes", async (lg, t) => {
    const graph = chain(lg);
    const seen: unknown[] = [];
    const options = { version: "v2" as const, streamMode: ["values" as const, "updates" as const] };
    for await (const { event, name, data } of graph.streamEvents({}, options)) {
      if (event === "on_chain_stream") seen.push([name, data.chunk]);
    }
    t.note("chunks", seen);
  }),
];
