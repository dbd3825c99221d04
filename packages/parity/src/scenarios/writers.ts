import type { LangGraphRunnableConfig } from "@langchain/langgraph";
import type { LangGraph } from "../engines.ts";
import { scenario } from "../scenario.ts";
import { thread, trailState } from "./kit.ts";

type Options = Record<string, unknown>;

/** Writes from its only node. */
function saying(lg: LangGraph) {
  return new lg.StateGraph(trailState(lg))
    .addNode("i", (_state, config) => {
      config.writer?.("inner");
      return { last: "i" };
    })
    .addEdge(lg.START, "i")
    .compile();
}

/** Writes from a node, from a graph that it calls, from a limited node, a called task and an error handler. */
function writing(lg: LangGraph) {
  const inner = saying(lg);
  const say = lg.task("say", async (text: string) => {
    lg.getWriter()?.(`task: ${text}`);
    return text;
  });
  return new lg.StateGraph(trailState(lg))
    .addNode("calls", async (_state, config) => {
      config.writer?.("outer");
      await inner.invoke({}, config);
      lg.getWriter()?.("by getWriter");
      return { last: await say("said") };
    })
    .addNode("nested", inner)
    .addNode(
      "limited",
      async (_state, config) => {
        config.writer?.("limited");
        await inner.invoke({}, config);
        return { last: "limited" };
      },
      { timeout: 60_000 },
    )
    .addNode(
      "fails",
      (_state, config): object => {
        config.writer?.("fails");
        throw new Error("user: no");
      },
      {
        errorHandler: (_state: unknown, _error: unknown, config: LangGraphRunnableConfig) => {
          config.writer?.("handled");
          return { last: "handled" };
        },
      } as Options,
    )
    .addEdge(lg.START, "calls")
    .addEdge("calls", "nested")
    .addEdge("nested", "limited")
    .addEdge("limited", "fails")
    .compile();
}

export const writers = [
  scenario("a writer that a call is given takes every custom chunk in place of the stream", async (lg, t) => {
    const graph = writing(lg);
    for (const subgraphs of [false, true]) {
      const taken: unknown[] = [];
      const writer = (chunk: unknown): unknown => taken.push(chunk);
      await t.invoke(graph, {}, { writer } as Options);
      await t.stream(graph, {}, { writer, streamMode: ["custom", "values"], subgraphs } as Options);
      t.note("taken", taken);
    }
    const bound: unknown[] = [];
    await t.invoke(graph.withConfig({ writer: (chunk: unknown) => bound.push(chunk) } as Options), {});
    t.note("taken by what is bound", bound);
    await t.stream(graph, {}, { streamMode: ["custom", "values"], subgraphs: true });
  }),

  ...[
    ["a writer that a graph within a node is given", false] as const,
    ["a graph within a node is given a function around the node's writer", true] as const,
  ].map(([name, isAround]) =>
    scenario(name, async (lg, t) => {
      const taken: unknown[] = [];
      const inner = saying(lg);
      const graph = new lg.StateGraph(trailState(lg))
        .addNode("n", async (_state, config) => {
          config.writer?.("outer");
          const around = (chunk: unknown): unknown => config.writer?.([chunk]);
          const writer = isAround ? around : (chunk: unknown) => taken.push(chunk);
          await inner.invoke({}, { ...config, writer } as Options);
          return { last: "n" };
        })
        .addEdge(lg.START, "n")
        .compile();
      await t.stream(graph, {}, { streamMode: "custom", subgraphs: true });
      await t.invoke(graph, {}, { writer: (chunk: unknown) => taken.push([chunk]) } as Options);
      t.note("taken", taken);
    }),
  ),

  scenario("a writer that an entrypoint is given, and one that is none", async (lg, t) => {
    const taken: unknown[] = [];
    const say = lg.task("say", async (text: string, config?: { writer?: (chunk: unknown) => void }) => {
      (config ?? lg.getConfig()).writer?.(`task: ${text}`);
      return text;
    });
    const checkpointer = new lg.MemorySaver();
    const workflow = lg.entrypoint({ name: "workflow", checkpointer }, async (text: string, config) => {
      config.writer?.("before");
      await say(text);
      config.writer?.("after");
      return text;
    });
    const writer = (chunk: unknown): unknown => taken.push(chunk);
    const options = { ...thread("1"), writer, streamMode: "custom" };
    await t.stream(workflow, "hello", options as Options);
    t.note("taken", taken);
    await t.stream(workflow, "hello", { ...options, writer: undefined } as Options);
  }),
];
