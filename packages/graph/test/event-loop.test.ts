import { MemorySaver } from "@skein/checkpointer";
import { SqliteSaver } from "@skein/checkpointer/sqlite";
import { expect, test, vi } from "vitest";
import { Annotation, START, StateGraph } from "@skein/graph";

const State = Annotation.Root({
  n: Annotation<number, number>({ reducer: (a, b) => a + b, default: () => 0 }),
});
/** All nodes and savers here answer at once: nothing but the engine lets the event loop turn. */
const one = (checkpointer: MemorySaver | SqliteSaver | undefined) =>
  new StateGraph(State)
    .addNode("a", () => ({ n: 1 }))
    .addEdge(START, "a")
    .compile(checkpointer === undefined ? {} : { checkpointer });
const endless = () =>
  new StateGraph(State)
    .addNode("a", () => ({ n: 1 }))
    .addEdge(START, "a")
    .addConditionalEdges("a", () => "a", ["a"])
    .compile();

test.each([
  ["no saver", undefined],
  ["memory", new MemorySaver()],
  ["SQLite", SqliteSaver.fromConnString(":memory:")],
])("timers fire while a program does nothing but invoke a graph (%s)", async (_name, saver) => {
  const graph = one(saver);
  const timer = { fired: false };
  setTimeout(() => (timer.fired = true), 1);
  for (let i = 0; !timer.fired; i += 1) {
    // far more than fits between two turns
    if (i > 100_000) throw new Error("the event loop never turned");
    await graph.invoke({}, { configurable: { thread_id: `t${i % 10}` } });
  }
  expect(timer.fired).toBe(true);
});

test("a run that would never end stops when its signal is aborted by a timer", async () => {
  const limits = { recursionLimit: Number.MAX_SAFE_INTEGER, signal: AbortSignal.timeout(5) };
  await expect(endless().invoke({}, limits)).rejects.toMatchObject({ name: "TimeoutError" });
});

test("runs that go on together all end when they are aborted", async () => {
  const runs = Array.from({ length: 20 }, () =>
    endless().invoke({}, { recursionLimit: Number.MAX_SAFE_INTEGER, signal: AbortSignal.timeout(5) }),
  );
  for (const ended of await Promise.allSettled(runs)) expect(ended.status).toBe("rejected");
});

test("a program's fake timers keep no run from ending, also one that callbacks are told of", async () => {
  vi.useFakeTimers({ toFake: ["setImmediate", "setTimeout"] });
  try {
    const ended = vi.fn<() => void>();
    await one(undefined).invoke({}, { callbacks: [{ handleChainEnd: ended }] });
    expect(ended).toHaveBeenCalled();
    await expect(endless().invoke({}, { recursionLimit: 5000 })).rejects.toThrow("5000");
  } finally {
    vi.useRealTimers();
  }
});
