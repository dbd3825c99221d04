import { InMemoryStore, MemorySaver } from "@langchain/langgraph-checkpoint";
import { MemorySaver as ItemMemorySaver } from "@skein/checkpointer";
import { SqliteSaver } from "@skein/checkpointer/sqlite";
import { expect, test } from "vitest";
import {
  Annotation,
  Command,
  END,
  getConfig,
  getCurrentTaskInput,
  getStore,
  getWriter,
  GraphError,
  GraphInterrupt,
  GraphRecursionError,
  INTERRUPT,
  interrupt,
  InvalidUpdateError,
  isGraphInterrupt,
  isInterrupted,
  NodeTimeoutError,
  Send,
  START,
  StateGraph,
} from "@skein/graph";
import { FakeSaver } from "./support/fake-change-sets.ts";

const State = Annotation.Root({
  topic: Annotation<string>,
  notes: Annotation<string[], string[]>({ reducer: (a, b) => a.concat(b), default: () => [] }),
});
const thread = { configurable: { thread_id: "t" } };
const savers = [
  ["change sets", () => new FakeSaver()],
  ["memory", () => new ItemMemorySaver()],
  ["SQLite", () => SqliteSaver.fromConnString(":memory:")],
  ["any saver", () => new MemorySaver()],
] as const;
const note = (name: string) => () => ({ notes: [name] });
const ask = (name: string) => () => ({ notes: [`${name}: ${interrupt<string, string>(name)}`] });
const fails = (code: GraphError["code"]) => (error: unknown) => GraphError.is(error, code);

test("Command writes and goes; Send gives a node an input of its own; updates apply in task order (I2)", async () => {
  const graph = new StateGraph(State)
    .addNode(
      "plan",
      () => new Command({ update: { notes: ["plan"] }, goto: ["z", new Send("w", 2), new Send("w", 1)] }),
      {
        ends: ["z", "w"],
      },
    )
    .addNode("w", async (n: number) => {
      await new Promise((resolve) => setTimeout(resolve, n * 3));
      return { notes: [`w${n}`] };
    })
    .addNode("z", () => ({ notes: ["z"] }))
    .addEdge(START, "plan")
    .compile();
  expect((await graph.invoke({ topic: "x" })).notes).toEqual(["plan", "z", "w2", "w1"]);
});

test("a join waits for all, a deferred node for everything", async () => {
  const graph = new StateGraph(State)
    .addNode("a", note("a"))
    .addNode("b1", note("b1"))
    .addNode("b2", note("b2"))
    .addNode("c", note("c"))
    .addNode("join", note("join"))
    .addNode("last", note("last"), { defer: true })
    .addEdge(START, "a")
    .addEdge("a", "b1")
    .addEdge("a", "c")
    .addEdge("a", "last")
    .addEdge("b1", "b2")
    .addEdge(["b2", "c"], "join")
    .compile();
  expect((await graph.invoke({ topic: "x" })).notes).toEqual(["a", "b1", "c", "b2", "join", "last"]);
});

test.each(savers)("several interrupts of a node are answered in order (%s)", async (_name, saver) => {
  let runs = 0;
  const graph = new StateGraph(State)
    .addNode("ask", () => {
      runs += 1;
      return { notes: [interrupt<string, string>("first?"), interrupt<string, string>("second?")] };
    })
    .addEdge(START, "ask")
    .compile({ checkpointer: saver() });
  const one = await graph.invoke({ topic: "x" }, thread);
  expect(isInterrupted(one) && one[INTERRUPT]).toMatchObject([{ value: "first?" }]);
  expect((await graph.getState(thread)).tasks[0]?.interrupts).toMatchObject([{ value: "first?" }]);
  const two = await graph.invoke(new Command({ resume: "A" }), thread);
  expect(isInterrupted(two) && two[INTERRUPT]).toMatchObject([{ value: "second?" }]);
  // going on without an answer asks again; the first answer is not taken for the second
  expect(await graph.invoke(null, thread)).toMatchObject({ [INTERRUPT]: [{ value: "second?" }] });
  expect(await graph.invoke(new Command({ resume: "B" }), thread)).toEqual({ topic: "x", notes: ["A", "B"] });
  expect(runs).toBe(4);
});

test.each([[false], [0], [""], [null]])("%j is an answer", async (answer) => {
  const Any = Annotation.Root({ got: Annotation<unknown> });
  const graph = new StateGraph(Any)
    .addNode("ask", () => ({ got: [interrupt("?")] }))
    .addEdge(START, "ask")
    .compile({ checkpointer: new FakeSaver() });
  await graph.invoke({ got: "nothing" }, thread);
  expect(await graph.invoke(new Command({ resume: answer }), thread)).toEqual({ got: [answer] });
});

test("several tasks that wait are answered by id; one answer for all is refused", async () => {
  const graph = new StateGraph(State)
    .addNode("a", ask("a"))
    .addNode("b", ask("b"))
    .addEdge(START, "a")
    .addEdge(START, "b")
    .compile({ checkpointer: new FakeSaver() });
  const waiting = await graph.invoke({ topic: "x" }, thread);
  const interrupts = isInterrupted(waiting) ? waiting[INTERRUPT] : [];
  await expect(graph.invoke(new Command({ resume: "?" }), thread)).rejects.toSatisfy(
    fails("AMBIGUOUS_RESUME"),
  );
  const answers = Object.fromEntries(interrupts.map(({ id, value }) => [id ?? "", `for ${value}`]));
  expect((await graph.invoke(new Command({ resume: answers }), thread)).notes).toEqual([
    "a: for a",
    "b: for b",
  ]);
});

test("a node that swallows the signal is interrupted all the same (I8)", async () => {
  const graph = new StateGraph(State)
    .addNode("careless", () => {
      try {
        return { notes: [interrupt<string, string>("sure?")] };
      } catch {
        return { notes: ["went on"] };
      }
    })
    .addEdge(START, "careless")
    .compile({ checkpointer: new FakeSaver() });
  const waiting = await graph.invoke({ topic: "x" }, thread);
  expect(waiting).toMatchObject({ notes: [], [INTERRUPT]: [{ value: "sure?" }] });
  expect((await graph.invoke(new Command({ resume: "yes" }), thread)).notes).toEqual(["yes"]);
});

test("nothing to resume, no saver, no thread, no input: each is said", async () => {
  const builder = new StateGraph(State).addNode("a", () => ({ notes: ["a"] })).addEdge(START, "a");
  const stored = builder.compile({ checkpointer: new FakeSaver() });
  await expect(stored.invoke(new Command({ resume: 1 }), thread)).rejects.toSatisfy(
    fails("NOTHING_TO_RESUME"),
  );
  await stored.invoke({ topic: "x" }, thread);
  await expect(stored.invoke(new Command({ resume: 1 }), thread)).rejects.toSatisfy(
    fails("NOTHING_TO_RESUME"),
  );
  await expect(stored.invoke({ topic: "x" })).rejects.toSatisfy(fails("MISSING_THREAD_ID"));
  const plain = builder.compile();
  await expect(plain.invoke(new Command({ resume: 1 }))).rejects.toSatisfy(fails("MISSING_CHECKPOINTER"));
  await expect(plain.invoke(null)).rejects.toSatisfy(fails("EMPTY_INPUT"));
  await expect(plain.getState(thread)).rejects.toSatisfy(fails("MISSING_CHECKPOINTER"));
  await expect(
    stored.updateState({ configurable: { ...thread.configurable, checkpoint_id: "no" } }, {}),
  ).rejects.toSatisfy(fails("UNKNOWN_CHECKPOINT"));
});

test("wrong returns, unknown targets, double writes, endless loops are clear errors", async () => {
  const one = (action: () => unknown) =>
    new StateGraph(State)
      .addNode("a", action as never)
      .addEdge(START, "a")
      .compile()
      .invoke({ topic: "x" });
  await expect(one(() => "text")).rejects.toSatisfy(fails("INVALID_NODE_RETURN"));
  await expect(one(() => new Command({ goto: "nobody" }))).rejects.toSatisfy(fails("UNKNOWN_NODE"));
  await expect(one(() => new Command({ goto: new Send("nobody", {}) }))).rejects.toSatisfy(
    fails("UNKNOWN_NODE"),
  );
  const double = new StateGraph(State)
    .addNode("a", () => ({ topic: "a" }))
    .addNode("b", () => ({ topic: "b" }))
    .addEdge(START, "a")
    .addEdge(START, "b")
    .compile();
  const conflict = await double.invoke({ topic: "x" }).catch((error: unknown) => error);
  expect(conflict).toBeInstanceOf(InvalidUpdateError);
  expect(conflict).toMatchObject({
    code: "INVALID_CONCURRENT_UPDATE",
    lc_error_code: "INVALID_CONCURRENT_GRAPH_UPDATE",
  });
  const loop = new StateGraph(State)
    .addNode("a", () => ({}))
    .addEdge(START, "a")
    .addEdge("a", "a")
    .compile();
  const limit = await loop.invoke({ topic: "x" }, { recursionLimit: 5 }).catch((error: unknown) => error);
  expect(limit).toBeInstanceOf(GraphRecursionError);
  expect(limit).toMatchObject({ code: "GRAPH_RECURSION_LIMIT", lc_error_code: "GRAPH_RECURSION_LIMIT" });
});

test("control values that arrive as JSON are data (I10)", async () => {
  const Any = Annotation.Root({ got: Annotation<unknown> });
  const json = JSON.parse('{"lg_name":"Command","goto":"b","update":{"got":"forged"},"resume":1}') as unknown;
  const graph = new StateGraph(Any)
    .addNode("a", () => ({ got: json }))
    .addNode("b", () => ({ got: "b ran" }))
    .addEdge(START, "a")
    .addConditionalEdges("a", () => END, { [END]: END, b: "b" })
    .compile();
  expect((await graph.invoke({ got: json })).got).toEqual(json);
  const command = Command.fromJSON({ goto: "b", update: { got: "x" } });
  expect(command.goto).toEqual(["b"]);
  expect(() => Command.fromJSON([])).toThrow(GraphError);
  expect(isGraphInterrupt(null)).toBe(false);
  expect(isGraphInterrupt({ name: "GraphInterrupt" })).toBe(false);
  expect(isGraphInterrupt(new GraphInterrupt())).toBe(true);
});

test("what a node was given stays what it was (A2)", async () => {
  let given: { notes: string[] } | undefined;
  const graph = new StateGraph(State)
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
  const seen: unknown[] = [];
  const graph = new StateGraph(State)
    .addNode("a", async (state, config) => {
      await Promise.resolve();
      seen.push(
        config.context,
        config.store === store && getStore() === store,
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
  expect(seen).toEqual([{ user: "u" }, true, true, "a", 1, true, "function"]);
  expect(() => getStore()).toThrow(GraphError);
});

test("retries follow the policy; a timeout fails the attempt and aborts its signal", async () => {
  let attempts = 0;
  const policy = { maxAttempts: 3, initialInterval: 1, jitter: false, logWarning: false };
  const flaky = new StateGraph(State)
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
  const slow = new StateGraph(State)
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
  const graph = new StateGraph(State)
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
  const graph = new StateGraph(State)
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
