import { InMemoryStore } from "@langchain/langgraph-checkpoint";
import {
  Annotation,
  END,
  getConfig,
  getCurrentTaskInput,
  getStore,
  getWriter,
  GraphError,
  NodeTimeoutError,
  Send,
  START,
  StateGraph,
} from "@skein/graph";
import { expect, test } from "vitest";
import { FakeSaver } from "./support/fake-change-sets.ts";
import { Notes, thread } from "./support/notes.ts";

test("what a node was given stays what it was (A2)", async () => {
  let given: { notes: string[] } | undefined;
  const graph = new StateGraph(Notes)
    .addNode("a", (state) => {
      given = state;
      state.topic = "mine";
      return { notes: ["a"] };
    })
    .addNode("b", (state) => ({ notes: [state.topic] }))
    .addEdge(START, "a")
    .addEdge("a", "b")
    .compile();
  expect(await graph.invoke({ topic: "x" })).toEqual({ topic: "x", notes: ["a", "x"] });
  expect(given?.notes).toEqual([]);
});

test("a large state behaves like a small one", async () => {
  const keys = Object.fromEntries(Array.from({ length: 80 }, (_, i) => [`k${i}`, Annotation<number>]));
  const Large = Annotation.Root({ ...keys, n: Annotation<number> });
  type Large = { n: number } & Record<string, number>;
  const kept: Large[] = [];
  const graph = new StateGraph(Large)
    .addNode("a", (state) => {
      const own = state as unknown as Large;
      kept.push(own);
      own["k2"] = -1;
      return { n: own.n + 1, k1: own.n };
    })
    .addEdge(START, "a")
    .addConditionalEdges("a", (state) => ((state as unknown as Large).n < 3 ? "a" : END))
    .compile();
  const output = (await graph.invoke({ n: 0, k1: 9, k2: 8 } as never)) as unknown as Large;
  expect(output).toEqual({ n: 3, k1: 2, k2: 8 });
  expect(structuredClone(output)).toEqual(output);
  expect(kept.map((state) => ({ ...state }))).toEqual([
    { n: 0, k1: 9, k2: -1 },
    { n: 1, k1: 0, k2: -1 },
    { n: 2, k1: 1, k2: -1 },
  ]);
});

test("a node finds its surroundings in its second argument and without it", async () => {
  const store = new InMemoryStore();
  await store.put(["notes"], "k", { kept: true });
  const seen: unknown[] = [];
  const graph = new StateGraph(Notes)
    .addNode("a", async (state, config) => {
      await Promise.resolve();
      seen.push(
        config.context,
        getStore() === config.store && (await config.store?.get(["notes"], "k"))?.value,
        getCurrentTaskInput() === state,
        getConfig()?.metadata?.["langgraph_node"],
        config.executionInfo?.nodeAttempt,
        config.signal instanceof AbortSignal,
        typeof getWriter(),
      );
      return {};
    })
    .addEdge(START, "a")
    .compile({ store });
  await graph.invoke({ topic: "x" }, { context: { user: "u" } });
  expect(seen).toEqual([{ user: "u" }, { kept: true }, true, "a", 1, true, "function"]);
  expect(() => getStore()).toThrow(GraphError);
});

test("retries follow the policy; a timeout fails the attempt and aborts its signal", async () => {
  let attempts = 0;
  const policy = { maxAttempts: 3, initialInterval: 1, jitter: false, logWarning: false };
  const flaky = new StateGraph(Notes)
    .addNode(
      "a",
      (_state, config) => {
        attempts += 1;
        if (attempts < 3) throw new Error("flaky");
        return { notes: [`attempt ${config.executionInfo?.nodeAttempt}`] };
      },
      { retryPolicy: policy },
    )
    .addEdge(START, "a")
    .compile();
  expect((await flaky.invoke({ topic: "x" })).notes).toEqual(["attempt 3"]);
  let aborted = false;
  const slow = new StateGraph(Notes)
    .addNode(
      "a",
      (_state, config) =>
        new Promise<object>((resolve) => {
          config.signal?.addEventListener("abort", () => {
            aborted = true;
            resolve({});
          });
        }),
      { timeout: 5 },
    )
    .addEdge(START, "a")
    .compile();
  await expect(slow.invoke({ topic: "x" })).rejects.toBeInstanceOf(NodeTimeoutError);
  expect(aborted).toBe(true);
});

test("an abort ends the run at once and leaves a thread that goes on", async () => {
  const controller = new AbortController();
  let runs = 0;
  const graph = new StateGraph(Notes)
    .addNode("a", async () => {
      if (++runs > 1) return { notes: ["a"] };
      controller.abort();
      await new Promise((resolve) => setTimeout(resolve, 60_000).unref());
      return {};
    })
    .addEdge(START, "a")
    .compile({ checkpointer: new FakeSaver() });
  const run = graph.invoke({ topic: "x" }, { ...thread, signal: controller.signal });
  await expect(run).rejects.toMatchObject({ name: "AbortError" });
  expect((await graph.invoke(null, thread)).notes).toEqual(["a"]);
});

test("maxConcurrency bounds the tasks that run at a time", async () => {
  let running = 0;
  let most = 0;
  const graph = new StateGraph(Notes)
    .addNode("w", async () => {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setTimeout(resolve, 1));
      running -= 1;
      return { notes: ["w"] };
    })
    .addConditionalEdges(START, () => Array.from({ length: 9 }, () => new Send("w", {})), ["w"])
    .compile();
  expect((await graph.invoke({ topic: "x" }, { maxConcurrency: 2 })).notes).toHaveLength(9);
  expect(most).toBe(2);
});
