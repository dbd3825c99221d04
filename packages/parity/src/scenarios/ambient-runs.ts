import { AsyncLocalStorage } from "node:async_hooks";
import { getContextVariable, setContextVariable } from "@langchain/core/context";
import { RunnableLambda } from "@langchain/core/runnables";
import { AsyncLocalStorageProviderSingleton } from "@langchain/core/singletons";
import { tool } from "@langchain/core/tools";
import { FakeListChatModel } from "@langchain/core/utils/testing";
import { z } from "zod";
import type { LangGraph } from "../engines.ts";
import { scenario } from "../scenario.ts";
import { leaves, thread, trailState } from "./kit.ts";

/** A run of LangSmith's, as far as these programs use it. */
interface RunTree {
  readonly id: string;
  readonly trace_id: string;
  readonly run_type: string;
  readonly outputs: unknown;
  readonly metadata: Record<string, unknown>;
  readonly extra: { metadata?: Record<string, unknown> };
  toHeaders(): Record<string, string>;
  readonly name: string;
  readonly tracingEnabled: boolean;
  createChild(config: { name: string; tracingEnabled?: boolean; client?: unknown }): RunTree;
  postRun(): Promise<void>;
  end(outputs: object): Promise<void>;
}

/** What LangSmith's getCurrentRunTree() returns. */
const currentRun = () => AsyncLocalStorageProviderSingleton.getInstance().getStore() as unknown as RunTree;

const user = () => String(getContextVariable("user") ?? "nobody");

/** One node, which runs the function. */
function one(lg: LangGraph, trail: () => Promise<string[]>, options: object = {}) {
  return new lg.StateGraph(trailState(lg))
    .addNode("a", async () => ({ trail: await trail() }))
    .addEdge(lg.START, "a")
    .compile(options);
}

/** A graph of many steps: all that runs in it says which user it knows. */
function asking(lg: LangGraph) {
  const inner = new lg.StateGraph(lg.Annotation.Root({ last: lg.Annotation<string>() }))
    .addNode("i", async () => ({ last: `inner ${user()}` }))
    .addEdge(lg.START, "i")
    .compile();
  const said = tool(() => `tool ${user()}`, { name: "who", description: "who", schema: z.object({}) });
  return new lg.StateGraph(trailState(lg))
    .addNode("a", () => ({ trail: [`a ${user()}`] }))
    .addNode("b", async () => ({ trail: [String(await said.invoke({}))] }))
    .addNode("c", async () => ({ trail: [(await inner.invoke({})).last] }))
    .addNode("d", inner)
    .addEdge(lg.START, "a")
    .addConditionalEdges("a", () => (user() === "nobody" ? lg.END : "b"), ["b", lg.END])
    .addEdge("b", "c")
    .addEdge("c", "d")
    .compile();
}

/** LangChain's context variables, and run trees where nothing is traced. Neither is there on the web. */
export const ambientRuns = [
  scenario("a context variable that is set around a graph is known in all that it runs", async (lg, t) => {
    const around = RunnableLambda.from(async () => {
      setContextVariable("user", "outer");
      await t.invoke(asking(lg), {});
      await t.stream(asking(lg), {}, { streamMode: "updates", subgraphs: true });
    });
    await around.invoke({});
    await t.invoke(asking(lg), {});
  }),

  scenario(
    "a context variable that is set in a node is known in what it calls, and not after",
    async (lg, t) => {
      const graph = new lg.StateGraph(trailState(lg))
        .addNode("a", async () => {
          setContextVariable("user", "inner");
          const { trail } = await asking(lg).invoke({});
          return { trail };
        })
        .addNode("sync", () => {
          setContextVariable("user", "inner");
          return { trail: [user()] };
        })
        .addNode("b", () => ({ trail: [`b ${user()}`] }))
        .addEdge(lg.START, "a")
        .addEdge("a", "sync")
        .addEdge("sync", "b")
        .compile();
      await t.invoke(graph, {});
      t.note("after", user());
    },
  ),

  scenario(
    "a node that sets a context variable still knows its store, its config and its input",
    async (lg, t) => {
      const graph = one(
        lg,
        async () => {
          setContextVariable("user", "me");
          const store = lg.getStore();
          await store?.put(["users"], user(), { seen: 1 });
          lg.getWriter()?.("written");
          const input = lg.getCurrentTaskInput<{ last: string }>();
          const { configurable } = lg.getConfig();
          return [
            `${configurable?.["thread_id"]} ${input.last}`,
            JSON.stringify(await store?.get(["users"], "me")),
          ].map((text) => text.replaceAll(/"20[^"]*"/g, "now"));
        },
        { store: new lg.InMemoryStore() },
      );
      await t.stream(graph, { last: "x" }, { ...thread("1"), streamMode: ["custom", "updates"] });
    },
  ),

  scenario("a node that sets a context variable asks, and goes on with the answer", async (lg, t) => {
    const ask = async (): Promise<string[]> => {
      setContextVariable("user", "me");
      return [user(), lg.interrupt<string, string>("who?")];
    };
    const graph = one(lg, ask, { checkpointer: t.saver() });
    await t.invoke(graph, {}, thread("1"));
    await t.invoke(graph, new lg.Command({ resume: "you" }), thread("1"));
  }),

  scenario(
    "a node that sets a context variable streams its model's tokens and its inner graph's chunks",
    async (lg, t) => {
      const inner = new lg.StateGraph(trailState(lg))
        .addNode("i", leaves("i"))
        .addEdge(lg.START, "i")
        .compile();
      const graph = one(lg, async () => {
        setContextVariable("user", "me");
        const { content } = await new FakeListChatModel({ responses: ["abc"] }).invoke("hi");
        return [String(content), ...(await inner.invoke({})).trail];
      });
      const tokens: unknown[] = [];
      for await (const [message] of await graph.stream({}, { streamMode: "messages" }))
        tokens.push(message.content);
      t.note("tokens", tokens);
      const depths: unknown[] = [];
      for await (const [path, chunk] of await graph.stream({}, { streamMode: "updates", subgraphs: true }))
        depths.push([path.length, chunk]);
      t.note("updates", depths);
    },
  ),

  scenario("an entrypoint that sets a context variable calls tasks that know it", async (lg, t) => {
    const who = lg.task("who", async (greeting: string) => `${greeting} ${user()}`);
    const flow = lg.entrypoint("flow", async (greeting: string) => {
      setContextVariable("user", "me");
      return Promise.all([who(greeting), who("bye")]);
    });
    t.note("said", await flow.invoke("hi"));
  }),

  scenario("runs within the run tree of an untraced node are sent nowhere", async (lg, t) => {
    const sent: unknown[] = [];
    const client = { createRun: async (run: unknown) => sent.push(run), updateRun: async () => {} };
    const graph = one(lg, async () => {
      const child = currentRun().createChild({ name: "step", tracingEnabled: true, client });
      if (child.tracingEnabled) await child.postRun();
      await child.end({ ok: true });
      return [child.name, String(child.tracingEnabled)];
    });
    await t.invoke(graph, {});
    t.note("sent", sent);
  }),

  scenario("the run tree of an untraced node is asked, marked and ended by hand", async (lg, t) => {
    const graph = one(lg, async () => {
      const run = currentRun();
      run.metadata["user"] = "me";
      const marked = [run.metadata, run.extra.metadata, currentRun().metadata];
      await run.end({ ok: true });
      await run.postRun();
      const ids = [run.id.length, run.id === run.trace_id, run.id === currentRun().id];
      const json = JSON.parse(JSON.stringify(run)) as { outputs?: unknown; name?: unknown };
      const { user: named } = run.createChild({ name: "within" }).metadata;
      const said = [
        run.name,
        run.run_type,
        run.outputs,
        Object.keys(run.toHeaders()),
        json.name,
        json.outputs,
      ];
      return [...marked, ids, said, named, run.tracingEnabled].map((part) => JSON.stringify(part));
    });
    await t.invoke(graph, {});
  }),

  scenario(
    "what a node or a condition enters of a storage of its own is not entered elsewhere",
    async (lg, t) => {
      const tenant = new AsyncLocalStorage<string>();
      const known = (name: string) => ({ trail: [`${name} ${tenant.getStore()}`] });
      const enters = async (name: string) => {
        tenant.enterWith(name);
        await Promise.resolve();
        return known(name);
      };
      const graph = new lg.StateGraph(trailState(lg))
        .addNode("a", () => enters("a"))
        .addNode("b", async () => known("b"))
        .addNode("c", () => {
          tenant.enterWith("c");
          return known("c");
        })
        .addNode("d", () => known("d"))
        .addNode("e", async () => known("e"))
        .addEdge(lg.START, "a")
        .addEdge(lg.START, "b")
        .addEdge(["a", "b"], "c")
        .addConditionalEdges(
          "c",
          async () => {
            tenant.enterWith("condition");
            return "d";
          },
          ["d"],
        )
        .addEdge("d", "e")
        .compile();
      for (const checkpointer of [undefined, t.saver()]) {
        const kept = Object.assign(graph, { checkpointer });
        await t.invoke(kept, {}, thread("1"));
        await tenant.run("caller", () => t.invoke(kept, {}, thread("2")));
        t.note("after", tenant.getStore());
      }
    },
  ),
];
