import { FakeListChatModel } from "@langchain/core/utils/testing";
import {
  getConfig,
  GraphError,
  isNodeTimeoutError,
  type LangGraphRunnableConfig,
  Send,
  START,
  StateGraph,
  task,
} from "@skein/graph";
import { describe, expect, test, vi } from "vitest";
import { leaves, type S, sleep, State } from "./support/trail.ts";

const one = (act: (state: S, config: LangGraphRunnableConfig) => unknown, options: object) =>
  new StateGraph(State)
    .addNode("node", act as never, options)
    .addEdge(START, "node")
    .compile();

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

  test.each([false, true])(
    "nor is what a graph streams that it called (given writer: %s)",
    async (isGiven) => {
      let written: (() => void) | undefined;
      const tooLate = new Promise<void>((resolve) => (written = resolve));
      vi.useFakeTimers();
      const inner = one(async (_state, { writer }) => {
        await vi.advanceTimersByTimeAsync(5);
        writer?.("too late");
        written?.();
        return {};
      }, {});
      const calling = one(() => inner.invoke({}), {});
      const errorHandler = async (_state: S, _error: unknown, { writer }: LangGraphRunnableConfig) => {
        await tooLate;
        writer?.("handled");
        return {};
      };
      const graph = new StateGraph(State)
        .addNode("node", calling, { timeout: 5, errorHandler })
        .addEdge(START, "node")
        .compile();
      const heard: unknown[] = [];
      const given: object = isGiven ? { writer: (chunk: unknown) => heard.push(chunk) } : {};
      try {
        for await (const chunk of await graph.stream({}, { ...given, streamMode: "custom" }))
          heard.push(chunk);
      } finally {
        vi.useRealTimers();
      }
      expect(heard).toEqual(["handled"]);
    },
  );

  test("a timeout is retried like any failure", async () => {
    let tries = 0;
    const graph = one(
      async () => {
        tries += 1;
        if (tries === 1) await sleep(400);
        return { trail: [`try ${tries}`] };
      },
      // a busy machine takes its time for the second one, too
      { timeout: 150, retryPolicy: { initialInterval: 1, jitter: false, logWarning: false } },
    );
    expect((await graph.invoke({})).trail).toEqual(["try 2"]);
  });

  test.each([
    ["the node", (run: () => Promise<string>) => run()],
    ["a task of the node", (run: () => Promise<string>) => task("says", run)()],
  ])("what a model that %s calls says is progress", async (_, calls) => {
    const model = new FakeListChatModel({ responses: ["0123456789"], sleep: 50 });
    const says = async (): Promise<string> => {
      let text = "";
      for await (const chunk of await model.stream("hi", getConfig() as never)) text += String(chunk.content);
      return text;
    };
    const talk = async (): Promise<Partial<S>> => ({ trail: [await calls(says)] });
    const patient = one(talk, { timeout: { idleTimeout: 400 } });
    expect((await patient.invoke({})).trail).toEqual(["0123456789"]);
    const strict = one(talk, { timeout: { idleTimeout: 400, refreshOn: "heartbeat" } });
    await expect(strict.invoke({})).rejects.toMatchObject({ kind: "idle" });
  });

  test.each([
    ["a chunk", "auto", (config: LangGraphRunnableConfig) => config.writer?.("on it")],
    ["a chunk to a writer that the call was given", "auto", undefined],
    ["a heartbeat", "heartbeat", (config: LangGraphRunnableConfig) => config.heartbeat?.()],
  ])("%s of a graph within the node is progress", async (_what, refreshOn, tell) => {
    vi.useFakeTimers();
    try {
      const inner = one(async (_state, config) => {
        for (let i = 0; i < 5; i += 1) {
          await vi.advanceTimersByTimeAsync(100);
          if (tell === undefined) config.writer?.(i);
          else tell(config);
        }
        return { trail: ["inner"] };
      }, {});
      const calling = one(() => inner.invoke({}), {});
      const taken: unknown[] = [];
      const given = tell === undefined ? { writer: (chunk: unknown) => taken.push(chunk) } : {};
      for (const graph of [inner, calling]) {
        const outer = new StateGraph(State)
          .addNode("node", graph, { timeout: { idleTimeout: 150, refreshOn: refreshOn as "auto" } })
          .addEdge(START, "node")
          .compile();
        expect((await outer.invoke({}, given as object)).trail).toEqual(["inner"]);
      }
      expect(taken).toHaveLength(tell === undefined ? 10 : 0);
    } finally {
      vi.useRealTimers();
    }
  });

  test.each([
    ["a chunk", "auto", (config: LangGraphRunnableConfig) => config.writer?.("on it")],
    ["a heartbeat", "heartbeat", (config: LangGraphRunnableConfig) => config.heartbeat?.()],
  ])("%s of a task that the node calls is progress, and not heard when it is over", async (_, how, tell) => {
    vi.useFakeTimers();
    try {
      const heard: unknown[] = [];
      const inner = task("inner", async (times: number) => {
        for (let i = 0; i < times; i += 1) {
          await vi.advanceTimersByTimeAsync(100);
          tell(getConfig());
        }
        return ["inner"];
      });
      const outer = task("outer", (times: number) => inner(times));
      const options = { timeout: { runTimeout: 1000, idleTimeout: 150, refreshOn: how as "auto" } };
      const graph = one(async (state) => ({ trail: await outer(state.trail.length) }), options);
      const writer = { writer: (chunk: unknown) => heard.push(chunk) } as object;
      expect((await graph.invoke({ trail: Array(5).fill("") }, writer)).trail).toContain("inner");
      expect(heard).toHaveLength(how === "auto" ? 5 : 0);
      await expect(graph.invoke({ trail: Array(20).fill("") }, writer)).rejects.toMatchObject({
        kind: "run",
      });
      await vi.advanceTimersByTimeAsync(2000);
      expect(heard).toHaveLength(how === "auto" ? 14 : 0);
    } finally {
      vi.useRealTimers();
    }
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

/** A node that fails, and how often it did. */
const failing = () => {
  const tries: number[] = [];
  const node = (): never => {
    tries.push(tries.length + 1);
    throw new Error("user: fails");
  };
  return { tries, node };
};

describe("a run that is stopped while a task waits for its next attempt", () => {
  const patient = { retryPolicy: { initialInterval: 60_000, jitter: false, logWarning: false } };
  test("by its caller: there is no next attempt", async () => {
    const { tries, node } = failing();
    const stop = new AbortController();
    const run = one(node, patient).invoke({}, { signal: stop.signal });
    // a busy machine begins late
    await vi.waitUntil(() => tries.length > 0);
    stop.abort(new Error("user: enough"));
    await expect(run).rejects.toThrow("user: enough");
    await sleep(5);
    expect(tries).toEqual([1]);
  });

  test("by a sibling that fails: neither", async () => {
    const { tries, node } = failing();
    const graph = new StateGraph(State)
      .addNode("waits", node, patient)
      .addNode("fails", async () => {
        await sleep(5);
        throw new Error("user: sibling");
      })
      .addEdge(START, "waits")
      .addEdge(START, "fails")
      .compile();
    await expect(graph.invoke({})).rejects.toThrow("user: sibling");
    expect(tries).toEqual([1]);
  });
});
