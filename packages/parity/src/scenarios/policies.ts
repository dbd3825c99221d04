import { InMemoryCache } from "@langchain/langgraph-checkpoint";
import { scenario } from "../scenario.ts";
import { late, leaves, thread, trailState } from "./kit.ts";

const fails = (name: string) => () => {
  throw new Error(`user: ${name}`);
};

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
  scenario(
    "an error handler takes over in the same step, and what follows the node is skipped",
    async (lg, t) => {
      const saver = t.saver();
      const graph = new lg.StateGraph(trailState(lg))
        .addNode("bad", fails("bad"), {
          errorHandler: (state, error) => ({
            trail: [`${error.node}: ${error.error.message}`, `given ${state.trail.length}`],
          }),
        })
        .addNode("good", leaves("good"))
        .addNode("end", leaves("end"))
        .addEdge(lg.START, "bad")
        .addEdge(lg.START, "good")
        .addEdge("good", "end")
        .addEdge("bad", "end")
        .compile({ checkpointer: saver });
      await t.invoke(graph, { trail: ["in"] }, thread("1"));
      await t.steps(graph, { trail: ["in"] }, thread("2"));
      await t.state(graph, thread("1"));
      await t.history(graph, thread("1"));
      await t.saved(saver, "1");
    },
  ),

  scenario("an error handler leads elsewhere by a Command", async (lg, t) => {
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("bad", fails("bad"), {
        errorHandler: (_state, error) =>
          new lg.Command({ update: { trail: [`saved from ${error.node}`] }, goto: "mend" }),
      })
      .addNode("mend", leaves("mend"))
      .addNode("skipped", leaves("skipped"))
      .addEdge(lg.START, "bad")
      .addEdge("bad", "skipped")
      .compile();
    await t.invoke(graph, {});
    await t.stream(graph, {}, { streamMode: "updates" });
    await t.stream(graph, {}, { streamMode: ["updates", "tasks"] });
  }),

  scenario(
    "an error handler runs after the retries, and a failure of its own fails the run",
    async (lg, t) => {
      let tries = 0;
      const saver = t.saver();
      const graph = new lg.StateGraph(trailState(lg))
        .addNode(
          "bad",
          () => {
            tries += 1;
            throw new Error("user: bad");
          },
          {
            retryPolicy: { initialInterval: 1, maxAttempts: 3, jitter: false, logWarning: false },
            errorHandler: fails("handler"),
          },
        )
        .addEdge(lg.START, "bad")
        .compile({ checkpointer: saver });
      await t.fails(() => graph.invoke({}, thread("1")));
      t.note("tries", tries);
      await t.saved(saver, "1");
    },
  ),

  scenario(
    "A6 a resumed run goes on with the error handler, not with the node that failed",
    async (lg, t) => {
      let tries = 0;
      let broken = true;
      const saver = t.saver();
      const graph = new lg.StateGraph(trailState(lg))
        .addNode(
          "bad",
          () => {
            tries += 1;
            throw new TypeError("user: bad");
          },
          {
            errorHandler: (_state, { node, error }) => {
              if (broken) throw new Error("user: handler");
              return { trail: [`${node} ${error.name} ${error.message}`] };
            },
          },
        )
        .addNode("end", leaves("end"))
        .addEdge(lg.START, "bad")
        .addEdge("bad", "end")
        .compile({ checkpointer: saver });
      await t.fails(() => graph.invoke({ trail: ["in"] }, thread("1")));
      broken = false;
      await t.invoke(graph, null, thread("1"));
      t.note("tries", tries);
      await t.saved(saver, "1");
    },
  ),

  scenario("an interrupt in an error handler waits for its answer", async (lg, t) => {
    let tries = 0;
    const saver = t.saver();
    const graph = new lg.StateGraph(trailState(lg))
      .addNode(
        "bad",
        () => {
          tries += 1;
          throw new Error("user: bad");
        },
        { errorHandler: () => ({ trail: [`answer ${lg.interrupt("what now?")}`] }) },
      )
      .addEdge(lg.START, "bad")
      .compile({ checkpointer: saver });
    await t.invoke(graph, {}, thread("1"));
    await t.invoke(graph, new lg.Command({ resume: "go on" }), thread("1"));
    t.note("tries", tries);
  }),

  scenario("a failing Send with an error handler, among others", async (lg, t) => {
    const graph = new lg.StateGraph(trailState(lg))
      .addNode(
        "work",
        ({ last }: { last: string }) => {
          if (last === "b") throw new Error("user: b");
          return { trail: [last] };
        },
        { errorHandler: (state, error) => ({ trail: [`${state.last} ${error.error.message}`] }) },
      )
      .addConditionalEdges(lg.START, () => ["a", "b", "c"].map((last) => new lg.Send("work", { last })))
      .compile();
    await t.invoke(graph, {});
  }),

  scenario("an interrupt or a command for the parent is no failure to handle", async (lg, t) => {
    const handled: string[] = [];
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("asks", () => ({ trail: [`answer ${lg.interrupt("?")}`] }), {
        errorHandler: () => {
          handled.push("asks");
          return {};
        },
      })
      .addEdge(lg.START, "asks")
      .compile({ checkpointer: t.saver() });
    await t.invoke(graph, {}, thread("1"));
    await t.invoke(graph, new lg.Command({ resume: "yes" }), thread("1"));
    t.note("handled", handled);
  }),

  scenario("defaults for all nodes: retries, error handler, and nodes that say otherwise", async (lg, t) => {
    const tries: Record<string, number> = {};
    const failing = (name: string) => () => {
      tries[name] = (tries[name] ?? 0) + 1;
      throw new Error(`user: ${name}`);
    };
    const fast = { initialInterval: 1, jitter: false, logWarning: false };
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("usual", failing("usual"))
      .addNode("own", failing("own"), {
        retryPolicy: { ...fast, maxAttempts: 1 },
        errorHandler: (_state, error) => ({ trail: [`own ${error.node}`] }),
      })
      .addEdge(lg.START, "usual")
      .addEdge(lg.START, "own")
      .setNodeDefaults({
        retryPolicy: { ...fast, maxAttempts: 2 },
        errorHandler: (_state, error) => ({ trail: [`default ${error.node}`] }),
      })
      .compile();
    await t.invoke(graph, {});
    t.note("tries", tries);
  }),

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

  scenario("a drained run stops before its next step and goes on later", async (lg, t) => {
    const saver = t.saver();
    const build = () =>
      new lg.StateGraph(trailState(lg))
        .addNode("a", (_state, config) => {
          config.control?.requestDrain("sigterm");
          return { trail: ["a"] };
        })
        .addNode("b", leaves("b"))
        .addEdge(lg.START, "a")
        .addEdge("a", "b")
        .compile({ checkpointer: saver });
    for (const durability of ["sync", "async", "exit"] as const) {
      const config = { ...thread(durability), durability };
      const control = new lg.RunControl();
      const error = await t.fails(() => build().invoke({ trail: ["in"] }, { ...config, control }));
      t.note("the error", [
        lg.isGraphDrained(error),
        lg.isGraphBubbleUp(error),
        lg.isGraphInterrupt(error),
        (error as { reason?: unknown }).reason,
        control.drainRequested,
        control.drainReason,
      ]);
      await t.state(build(), config);
      await t.saved(saver, durability);
      await t.invoke(build(), null, config);
    }
  }),

  scenario("a run that ends in the step in which it is drained ends as usual", async (lg, t) => {
    const control = new lg.RunControl();
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("a", () => {
        control.requestDrain();
        return { trail: ["a"] };
      })
      .addEdge(lg.START, "a")
      .compile();
    await t.invoke(graph, {}, { control });
    t.note("control", [control.drainRequested, control.drainReason]);
    await t.fails(() => graph.invoke({}, { control }));
  }),

  scenario("a drain stops a graph within a graph, too", async (lg, t) => {
    const saver = t.saver();
    const inner = new lg.StateGraph(trailState(lg))
      .addNode("x", (_state, config) => {
        config.control?.requestDrain("now");
        return { last: "x" };
      })
      .addNode("y", () => ({ last: "y" }))
      .addEdge(lg.START, "x")
      .addEdge("x", "y")
      .compile();
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("inner", async (state, config) => ({ trail: [(await inner.invoke(state, config)).last] }))
      .addNode("sibling", leaves("sibling"))
      .addNode("end", leaves("end"))
      .addEdge(lg.START, "inner")
      .addEdge(lg.START, "sibling")
      .addEdge(["inner", "sibling"], "end")
      .compile({ checkpointer: saver });
    await t.fails(() => graph.invoke({ trail: ["in"] }, thread("1")));
    await t.state(graph, thread("1"));
    const again = new lg.StateGraph(trailState(lg))
      .addNode("inner", leaves("inner"))
      .addNode("sibling", leaves("sibling again"))
      .addNode("end", leaves("end"))
      .addEdge(lg.START, "inner")
      .addEdge(lg.START, "sibling")
      .addEdge(["inner", "sibling"], "end")
      .compile({ checkpointer: saver });
    await t.invoke(again, null, thread("1"));
  }),
];
