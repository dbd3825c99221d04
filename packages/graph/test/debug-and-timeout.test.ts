import { stripVTControlCharacters } from "node:util";
import { Annotation, END, MemorySaver, START, StateGraph } from "@skein/graph";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

const State = Annotation.Root({
  topic: Annotation<string>,
  log: Annotation<unknown[], unknown>({ reducer: (a, b) => [...a, b], default: () => [] }),
});

const twoSteps = () =>
  new StateGraph(State)
    .addNode("plan", ({ topic }) => ({ log: `plan ${topic}` }))
    .addNode("act", () => ({ log: 10n }))
    .addEdge(START, "plan")
    .addEdge("plan", "act")
    .addEdge("act", END);

async function pause(): Promise<{ log: number }> {
  await new Promise((resolve) => setTimeout(resolve, 15));
  return { log: 1 };
}

/** What was printed, without colours. */
function printed(): { readonly lines: string[] } {
  const lines: string[] = [];
  vi.spyOn(console, "log").mockImplementation((text: string) => lines.push(stripVTControlCharacters(text)));
  return { lines };
}

afterEach(() => {
  vi.restoreAllMocks();
});

it("debug prints each step: the state before it, its tasks, what they wrote", async () => {
  const { lines } = printed();
  await twoSteps().compile({ debug: true }).invoke({ topic: "t" });
  expect(lines).toEqual([
    '[-1:checkpoint] State at the end of step -1:\n{\n  "log": []\n}',
    '[0:tasks] Starting step 0 with 1 task:\n- __start__ -> {\n  "topic": "t"\n}',
    '[0:writes] Finished step 0 with writes to 1 key:\n- topic -> "t"',
    '[0:checkpoint] State at the end of step 0:\n{\n  "topic": "t",\n  "log": []\n}',
    '[1:tasks] Starting step 1 with 1 task:\n- plan -> {\n  "topic": "t",\n  "log": []\n}',
    '[1:writes] Finished step 1 with writes to 1 key:\n- log -> "plan t"',
    '[1:checkpoint] State at the end of step 1:\n{\n  "topic": "t",\n  "log": [\n    "plan t"\n  ]\n}',
    '[2:tasks] Starting step 2 with 1 task:\n- act -> {\n  "topic": "t",\n  "log": [\n    "plan t"\n  ]\n}',
    // no JSON, and no reason to fail
    "[2:writes] Finished step 2 with writes to 1 key:\n- log -> 10",
  ]);
});

it("debug is an option of a call and a property of the graph, too, and off otherwise", async () => {
  const { lines } = printed();
  const graph = twoSteps().compile();
  await graph.invoke({ topic: "t" });
  expect(lines).toEqual([]);
  for await (const _ of await graph.stream({ topic: "t" }, { debug: true }));
  expect(lines).toHaveLength(9);
  graph.debug = true;
  await graph.invoke({ topic: "t" });
  expect(lines).toHaveLength(18);
  await graph.invoke({ topic: "t" }, { debug: false });
  expect(lines).toHaveLength(18);
});

it("a step over its stepTimeout ends the run; its finished sibling does not run again", async () => {
  let slow = true;
  const ran: string[] = [];
  let told: unknown;
  const graph = new StateGraph(State)
    .addNode("quick", () => {
      ran.push("quick");
      return { log: "quick" };
    })
    .addNode("slow", async (_, { signal }) => {
      ran.push("slow");
      if (slow) {
        await new Promise((_resolve, reject) =>
          signal.addEventListener("abort", () => reject(signal.reason as Error)),
        );
      }
      return { log: "slow" };
    })
    .addEdge(START, "quick")
    .addEdge(START, "slow")
    .compile({ checkpointer: new MemorySaver(), stepTimeout: 20 });
  const thread = { configurable: { thread_id: "t" } };
  await graph.invoke({ topic: "t" }, thread).catch((error: unknown) => (told = error));
  expect(told).toMatchObject({
    code: "TIMEOUT",
    name: "TimeoutError",
    details: { stepTimeout: 20 },
    // what programs look for in what LangGraph throws
    message: expect.stringMatching(/abort/),
  });
  slow = false;
  expect(await graph.invoke(null, thread)).toMatchObject({ log: ["quick", "slow"] });
  expect(ran).toEqual(["quick", "slow", "slow"]);
});

/** What a call comes to when time passes. */
async function afterwards<T>(call: Promise<T>): Promise<T> {
  const state = { over: false };
  const end = (): void => {
    state.over = true;
  };
  call.then(end, end);
  while (!state.over) {
    await vi.advanceTimersByTimeAsync(5);
    await new Promise((resolve) => setImmediate(resolve));
  }
  return call;
}

/** What the fake clock will still call, as source text: a failure says whose it is. */
function stillWaiting(): string[] {
  const { clock } = setTimeout as unknown as { clock: { timers?: Record<string, { func: unknown }> } };
  return Object.values(clock.timers ?? {}).map(({ func }) => String(func));
}

/** The clock goes on by 5 ms in each turn of the event loop, and a step under load takes some of them. */
const wait = async (): Promise<{ log: number }> => {
  await new Promise((resolve) => setTimeout(resolve, 100));
  return { log: 1 };
};

const threeSteps = () =>
  new StateGraph(State).addSequence({ a: wait, b: wait, c: wait }).addEdge(START, "a").compile();

it.each([2 ** 31, Number.POSITIVE_INFINITY])(
  "a limit beyond what timers can wait ends no run (%s)",
  async (ms) => {
    const graph = new StateGraph(State).addNode("wait", pause).addEdge(START, "wait").compile();
    graph.stepTimeout = ms;
    expect(await graph.invoke({ topic: "t" }, { timeout: ms })).toMatchObject({ log: [1] });
  },
);

it("a pause between attempts that is longer than timers can wait is one", async () => {
  let attempts = 0;
  const fail = (): never => {
    attempts += 1;
    throw new Error("user: always");
  };
  const retryPolicy = { initialInterval: 2 ** 31, maxInterval: Number.POSITIVE_INFINITY, jitter: false };
  const graph = new StateGraph(State).addNode("fail", fail, { retryPolicy }).addEdge(START, "fail").compile();
  vi.spyOn(console, "warn").mockImplementation(() => {});
  await expect(graph.invoke({ topic: "t" }, { timeout: 50 })).rejects.toMatchObject({ code: "TIMEOUT" });
  expect(attempts).toBe(1);
});

describe("limits, by a clock that the test drives", () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it("stepTimeout is per step, leaves no timer and no listener behind, and must be positive", async () => {
    const graph = threeSteps();
    graph.stepTimeout = 250;
    const { signal } = new AbortController();
    const removed = vi.spyOn(signal, "removeEventListener");
    const added = vi.spyOn(signal, "addEventListener");
    expect(await afterwards(graph.invoke({ topic: "t" }, { signal }))).toMatchObject({ log: [1, 1, 1] });
    expect(removed.mock.calls.length).toBe(added.mock.calls.length);
    expect(stillWaiting()).toEqual([]);
    graph.stepTimeout = Number.NaN;
    await expect(graph.invoke({ topic: "t" })).rejects.toMatchObject({ code: "INVALID_CONFIGURATION" });
  });

  it("a call over its timeout ends, streamed or not, and the timeout of withConfig counts", async () => {
    const graph = threeSteps();
    const late = { code: "TIMEOUT", name: "TimeoutError", details: { timeout: 200 } };
    await expect(afterwards(graph.invoke({ topic: "t" }, { timeout: 200 }))).rejects.toMatchObject(late);
    const withConfig = graph.withConfig({ timeout: 200 });
    await expect(afterwards(withConfig.invoke({ topic: "t" }))).rejects.toMatchObject(late);
    const chunks: unknown[] = [];
    const read = async () => {
      for await (const chunk of await graph.stream({ topic: "t" }, { timeout: 200 })) chunks.push(chunk);
    };
    await expect(afterwards(read())).rejects.toMatchObject(late);
    expect(chunks).not.toContainEqual({ c: { log: 1 } });
    const inTime = await afterwards(graph.invoke({ topic: "t" }, { timeout: 10_000 }));
    expect(inTime).toMatchObject({ log: [1, 1, 1] });
    expect(stillWaiting()).toEqual([]);
    await expect(graph.invoke({ topic: "t" }, { timeout: 0 })).rejects.toMatchObject({
      code: "INVALID_CONFIGURATION",
    });
  });
});
