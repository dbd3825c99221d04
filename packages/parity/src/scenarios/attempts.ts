import { AIMessage } from "@langchain/core/messages";
import type { LangGraphRunnableConfig } from "@langchain/langgraph";
import { z } from "zod";
import type { LangGraph } from "../engines.ts";
import { scenario } from "../scenario.ts";
import { lastIn, thread, trailState } from "./kit.ts";

// with jitter each wait is up to a second longer
const RETRY = { maxAttempts: 3, initialInterval: 1, jitter: false, logWarning: false };

/** Leaves "x", then "y", where the second fails the first `fails` times. */
function failing(lg: LangGraph, fails: number, options: object = {}) {
  let left = fails;
  return new lg.StateGraph(trailState(lg))
    .addNode("x", () => ({ trail: ["x"] }))
    .addNode("y", () => {
      if (left > 0) {
        left -= 1;
        throw new Error("user: no network");
      }
      return { trail: ["y"] };
    })
    .addEdge(lg.START, "x")
    .addEdge("x", "y")
    .compile(options);
}

type Called = (trail: string[], config: object) => Promise<unknown>;

/** A graph whose only node is tried again, and keeps what graphs that it called came to. */
function around(lg: LangGraph, node: Called, options: object) {
  return new lg.StateGraph(
    lg.Annotation.Root({ trail: lg.Annotation<string[]>(), found: lg.Annotation<unknown>() }),
  )
    .addNode("calls", async ({ trail }, config) => ({ found: await node(trail, config) }), {
      retryPolicy: RETRY,
    })
    .addEdge(lg.START, "calls")
    .compile(options);
}

const trailOf = async (graph: ReturnType<typeof failing>, trail: string[]): Promise<string[]> =>
  (await graph.invoke({ trail })).trail;

export const attempts = [
  ...(["sync", "async", "exit"] as const).map((durability) =>
    scenario(
      `a graph that a node calls has its input once, however often that is tried: ${durability}`,
      async (lg, t) => {
        const checkpointer = t.saver();
        const go = async (id: string, node: (trail: string[]) => Promise<unknown>) =>
          t.invoke(around(lg, node, { checkpointer }), { trail: ["in"] }, { ...thread(id), durability });
        for (const fails of [1, 2]) {
          const inner = failing(lg, fails);
          await go(`fails ${fails}`, (trail) => trailOf(inner, trail));
        }
        const [one, two] = [failing(lg, 0), failing(lg, 1)];
        await go("second of two", async (trail) => [
          await trailOf(one, trail),
          await trailOf(two, ["again"]),
        ]);
        let bad = 1;
        await go("fails behind it", async (trail) => {
          const found = await trailOf(one, trail);
          if (bad-- > 0) throw new Error("user: not what was wanted");
          return found;
        });
        const within = failing(lg, 1);
        const middle = around(lg, (trail) => trailOf(within, trail), {});
        await go("two levels", async (trail) => middle.invoke({ trail }));
      },
    ),
  ),

  scenario("a graph that keeps its state goes on where the failed attempt stood", async (lg, t) => {
    const inner = failing(lg, 1, { checkpointer: true });
    const called: Called = async (trail, config) => (await inner.invoke({ trail }, config)).trail;
    const graph = around(lg, called, { checkpointer: t.saver() });
    // what it kept of that attempt LangGraph's next turn does not find
    await t.invoke(graph, { trail: ["in"] }, thread("1"));
  }),

  scenario("a graph that a called task calls, and is tried again with it", async (lg, t) => {
    const inner = failing(lg, 1);
    const call = lg.task({ name: "call", retry: RETRY }, async (text: string) => trailOf(inner, [text]));
    const workflow = lg.entrypoint(
      { name: "workflow", checkpointer: t.saver() },
      async (text: string) => await call(text),
    );
    await t.invoke(workflow, "in", thread("1"));
  }),

  scenario("a message that is pushed with the part of a config that hooks have", async (lg, t) => {
    const graph = new lg.StateGraph(lg.MessagesAnnotation)
      .addNode("pushes", (_state, { configurable }) => {
        lg.pushMessage(new AIMessage({ id: "p", content: "pushed" }), { configurable } as never);
        lg.pushMessage(new AIMessage({ id: "s", content: "shown" }), {
          configurable,
          stateKey: null,
        } as never);
        return {};
      })
      .addEdge(lg.START, "pushes")
      .compile();
    await t.stream(graph, { messages: [] }, { streamMode: ["messages", "values"] });
  }),

  scenario("a context of a class stays one, also where a schema looks at it", async (lg, t) => {
    class App {
      readonly #name = "ada";
      user = "ada";
      greet(): string {
        return `hi ${this.#name}`;
      }
    }
    for (const context of [z.instanceof(App), z.looseObject({ user: z.string() })]) {
      const graph = new lg.StateGraph(trailState(lg), { context } as never)
        .addNode("n", (_state, runtime) => ({
          last: (runtime as unknown as { context: App }).context.greet(),
        }))
        .addEdge(lg.START, "n")
        .compile();
      const app = new App();
      await t.invoke(graph, {}, { context: app } as never);
    }
  }),

  scenario("a call or a graph within that is tagged as hidden shows no tasks", async (lg, t) => {
    const hidden = { tags: ["langsmith:hidden"] };
    const inner = lastIn(lg);
    const graph = (within: typeof inner) =>
      new lg.StateGraph(lg.Annotation.Root({ last: lg.Annotation<string>() }))
        .addNode("within", within as never)
        .addNode("asks", () => ({ last: lg.interrupt("well?") as string }))
        .addEdge(lg.START, "within")
        .addEdge("within", "asks")
        .compile({ checkpointer: t.saver() });
    const streamMode = ["updates", "tasks", "values", "debug"] as const;
    const options = (id: string) => ({ ...thread(id), streamMode: [...streamMode], subgraphs: true });
    await t.stream(graph(inner), {}, { ...options("1"), ...hidden });
    await t.stream(graph(inner.withConfig(hidden) as never), {}, options("2"));
  }),

  scenario("what a node does to its tags is nobody else's", async (lg, t) => {
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("adds", (_state, config: LangGraphRunnableConfig) => {
        config.tags?.push("added");
        return {};
      })
      .addNode("reads", (_state, config: LangGraphRunnableConfig) => ({ trail: [...(config.tags ?? [])] }))
      .addEdge(lg.START, "adds")
      .addEdge("adds", "reads")
      .compile();
    const tags = ["mine"];
    await t.invoke(graph, {}, { tags });
    t.note("the caller's", tags);
  }),
];
