import { FakeListChatModel } from "@langchain/core/utils/testing";
import { BaseCache, InMemoryCache } from "@langchain/langgraph-checkpoint";
import { describe, expect, test } from "vitest";
import {
  Annotation,
  Command,
  GraphDrained,
  GraphError,
  isGraphDrained,
  isNodeError,
  isNodeTimeoutError,
  type LangGraphRunnableConfig,
  type NodeError,
  RunControl,
  Send,
  START,
  StateGraph,
} from "@skein/graph";
import { SAVERS } from "./support/savers.ts";

const thread = { configurable: { thread_id: "t" } };
const State = Annotation.Root({
  trail: Annotation<string[], string[]>({ reducer: (a, b) => a.concat(b), default: () => [] }),
});
type S = typeof State.State;
const leaves = (name: string) => (): Partial<S> => ({ trail: [name] });
const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

const counted = (ran: { times: number }) => async (): Promise<Partial<S>> => {
  ran.times += 1;
  await sleep(1);
  return { trail: [`run ${ran.times}`] };
};
const one = (act: (state: S, config: LangGraphRunnableConfig) => unknown, options: object) =>
  new StateGraph(State)
    .addNode("node", act as never, options)
    .addEdge(START, "node")
    .compile();

describe.each(SAVERS)("error handlers, on %s", (_name, make) => {
  test("A9 the run goes on with what the handler returns, and the failed node's edges are not taken", async () => {
    let seen: NodeError | undefined;
    const failure = new TypeError("broken");
    const graph = new StateGraph(State)
      .addNode(
        "bad",
        () => {
          throw failure;
        },
        {
          errorHandler: (state: S, error) => {
            seen = error;
            return new Command({ update: { trail: [`after ${state.trail.join()}`] }, goto: "mend" });
          },
        },
      )
      .addNode("sibling", leaves("sibling"))
      .addNode("next", leaves("next"))
      .addNode("mend", leaves("mend"))
      .addEdge(START, "bad")
      .addEdge(START, "sibling")
      .addEdge("bad", "next")
      .compile({ checkpointer: make() });
    const { trail } = await graph.invoke({ trail: ["in"] }, thread);
    expect(trail).toEqual(["in", "sibling", "after in", "mend"]);
    expect(isNodeError(seen)).toBe(true);
    expect([seen?.node, seen?.error]).toEqual(["bad", failure]);
    expect((await graph.getState(thread)).next).toEqual([]);
  });

  test("A6 after a crash of the handler, the handler runs again and the node does not", async () => {
    let tries = 0;
    let broken = true;
    const graph = new StateGraph(State)
      .addNode(
        "bad",
        () => {
          tries += 1;
          throw new TypeError("broken");
        },
        {
          errorHandler: (_state: S, { node, error }) => {
            if (broken) throw new Error("the handler, too");
            return { trail: [`${node}: ${error.name} ${error.message}`] };
          },
        },
      )
      .addNode("sibling", async () => {
        await sleep(1);
        return { trail: ["sibling"] };
      })
      .addEdge(START, "bad")
      .addEdge(START, "sibling")
      .compile({ checkpointer: make() });
    await expect(graph.invoke({}, thread)).rejects.toThrow("the handler, too");
    broken = false;
    expect((await graph.invoke(null, thread)).trail.toSorted()).toEqual(["bad: TypeError broken", "sibling"]);
    expect(tries).toBe(1);
  });

  test.each(["sync", "async", "exit"] as const)(
    "a drained run is stored up to its last step and goes on later (%s)",
    async (durability) => {
      const control = new RunControl();
      const graph = new StateGraph(State)
        .addSequence({
          a: () => {
            control.requestDrain("sigterm");
            return { trail: ["a"] };
          },
          b: leaves("b"),
        })
        .addEdge(START, "a")
        .compile({ checkpointer: make() });
      const run = graph.invoke({ trail: ["in"] }, { ...thread, durability, control });
      const error: unknown = await run.catch((caught: unknown) => caught);
      expect(isGraphDrained(error)).toBe(true);
      expect(error).toMatchObject({ name: "GraphDrained", reason: "sigterm", code: "DRAINED" });
      const state = await graph.getState(thread);
      expect([state.next, state.values.trail]).toEqual([["b"], ["in", "a"]]);
      expect((await graph.invoke(null, thread)).trail).toEqual(["in", "a", "b"]);
    },
  );
});

test("an error handler takes over for each Send that failed, and only for those", async () => {
  const graph = new StateGraph(State)
    .addNode(
      "work",
      async ({ n }: { n: number }) => {
        await sleep(5 - n);
        if (n % 2 === 1) throw new Error(`odd ${n}`);
        return { trail: [`done ${n}`] };
      },
      { errorHandler: (_state: unknown, { error }) => ({ trail: [error.message] }) },
    )
    .addConditionalEdges(START, () => [0, 1, 2, 3].map((n) => new Send("work", { n })))
    .compile();
  expect((await graph.invoke({}, { maxConcurrency: 2 })).trail.toSorted()).toEqual([
    "done 0",
    "done 2",
    "odd 1",
    "odd 3",
  ]);
});

test("a handler's name is not to be had for a node", () => {
  const graph = new StateGraph(State).addNode("__error_handler__a", leaves("x"));
  expect(() => graph.addNode("a", leaves("a"), { errorHandler: () => ({}) })).toThrow(GraphError);
});

describe("results that are used again", () => {
  test("for equal inputs of one step, each is asked for once", async () => {
    const asked: number[] = [];
    class Noting extends InMemoryCache {
      override get(keys: Parameters<InMemoryCache["get"]>[0]) {
        asked.push(keys.length);
        return super.get(keys);
      }
    }
    const ran = { times: 0 };
    const cache = new Noting();
    const graph = new StateGraph(State)
      .addNode("work", counted(ran), { cachePolicy: true })
      .addConditionalEdges(START, () => [1, 1, 2].map((n) => new Send("work", { n })))
      .compile({ cache });
    await graph.invoke({});
    expect((await graph.invoke({})).trail).toHaveLength(3);
    expect(ran.times).toBe(3);
    expect(asked).toEqual([2, 2]);
  });

  test("until their time is over", async () => {
    const ran = { times: 0 };
    const graph = new StateGraph(State)
      .addNode("work", counted(ran), { cachePolicy: { ttl: 0.05 } })
      .addEdge(START, "work")
      .compile({ cache: new InMemoryCache() });
    await graph.invoke({});
    await graph.invoke({});
    expect(ran.times).toBe(1);
    await sleep(60);
    await graph.invoke({});
    expect(ran.times).toBe(2);
  });

  test("a cache that cannot be written fails no run; one that cannot be read does", async () => {
    class Broken extends BaseCache {
      readable = true;
      async get(): Promise<[]> {
        if (this.readable) return [];
        throw new Error("cannot be read");
      }
      async set(): Promise<void> {
        throw new Error("cannot be written");
      }
      async clear(): Promise<void> {}
    }
    const cache = new Broken();
    const graph = new StateGraph(State)
      .addNode("work", leaves("work"), { cachePolicy: true })
      .addEdge(START, "work")
      .compile({ cache });
    expect((await graph.invoke({})).trail).toEqual(["work"]);
    cache.readable = false;
    await expect(graph.invoke({})).rejects.toThrow("cannot be read");
  });
});

describe("limits of an attempt", () => {
  test("a node that blocks the event loop for too long has failed, though no timer could say so", async () => {
    const graph = one(
      () => {
        const until = Date.now() + 20;
        while (Date.now() < until);
        return {};
      },
      { timeout: 10 },
    );
    const error: unknown = await graph.invoke({}).catch((caught: unknown) => caught);
    expect(isNodeTimeoutError(error)).toBe(true);
    expect(error).toMatchObject({ node: "node", kind: "run", timeout: 10, code: "TIMEOUT" });
  });

  test("its signal is aborted, and what it still streams is not heard", async () => {
    let aborted = false;
    const graph = one(
      async (_state, { signal, writer }) => {
        signal?.addEventListener("abort", () => (aborted = true));
        await sleep(30);
        writer?.("too late");
        return {};
      },
      { timeout: 5 },
    );
    const chunks: unknown[] = [];
    await expect(
      (async () => {
        for await (const chunk of await graph.stream({}, { streamMode: "custom" })) chunks.push(chunk);
      })(),
    ).rejects.toMatchObject({ name: "NodeTimeoutError" });
    await sleep(40);
    expect([aborted, chunks]).toEqual([true, []]);
  });

  test("a timeout is retried like any failure", async () => {
    let tries = 0;
    const graph = one(
      async () => {
        tries += 1;
        if (tries === 1) await sleep(50);
        return { trail: [`try ${tries}`] };
      },
      { timeout: 10, retryPolicy: { initialInterval: 1, jitter: false, logWarning: false } },
    );
    expect((await graph.invoke({})).trail).toEqual(["try 2"]);
  });

  test("what a model that the node calls says is progress", async () => {
    const model = new FakeListChatModel({ responses: ["0123456789"], sleep: 20 });
    const talk = async (_state: S, config: LangGraphRunnableConfig): Promise<Partial<S>> => {
      let text = "";
      for await (const chunk of await model.stream("hi", config as never)) text += String(chunk.content);
      return { trail: [text] };
    };
    const patient = one(talk, { timeout: { idleTimeout: 150 } });
    expect((await patient.invoke({})).trail).toEqual(["0123456789"]);
    const strict = one(talk, { timeout: { idleTimeout: 150, refreshOn: "heartbeat" } });
    await expect(strict.invoke({})).rejects.toMatchObject({ kind: "idle" });
  });

  test("a limit longer than any timer is none", async () => {
    expect((await one(leaves("a"), { timeout: 2 ** 40 }).invoke({})).trail).toEqual(["a"]);
  });

  test.each([0, -1, Number.NaN, "5", { runTimeout: 0 }, { idleTimeout: 1, refreshOn: "often" }])(
    "%j is refused",
    (timeout) => {
      expect(() => one(leaves("a"), { timeout })).toThrow(GraphError);
      expect(() => new Send("a", {}, { timeout: timeout as number })).toThrow(GraphError);
    },
  );
});

test("a drain of a graph within a graph keeps what its siblings did", async () => {
  const inner = new StateGraph(State)
    .addSequence({
      x: (_state: S, config: LangGraphRunnableConfig) => {
        config.control?.requestDrain();
        return { trail: ["x"] };
      },
      y: leaves("y"),
    })
    .addEdge(START, "x")
    .compile();
  const [, makeSaver] = SAVERS[1] as (typeof SAVERS)[number];
  let siblings = 0;
  const graph = new StateGraph(State)
    .addNode("inner", inner)
    .addNode("sibling", () => {
      siblings += 1;
      return { trail: ["sibling"] };
    })
    .addEdge(START, "inner")
    .addEdge(START, "sibling")
    .compile({ checkpointer: makeSaver() });
  await expect(graph.invoke({}, thread)).rejects.toBeInstanceOf(GraphDrained);
  expect((await graph.invoke(null, thread)).trail.toSorted()).toEqual(["sibling", "x", "y"]);
  expect(siblings).toBe(1);
});
