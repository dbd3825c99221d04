import { InMemoryCache } from "@langchain/langgraph-checkpoint";
import { scenario } from "../scenario.ts";
import { late, leaves, thread, trailState } from "./kit.ts";

const slow = async () => {
  await late(200);
  return { trail: ["slow"] };
};

const busy =
  (progress: (config: { heartbeat?: () => void; writer?: (chunk: unknown) => void }) => void) =>
  async (_state: unknown, config: object) => {
    for (let i = 0; i < 8; i += 1) {
      await late(20);
      progress(config);
    }
    return { trail: ["done"] };
  };

/** Notes what an engine asks of a cache. */
class NotedCache extends InMemoryCache {
  readonly calls: unknown[] = [];
  override async get(keys: Parameters<InMemoryCache["get"]>[0]) {
    this.calls.push(["get", keys]);
    return super.get(keys);
  }
  override async set(pairs: Parameters<InMemoryCache["set"]>[0]) {
    this.calls.push(["set", pairs.map(({ key, ttl }) => [key, ttl])]);
    return super.set(pairs);
  }
  override async clear(namespaces: Parameters<InMemoryCache["clear"]>[0]) {
    this.calls.push(["clear", namespaces]);
    return super.clear(namespaces);
  }
}

export const policies = [
  scenario("results of a node are used again for an equal input", async (lg, t) => {
    let ran = 0;
    const cache = new NotedCache();
    const saver = t.saver();
    const graph = new lg.StateGraph(trailState(lg))
      .addNode(
        "slow",
        () => {
          ran += 1;
          return { trail: [`run ${ran}`] };
        },
        { cachePolicy: { ttl: 60 } },
      )
      .addNode("after", leaves("after"))
      .addEdge(lg.START, "slow")
      .addEdge("slow", "after")
      .compile({ checkpointer: saver, cache });
    await t.invoke(graph, { last: "a" }, thread("1"));
    await t.invoke(graph, { last: "a" }, thread("2"));
    await t.stream(graph, { last: "a" }, { ...thread("3"), streamMode: ["updates", "values"] });
    await t.stream(graph, { last: "a" }, { ...thread("4"), streamMode: "tasks" });
    await t.invoke(graph, { last: "b" }, thread("5"));
    t.note("calls", cache.calls);
    await t.saved(saver, "2");
    await graph.clearCache();
    await t.invoke(graph, { last: "a" }, thread("6"));
    t.note("ran", ran);
    t.note("cleared", cache.calls.slice(-3));
  }),

  scenario("a key function decides which inputs are equal", async (lg, t) => {
    let ran = 0;
    const cache = new NotedCache();
    const graph = new lg.StateGraph(trailState(lg))
      .addNode(
        "slow",
        () => {
          ran += 1;
          return { trail: [`run ${ran}`] };
        },
        { cachePolicy: { keyFunc: ([state]) => (state as { last: string }).last.toLowerCase() } },
      )
      .addEdge(lg.START, "slow")
      .compile({ cache });
    await t.invoke(graph, { last: "A" });
    await t.invoke(graph, { last: "a" });
    await t.invoke(graph, { last: "b" });
    t.note("ran", ran);
    t.note("calls", cache.calls);
  }),

  scenario("cached Sends, commands and messages come back as what they were", async (lg, t) => {
    let ran = 0;
    const graph = new lg.StateGraph(trailState(lg))
      .addNode(
        "split",
        () => {
          ran += 1;
          return new lg.Command({
            update: { trail: ["split"] },
            goto: [new lg.Send("work", { last: "x" }), new lg.Send("work", { last: "y" })],
          });
        },
        { cachePolicy: true, ends: ["work"] },
      )
      .addNode("work", ({ last }: { last: string }) => ({ trail: [last] }))
      .addEdge(lg.START, "split")
      .compile({ cache: new InMemoryCache() });
    await t.invoke(graph, {});
    await t.invoke(graph, {});
    t.note("ran", ran);
  }),

  scenario("failures are not cached, and cachePolicy false undoes the default", async (lg, t) => {
    const ran: string[] = [];
    const cache = new NotedCache();
    let broken = true;
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("a", () => {
        ran.push("a");
        if (broken) throw new Error("user: broken");
        return { trail: ["a"] };
      })
      .addNode(
        "b",
        () => {
          ran.push("b");
          return { trail: ["b"] };
        },
        { cachePolicy: false },
      )
      .addEdge(lg.START, "a")
      .addEdge("a", "b")
      .setNodeDefaults({ cachePolicy: true })
      .compile({ cache });
    await t.fails(() => graph.invoke({}));
    broken = false;
    await t.invoke(graph, {});
    await t.invoke(graph, {});
    t.note("ran", ran);
    t.note("calls", cache.calls.length);
  }),

  scenario("a timeout as a number and as a policy, of a node, of all nodes and of a Send", async (lg, t) => {
    const one = (options: object) =>
      new lg.StateGraph(trailState(lg)).addNode("slow", slow, options).addEdge(lg.START, "slow");
    await t.fails(() => one({ timeout: 5 }).compile().invoke({}));
    await t.fails(() =>
      one({ timeout: { runTimeout: 5 } })
        .compile()
        .invoke({}),
    );
    await t.fails(() =>
      one({ timeout: { idleTimeout: 5 } })
        .compile()
        .invoke({}),
    );
    await t.fails(() => one({}).setNodeDefaults({ timeout: 5 }).compile().invoke({}));
    const sent = new lg.StateGraph(trailState(lg))
      .addNode("slow", slow)
      .addConditionalEdges(lg.START, () => [new lg.Send("slow", {}, { timeout: 5 })])
      .compile();
    await t.fails(() => sent.invoke({}));
    const handled = one({
      timeout: 5,
      errorHandler: (_s: unknown, e: { error: Error }) => ({ trail: [e.error.name] }),
    });
    await t.invoke(handled.compile(), {});
  }),

  scenario("signs of progress keep a node from its idle timeout", async (lg, t) => {
    const one = (act: ReturnType<typeof busy>, timeout: object) =>
      new lg.StateGraph(trailState(lg)).addNode("busy", act, { timeout }).addEdge(lg.START, "busy").compile();
    await t.invoke(
      one(
        busy(({ heartbeat }) => heartbeat?.()),
        { idleTimeout: 100 },
      ),
      {},
    );
    await t.invoke(
      one(
        busy(({ writer }) => writer?.("x")),
        { idleTimeout: 100 },
      ),
      {},
    );
    await t.invoke(
      one(
        busy(({ heartbeat }) => heartbeat?.()),
        { idleTimeout: 100, refreshOn: "heartbeat" },
      ),
      {},
    );
    const deaf = one(
      busy(({ writer }) => writer?.("x")),
      { idleTimeout: 100, refreshOn: "heartbeat" },
    );
    await t.fails(() => deaf.invoke({}));
  }),

  scenario("a call that takes longer than its timeout", async (lg, t) => {
    const saver = t.saver();
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("a", leaves("a"))
      .addNode(
        "b",
        (_, { signal }) => new Promise((_resolve, reject) => signal?.addEventListener("abort", reject)),
      )
      .addEdge(lg.START, "a")
      .addEdge("a", "b")
      .compile({ checkpointer: saver });
    const call = { ...thread("1"), timeout: 100 };
    t.note("name", ((await t.fails(() => graph.invoke({}, call))) as Error).name);
    await t.state(graph, thread("1"));
    await t.fails(() => graph.invoke({}, { timeout: -1 }));
  }),

  scenario("a timeout that is no positive number is refused", async (lg, t) => {
    for (const timeout of [0, -1, Number.NaN, { runTimeout: 0 }, { idleTimeout: -5 }]) {
      await t.fails(() => new lg.StateGraph(trailState(lg)).addNode("a", leaves("a"), { timeout }));
    }
    t.note(
      "no limit at all",
      await new lg.StateGraph(trailState(lg))
        .addNode("a", leaves("a"), { timeout: {} })
        .addEdge(lg.START, "a")
        .compile()
        .invoke({}),
    );
  }),
];
