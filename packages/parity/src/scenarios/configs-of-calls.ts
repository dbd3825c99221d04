import { type AIMessage, HumanMessage } from "@langchain/core/messages";
import { FakeListChatModel } from "@langchain/core/utils/testing";
import type { LangGraph } from "../engines.ts";
import { type Scenario, scenario } from "../scenario.ts";
import { leaves, thread, trailState } from "./kit.ts";

interface Given {
  readonly configurable?: Record<string, unknown>;
  readonly callbacks?: unknown;
  readonly tags?: string[];
  readonly metadata?: Record<string, unknown>;
  readonly context?: unknown;
  readonly recursionLimit?: number;
}

/** Ways in which nodes hand their config, or parts of it, to a graph that they call. */
const HANDED: Readonly<Record<string, (config: Given) => object>> = {
  "its configurable": ({ configurable }) => ({ configurable: { ...configurable } }),
  "its configurable and a key of its own": ({ configurable }) => ({
    configurable: { ...configurable, user: 1 },
  }),
  "its callbacks": ({ configurable, callbacks }) => ({ configurable, callbacks }),
  "tags instead of its own": ({ configurable }) => ({ configurable, tags: ["x"] }),
  "no tags": ({ configurable }) => ({ configurable, tags: [] }),
  "metadata instead of its own": ({ configurable }) => ({ configurable, metadata: { own: 1 } }),
  "members that are undefined": (config) => ({
    ...config,
    callbacks: undefined,
    tags: undefined,
    metadata: undefined,
    recursionLimit: undefined,
    context: undefined,
  }),
};

const isOwn = (tag: string): boolean => !tag.startsWith("graph:step") && !tag.startsWith("seq:");

/** What a node of a graph finds that another one's node has called. */
const found = ({ tags = [], metadata = {}, configurable = {}, context, recursionLimit }: Given): unknown => [
  tags.filter(isOwn),
  metadata["own"],
  metadata["of the call"],
  configurable["user"],
  configurable["outer"],
  context,
  recursionLimit,
];

type Node = (state: unknown, config: Given) => unknown;

const oneNode = (lg: LangGraph, node: Node) =>
  new lg.StateGraph(trailState(lg))
    .addNode("n", node as never)
    .addEdge(lg.START, "n")
    .compile();

const handingName = (how: string): string => `a node hands to the graph that it calls ${how}`;

/** Without an AsyncLocalStorage, nothing is known of the node but what it hands on. */
export const HANDING: readonly string[] = Object.keys(HANDED).map(handingName);

const handing = (how: string, hand: (config: Given) => object): Scenario =>
  scenario(handingName(how), async (lg, t) => {
    let within: unknown;
    const inner = oneNode(lg, async (_state, config) => {
      within = found(config);
      const model = new FakeListChatModel({ responses: ["ab"] });
      return { last: (await model.invoke([new HumanMessage("hi")], config as never)).text };
    });
    const outer = oneNode(lg, async (state, config) => {
      const { last } = (await inner.invoke(state as never, hand(config) as never)) as { last: string };
      return { last };
    });
    const call = {
      ...thread("1"),
      streamMode: ["messages", "updates"],
      subgraphs: true,
      tags: ["of the call"],
      metadata: { "of the call": 1 },
      recursionLimit: 50,
      context: { user: "u" },
    };
    call.configurable = { ...call.configurable, outer: 1 } as never;
    const seen: unknown[] = [];
    for await (const chunk of await outer.stream({}, call as never)) {
      const [namespace, mode, payload] = chunk as unknown as [string[], string, [AIMessage]];
      seen.push([namespace.length, mode, mode === "messages" ? payload[0].text : undefined]);
    }
    t.note("chunks", seen);
    t.note("config within", within);
  });

const echo = (lg: LangGraph) =>
  new lg.StateGraph(trailState(lg))
    .addNode("echo", async (_state, config) => {
      await new Promise((resolve) => setTimeout(resolve, 1));
      return { trail: [String(config.configurable?.["thread_id"])] };
    })
    .addEdge(lg.START, "echo");

type Caller = (graph: ReturnType<ReturnType<typeof echo>["compile"]>, config: object) => Promise<unknown>;

/** A config object that is used again while calls made with it have not begun. */
const reused = (how: string, call: Caller): Scenario =>
  scenario(`one config object for several calls at once: ${how}`, async (lg, t) => {
    const graph = echo(lg).compile({ checkpointer: t.saver() });
    const config = { configurable: { thread_id: "" } };
    const calls = ["1", "2", "3"].map((id) => {
      config.configurable.thread_id = id;
      return call(graph, config);
    });
    await Promise.all(calls);
    for (const id of ["1", "2", "3"]) t.note(id, (await graph.getState(thread(id))).values);
  });

const failing = (lg: LangGraph) =>
  new lg.StateGraph(trailState(lg))
    .addNode("first", leaves("first"))
    .addNode("fails", async () => {
      await Promise.resolve();
      throw new Error("user: fails");
    })
    .addEdge(lg.START, "first")
    .addEdge("first", "fails")
    .compile();

/** What a call takes from its config and from that of the node that makes it, and when. */
export const configsOfCalls: readonly Scenario[] = [
  ...Object.entries(HANDED).map(([how, hand]) => handing(how, hand)),
  reused("invoke", (graph, config) => graph.invoke({}, config)),
  reused("stream", async (graph, config) => {
    for await (const _ of await graph.stream({}, config));
  }),
  reused("a configurable that is replaced", (graph, { configurable }: { configurable?: object }) => {
    const config: { configurable?: object } = { configurable: { ...configurable } };
    const called = graph.invoke({}, config);
    config.configurable = { thread_id: "another" };
    return called;
  }),
  scenario("batch, and configs that change after the call", async (lg, t) => {
    const graph = echo(lg).compile({ checkpointer: t.saver() });
    const configs = [thread("1"), thread("2")];
    const called = graph.batch([{}, {}], configs);
    for (const config of configs) config.configurable.thread_id = "another";
    await called;
    for (const id of ["1", "2", "another"]) t.note(id, (await graph.getState(thread(id))).values);
  }),

  scenario("a stream of a run that fails before its first chunk is refused", async (lg, t) => {
    const graph = oneNode(lg, () => {
      throw new Error("user: at once");
    });
    try {
      await graph.stream({}, { ...thread("1"), streamMode: "updates" });
      t.note("stream", "given");
    } catch (error) {
      t.note("stream", (error as Error).message);
    }
  }),
  scenario("a stream without input is refused", async (lg, t) => {
    try {
      await echo(lg).compile({ checkpointer: t.saver() }).stream(null, thread("1"));
      t.note("stream", "given");
    } catch {
      t.note("stream", "refused");
    }
  }),
  scenario("a stream that cannot begin falls back to another one", async (lg, t) => {
    const broken = oneNode(lg, () => {
      throw new Error("user: at once");
    });
    const whole = new lg.StateGraph(trailState(lg))
      .addNode("whole", leaves("whole"))
      .addEdge(lg.START, "whole")
      .compile();
    const chunks: unknown[] = [];
    for await (const chunk of await broken.withFallbacks([whole as never]).stream({}, thread("1")))
      chunks.push(chunk);
    t.note("chunks", chunks);
  }),

  ...(["v1", "v2"] as const).map((version) =>
    scenario(
      `streamEvents ${version}: a failure is told to a reader who is slower than the run`,
      async (lg, t) => {
        // LangGraph drops events that were not read when the run fails
        let told: unknown = "nothing";
        try {
          for await (const _ of failing(lg).streamEvents({}, { version })) {
            await new Promise((resolve) => setTimeout(resolve, 5));
          }
        } catch (error) {
          told = (error as Error).message;
        }
        t.note("told", told);
      },
    ),
  ),
];
