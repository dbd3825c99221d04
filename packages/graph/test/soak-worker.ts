import { getEventListeners } from "node:events";
import { setImmediate as turn } from "node:timers/promises";
import { MemorySaver } from "@skein/checkpointer/memory";
import { Annotation, Command, END, interrupt, Send, START, StateGraph } from "../src/index.ts";

/**
 * Runs a graph in every way in which runs end, over and over, and prints what stays: `soak-worker.ts
 * SEGMENTS ROUNDS`, started with --expose-gc. Every thread is deleted when its runs are over.
 */
const [segments, rounds] = process.argv.slice(2).map(Number) as [number, number];
/** One signal that all runs listen to, as a server's would be. */
const shutdown = new AbortController();

const State = Annotation.Root({
  log: Annotation<string[]>({ reducer: (left, right) => [...left, ...right], default: () => [] }),
  mode: Annotation<string>(),
});

const inner = new StateGraph(State)
  .addNode("deep", async () => {
    await turn();
    return { log: ["deep"] };
  })
  .addEdge(START, "deep")
  .compile();

const saver = new MemorySaver();
const graph = new StateGraph(State)
  .addNode("first", ({ mode }) => {
    if (mode === "fails") throw new Error("it was to fail");
    return { log: ["first"] };
  })
  .addNode("asks", ({ mode }) => ({ log: mode === "asks" ? [interrupt<string, string>("well?")] : [] }))
  .addNode("waits", async ({ mode }, config) => {
    // a node that looks at its signal and at its limits
    await new Promise<void>((resolve) => {
      if (mode !== "waits") return resolve();
      config.signal?.addEventListener("abort", () => resolve(), { once: true });
    });
    return { log: ["waited"] };
  })
  .addNode("inner", inner)
  .addNode("fans", ({ log }) => ({ log: [`of ${log.length}`] }))
  .addEdge(START, "first")
  .addEdge("first", "asks")
  .addEdge("asks", "waits")
  .addEdge("waits", "inner")
  .addConditionalEdges("inner", (state) => Array.from({ length: 4 }, () => new Send("fans", state)), ["fans"])
  .addEdge("fans", END)
  .compile({ checkpointer: saver });

let threads = 0;
let runs = 0;

type Config = { configurable: { thread_id: string }; signal: AbortSignal };

/** One thread, and what happens to it. */
async function onThread(act: (config: Config) => Promise<unknown>): Promise<void> {
  const id = `t${(threads += 1)}`;
  await act({ configurable: { thread_id: id }, signal: shutdown.signal });
  await saver.deleteThread(id);
}

/** A run that must fail. */
async function failing(run: Promise<unknown>, how: RegExp): Promise<void> {
  const outcome = await run.then(
    () => "nothing",
    (error: Error) => `${error.name}: ${error.message}`,
  );
  if (!how.test(outcome)) throw new Error(`ended in ${outcome}, not in ${how}`);
}

const ways: readonly ((config: Config) => Promise<unknown>)[] = [
  // to the end
  (config) => graph.invoke({ mode: "runs" }, config),
  // a stream that nobody reads on
  async (config) => {
    const options = { ...config, streamMode: ["values", "messages", "custom"] as const, subgraphs: true };
    for await (const _chunk of await graph.stream({ mode: "runs" }, options as never)) break;
  },
  // a question, and its answer
  async (config) => {
    await graph.invoke({ mode: "asks" }, config);
    await graph.invoke(new Command({ resume: "well." }), config);
  },
  // a question that nobody answers
  (config) => graph.invoke({ mode: "asks" }, config),
  // a failure, and an attempt to go on
  async (config) => {
    await failing(graph.invoke({ mode: "fails" }, config), /it was to fail/);
    await failing(graph.invoke(null, config), /it was to fail/);
  },
  // stopped from outside, while a node waits
  async (config) => {
    const stop = new AbortController();
    const run = graph.invoke({ mode: "waits" }, { ...config, signal: stop.signal });
    setImmediate(() => stop.abort(new Error("stopped")));
    await failing(run, /stopped/);
  },
  // stopped by its time limit, while a node waits
  (config) => failing(graph.invoke({ mode: "waits" }, { ...config, timeout: 1 }), /Timeout/),
  // an edit from outside, and a look back
  async (config) => {
    await graph.invoke({ mode: "runs" }, config);
    await graph.updateState(config, { log: ["edited"] }, "fans");
    for await (const _state of graph.getStateHistory(config, { limit: 3 })) runs += 0;
  },
];

async function round(): Promise<void> {
  // timers are waited for together
  await Promise.all(ways.map((way) => onThread(way)));
  runs += ways.length + 2;
}

const heaps: number[] = [];
for (let segment = 0; segment < segments; segment += 1) {
  for (let i = 0; i < rounds; i += 1) await round();
  // what is on its way ends, and what waits to be finalised is
  for (let i = 0; i < 3; i += 1) {
    await turn();
    globalThis.gc?.();
  }
  heaps.push(process.memoryUsage().heapUsed);
}
const listeners = getEventListeners(shutdown.signal, "abort").length;
const timers = process.getActiveResourcesInfo().filter((kind) => kind === "Timeout").length;
process.stdout.write(
  JSON.stringify({ runs, heaps, listeners, timers, isForced: globalThis.gc !== undefined }),
);
