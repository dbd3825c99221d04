import { MemorySaver } from "@langchain/langgraph-checkpoint";
import type { LangGraph } from "../engines.ts";
import { scenario } from "../scenario.ts";
import { leaves, oneNode, thread, trailState } from "./kit.ts";

/** The graph as a node of another one. */
const around = (lg: LangGraph, inner: ReturnType<ReturnType<typeof oneNode>["compile"]>) =>
  new lg.StateGraph(trailState(lg)).addNode("inner", inner).addEdge(lg.START, "inner").compile();

/** Graphs that tests put something in the place of. */
export const stubs = [
  scenario("a test's own invoke in the place of a node that is a graph", async (lg, t) => {
    const inner = oneNode(lg).compile();
    const graph = around(lg, inner);
    await t.invoke(graph, {});
    const given = inner.invoke;
    const told: unknown[] = [];
    inner.invoke = (async (input: unknown) => {
      told.push(input);
      return { trail: ["stub"], last: "stub" };
    }) as never;
    await t.steps(graph, { last: "in" });
    t.note("told", told);
    inner.invoke = given;
    await t.invoke(graph, {});
  }),

  scenario("an invoke that looks at what the graph's own returns", async (lg, t) => {
    const inner = oneNode(lg).compile();
    const given = inner.invoke.bind(inner);
    inner.invoke = (async (input: never, config: never) => {
      const { trail } = await given(input, config);
      return { trail: [`saw ${trail.join()}`] };
    }) as never;
    await t.invoke(around(lg, inner), { trail: ["in"] });
  }),

  scenario("an entrypoint with a test's own invoke as a node", async (lg, t) => {
    const inner = lg.entrypoint("inner", async () => ({ trail: ["real"] }));
    inner.invoke = (async () => ({ trail: ["stub"] })) as never;
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("inner", inner as never)
      .addEdge(lg.START, "inner" as never)
      .compile();
    await t.invoke(graph, {});
  }),

  scenario("a test's own stream: invoke gives what it streams", async (lg, t) => {
    const graph = oneNode(lg).compile();
    const inner = oneNode(lg).compile();
    async function* states() {
      yield { last: "first" };
      yield { [lg.INTERRUPT]: [{ value: "why?" }] };
      yield { last: "second" };
    }
    for (const stubbed of [graph, inner]) stubbed.stream = (async () => states()) as never;
    await t.invoke(graph, {});
    await t.invoke(around(lg, inner), {});
  }),

  scenario("a tracer's own calls in the place of those of all graphs", async (lg, t) => {
    const { prototype } = lg.CompiledStateGraph as unknown as {
      prototype: Record<string, (...given: unknown[]) => unknown>;
    };
    const graph = around(lg, oneNode(lg).compile());
    const given = (["invoke", "stream"] as const).map((name) => {
      const descriptor = Object.getOwnPropertyDescriptor(prototype, name);
      const own = prototype[name] as (...given: unknown[]) => unknown;
      prototype[name] = function (this: unknown, ...args: unknown[]) {
        t.note("called", name);
        return own.apply(this, args);
      };
      return () =>
        descriptor === undefined
          ? Reflect.deleteProperty(prototype, name)
          : Object.defineProperty(prototype, name, descriptor);
    });
    try {
      await t.invoke(graph, {});
    } finally {
      for (const restore of given) restore();
    }
  }),

  scenario("a stream that somebody watches: invoke goes through it", async (lg, t) => {
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("asks", () => ({ trail: [lg.interrupt<string, string>("why?")] }))
      .addNode("end", leaves("end"))
      .addEdge(lg.START, "asks")
      .addEdge("asks", "end")
      .compile({ checkpointer: new MemorySaver() });
    const word = lg.entrypoint("word", async (text: string) => `${text}!`);
    for (const watched of [graph, word] as {
      stream: (...given: never[]) => Promise<AsyncIterable<unknown>>;
    }[]) {
      const own = watched.stream.bind(watched);
      watched.stream = async (...given) => {
        t.note("mode", (given[1] as unknown as { streamMode?: string }).streamMode ?? "values");
        return own(...given);
      };
    }
    await t.invoke(graph, {}, thread("watched"));
    await t.invoke(graph, new lg.Command({ resume: "because" }), thread("watched"));
    await t.invoke(graph, {}, { ...thread("other"), streamMode: "updates" } as never);
    await t.invoke(graph, {}, { ...thread("one"), outputKeys: ["trail"] } as never);
    await t.invoke(word, "hey");
  }),
];
