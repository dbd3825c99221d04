import { AIMessage, HumanMessage } from "@langchain/core/messages";
import type { LangGraphRunnableConfig } from "@langchain/langgraph";
import { InMemoryStore } from "@langchain/langgraph-checkpoint";
import { z } from "zod";
import type { LangGraph } from "../engines.ts";
import { scenario } from "../scenario.ts";
import { leaves, thread, trailState } from "./kit.ts";

const names = (found: Iterable<[string, unknown]>): string[] => [...found].map(([name]) => name);
export function chain(
  lg: LangGraph,
  options: Parameters<InstanceType<LangGraph["StateGraph"]>["compile"]>[0] = {},
) {
  return new lg.StateGraph(trailState(lg))
    .addNode("a", leaves("a"))
    .addNode("b", leaves("b"))
    .addEdge(lg.START, "a")
    .addEdge("a", "b")
    .compile(options as object);
}

export const runtime = [
  scenario(
    "pushMessage shows a message at once and writes it before what the node returns",
    async (lg, t) => {
      const graph = new lg.StateGraph(lg.MessagesAnnotation)
        .addNode("a", (_state, config) => {
          lg.pushMessage(new AIMessage({ id: "p1", content: "looking it up" }));
          lg.pushMessage(new AIMessage({ id: "p2", content: "only shown" }), { ...config, stateKey: null });
          lg.pushMessage({ id: "p3", role: "ai", content: "plain" } as never, config);
          return { messages: [new AIMessage({ id: "r", content: "done" })] };
        })
        .addEdge(lg.START, "a")
        .compile();
      const input = { messages: [new HumanMessage({ id: "in", content: "hi" })] };
      await t.invoke(graph, input);
      await t.stream(graph, input, { streamMode: ["messages", "updates"] });
    },
  ),

  scenario("pushMessage needs an id", async (lg, t) => {
    const graph = new lg.StateGraph(lg.MessagesAnnotation)
      .addNode("a", () => {
        lg.pushMessage(new AIMessage("no id"));
        return {};
      })
      .addEdge(lg.START, "a")
      .compile();
    await t.fails(() => graph.invoke({ messages: [] }));
  }),

  scenario(
    "a schema of the answer is shown with the interrupt and makes something of the answer",
    async (lg, t) => {
      const graph = new lg.StateGraph(trailState(lg))
        .addNode("ask", () => {
          const answer = lg.interrupt<string, { n: number }>("how many?", {
            responseSchema: z.object({ n: z.number().default(3) }),
          });
          return { trail: [`${answer.n}`] };
        })
        .addEdge(lg.START, "ask")
        .compile({ checkpointer: t.saver() });
      await t.invoke(graph, {}, thread("1"));
      await t.state(graph, thread("1"));
      await t.invoke(graph, new lg.Command({ resume: {} }), thread("1"));
    },
  ),

  scenario("a JSON schema of the answer is shown and checks nothing", async (lg, t) => {
    const responseSchema = { type: "object", properties: { n: { type: "number" } } } as const;
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("ask", () => ({ trail: [String(lg.interrupt("how many?", { responseSchema }))] }))
      .addEdge(lg.START, "ask")
      .compile({ checkpointer: t.saver() });
    await t.invoke(graph, {}, thread("1"));
    await t.invoke(graph, new lg.Command({ resume: "no object" }), thread("1"));
  }),

  scenario("handlers hear when a run waits and when it goes on", async (lg, t) => {
    const heard: unknown[] = [];
    class Watcher extends lg.GraphCallbackHandler {
      override handleInterrupt({
        status,
        checkpointNs,
        interrupts,
      }: {
        status: string;
        checkpointNs: readonly string[];
        interrupts: readonly { value?: unknown }[];
      }) {
        heard.push(["waits", status, checkpointNs, interrupts.map(({ value }) => value)]);
      }
      override handleResume({ status, checkpointNs }: { status: string; checkpointNs: readonly string[] }) {
        heard.push(["goes on", status, checkpointNs.map((part) => part.split(":")[0])]);
      }
    }
    const inner = new lg.StateGraph(trailState(lg))
      .addNode("ask", () => ({ last: String(lg.interrupt("?")) }))
      .addEdge(lg.START, "ask")
      .compile();
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("a", leaves("a"))
      .addNode("inner", inner)
      .addNode("b", leaves("b"))
      .addEdge(lg.START, "a")
      .addEdge("a", "inner")
      .addEdge("inner", "b")
      .compile({ checkpointer: t.saver() });
    const config = { ...thread("1"), callbacks: [new Watcher()] };
    await graph.invoke({}, { ...config, interruptBefore: ["inner"] });
    await graph.invoke(null, config);
    await graph.invoke(new lg.Command({ resume: "yes" }), { ...config, interruptAfter: ["inner"] });
    await graph.invoke(null, config);
    t.note("heard", heard);
  }),

  scenario("a handler's failure is reported, or fails the run if it says so", async (lg, t) => {
    class Broken extends lg.GraphCallbackHandler {
      override handleInterrupt() {
        throw new Error("user: handler");
      }
    }
    const graph = chain(lg, { checkpointer: t.saver(), interruptBefore: ["b"] });
    await t.invoke(graph, {}, { ...thread("1"), callbacks: [new Broken()] });
    const strict = new Broken();
    strict.raiseError = true;
    await t.fails(() => graph.invoke({}, { ...thread("2"), callbacks: [strict] }));
  }),

  scenario("getSubgraphs, also deep ones and one by its name", async (lg, t) => {
    const deep = chain(lg);
    const inner = new lg.StateGraph(trailState(lg)).addNode("deep", deep).addEdge(lg.START, "deep").compile();
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("inner", inner)
      .addNode("calls", leaves("calls"), { subgraphs: [deep] })
      .addNode("plain", leaves("plain"))
      .addEdge(lg.START, "inner")
      .addEdge("inner", "calls")
      .addEdge("calls", "plain")
      .compile();
    t.note("direct", names(graph.getSubgraphs()));
    t.note("all", names(graph.getSubgraphs(undefined, true)));
    t.note("one", names(graph.getSubgraphs("inner")));
    t.note("deep", names(graph.getSubgraphs("inner|deep", true)));
    t.note("none", names(graph.getSubgraphs("plain", true)));
    const later: string[] = [];
    for await (const [name] of graph.getSubgraphsAsync()) later.push(name);
    t.note("async", later);
  }),

  scenario("batch: several inputs, one that fails, and at most so many at a time", async (lg, t) => {
    let running = 0;
    let most = 0;
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("a", async ({ last }) => {
        running += 1;
        most = Math.max(most, running);
        await new Promise((resolve) => setTimeout(resolve, 5));
        running -= 1;
        if (last === "bad") throw new Error("user: bad");
        return { trail: [last] };
      })
      .addEdge(lg.START, "a")
      .compile();
    t.note("all", await graph.batch([{ last: "x" }, { last: "y" }, { last: "z" }], { maxConcurrency: 2 }));
    t.note("at a time", most);
    await t.fails(() => graph.batch([{ last: "x" }, { last: "bad" }]));
    const settled = await graph.batch([{ last: "x" }, { last: "bad" }], {}, { returnExceptions: true });
    t.note(
      "with exceptions",
      settled.map((one) => (one instanceof Error ? one.message : one)),
    );
  }),

  scenario("what a node finds in its second argument", async (lg, t) => {
    const store = new InMemoryStore();
    const graph = new lg.StateGraph(trailState(lg))
      .addNode(
        "look",
        (state, config: LangGraphRunnableConfig) => {
          const info = config.executionInfo;
          t.note("argument", {
            context: config.context,
            store: config.store !== undefined && lg.getStore() !== undefined,
            writer: typeof config.writer,
            interrupt: typeof config.interrupt,
            signal: config.signal instanceof AbortSignal,
            heartbeat: typeof config.heartbeat,
            control: [config.control?.drainRequested, config.control?.drainReason],
            attempt: [
              info?.nodeAttempt,
              typeof info?.nodeFirstAttemptTime,
              info?.threadId,
              typeof info?.taskId,
            ],
            tags: config.tags,
            metadata: Object.keys(config.metadata ?? {}).sort(),
            recursionLimit: config.recursionLimit,
          });
          t.note("input", [lg.getCurrentTaskInput(), lg.getCurrentTaskInput(config), state]);
          t.note("same config", lg.getConfig().configurable?.["thread_id"]);
          return { trail: ["look"] };
        },
        { metadata: { mine: 1 } },
      )
      .addEdge(lg.START, "look")
      .compile({ checkpointer: t.saver(), store });
    await t.invoke(graph, {}, { ...thread("1"), context: { user: "u" }, tags: ["t"], metadata: { m: 2 } });
  }),

  scenario("what a server says about itself reaches the nodes", async (lg, t) => {
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("look", (_state, config) => {
        t.note("server", config.serverInfo);
        return {};
      })
      .addEdge(lg.START, "look")
      .compile();
    await graph.invoke({});
    await graph.invoke({}, { configurable: { assistant_id: "a", langgraph_auth_user: { identity: "u" } } });
    await graph.invoke({}, { metadata: { graph_id: "g" } });
    await graph.invoke({}, { configurable: { langgraph_auth_user: "no user" } });
    await graph.invoke({}, { serverInfo: { assistantId: "given" }, metadata: { graph_id: "g" } } as object);
  }),

  scenario("accessors outside of a node are refused", async (lg, t) => {
    await t.fails(() => lg.getCurrentTaskInput());
    await t.fails(() => lg.interrupt("?"));
  }),

  scenario("bulkUpdateState: several steps with several updates", async (lg, t) => {
    const saver = t.saver();
    const graph = chain(lg, { checkpointer: saver });
    await t.invoke(graph, { trail: ["in"] }, thread("1"));
    await graph.bulkUpdateState(thread("1"), [
      {
        updates: [
          { values: { trail: ["one"] }, asNode: "a" },
          { values: { trail: ["two"] }, asNode: "b" },
        ],
      },
      { updates: [{ values: { trail: ["three"] }, asNode: "a" }] },
    ]);
    await t.state(graph, thread("1"));
    await t.history(graph, thread("1"));
    await t.fails(() => graph.bulkUpdateState(thread("1"), []));
    await t.fails(() => graph.bulkUpdateState(thread("1"), [{ updates: [] }]));
    const without = [{ values: {}, asNode: "a" }, { values: {} }];
    await t.fails(() => graph.bulkUpdateState(thread("1"), [{ updates: without as never }]));
  }),

  scenario("a copy of a checkpoint, and one with other results for its tasks", async (lg, t) => {
    const saver = t.saver();
    const graph = chain(lg, { checkpointer: saver });
    await t.invoke(graph, { trail: ["in"] }, thread("1"));
    const history = await t.history(graph, thread("1"));
    const before = history.find(({ next }) => next.join() === "b");
    const copy = await graph.updateState(before?.config ?? thread("1"), null as never, "__copy__" as never);
    await t.state(graph, copy);
    await t.invoke(graph, null, copy);
    const other = [[{ trail: ["instead of b"] }, "b"]];
    const written = await graph.updateState(
      before?.config ?? thread("1"),
      other as never,
      "__copy__" as never,
    );
    await t.state(graph, written);
    await t.invoke(graph, null, written);
    await t.history(graph, thread("1"));
  }),

  scenario("updates as END and as input", async (lg, t) => {
    const saver = t.saver();
    const graph = chain(lg, { checkpointer: saver });
    await t.invoke(graph, { trail: ["in"] }, { ...thread("1"), interruptBefore: ["b"] });
    await graph.updateState(thread("1"), null as never, lg.END as never);
    await t.state(graph, thread("1"));
    await graph.updateState(thread("1"), { trail: ["again"] }, "__input__" as never);
    await t.state(graph, thread("1"));
    await t.invoke(graph, null, thread("1"));
    await t.history(graph, thread("1"));
  }),
];
