import { rmSync } from "node:fs";
import type { RunnableConfig } from "@langchain/core/runnables";
import type { Figures, Params } from "../protocol.ts";
import { numberOf, textOf } from "../protocol.ts";
import {
  type EngineSide,
  engineOf,
  type LangGraph,
  loadEngine,
  openSaver,
  type Saver,
  type SaverKind,
  type Side,
} from "../sides.ts";
import { median, sample } from "../stats.ts";

const stateOf = ({ Annotation }: LangGraph) =>
  Annotation.Root({
    count: Annotation<number>({ reducer: (left, right) => left + right, default: () => 0 }),
    last: Annotation<string>(),
  });

/** Two nodes that hand to each other until `steps` supersteps are done; the check is after the second. */
function pingPong(lg: LangGraph, steps: number) {
  return new lg.StateGraph(stateOf(lg))
    .addNode("ping", () => ({ count: 1, last: "ping" }))
    .addNode("pong", () => ({ count: 1, last: "pong" }))
    .addEdge(lg.START, "ping")
    .addEdge("ping", "pong")
    .addConditionalEdges("pong", (state) => (state.count < steps ? "ping" : lg.END), ["ping", lg.END]);
}

/** Three nodes, one after the other: three supersteps. */
function threeNodes(lg: LangGraph) {
  return new lg.StateGraph(stateOf(lg))
    .addNode("plan", () => ({ count: 1, last: "plan" }))
    .addNode("work", () => ({ count: 1, last: "work" }))
    .addNode("check", () => ({ count: 1, last: "check" }))
    .addEdge(lg.START, "plan")
    .addEdge("plan", "work")
    .addEdge("work", "check")
    .addEdge("check", lg.END);
}

/** Microseconds a superstep in runs of `steps` supersteps; a new thread for every run. */
export async function supersteps(side: Side, params: Params): Promise<Figures> {
  const steps = numberOf(params, "steps");
  const runs = numberOf(params, "runs");
  const place = placeOf(params);
  const program: Program = {
    steps,
    compile: (lg, options) => pingPong(lg, steps).compile(options),
    call: { durability: params["durability"] === "async" ? "async" : "sync" },
  };
  const run = side === "floor" ? await floorRun(place, steps) : await engineRun(side, params, program);
  const samples = await sample(runs, Math.ceil(runs / 2), run.once);
  await run.close();
  rmSync(place.path, { force: true });
  return { perStep: (median(samples) / steps) * 1000 };
}

interface Place {
  readonly kind: SaverKind;
  readonly path: string;
}

const placeOf = (params: Params): Place => ({
  kind: textOf(params, "saver") as SaverKind,
  path: textOf(params, "path"),
});

interface Program {
  readonly steps: number;
  compile(lg: LangGraph, options: { readonly checkpointer?: Saver }): Counter;
  /** Options of every run. */
  readonly call?: { readonly durability: "async" | "sync" };
}

interface Counter {
  invoke(input: { readonly count: number }, config: RunnableConfig): Promise<{ readonly count: number }>;
}

interface Run {
  once(): unknown;
  close(): unknown;
}

async function engineRun(side: EngineSide, params: Params, program: Program): Promise<Run> {
  const lg = await loadEngine(engineOf(side, params));
  const { kind, path } = placeOf(params);
  const { saver, close } = await openSaver(side, kind, path);
  const graph = program.compile(lg, saver === undefined ? {} : { checkpointer: saver });
  let thread = 0;
  const once = async (): Promise<void> => {
    thread += 1;
    const config = {
      recursionLimit: program.steps + 5,
      ...program.call,
      // other processes measure on the same database
      configurable: { thread_id: `${process.pid}-${thread}` },
    };
    const { count } = await graph.invoke({ count: 0 }, config);
    if (count !== program.steps) throw new Error(`${side} counted ${count} of ${program.steps} supersteps`);
  };
  return { once, close };
}

/** What the same work costs by hand: call the node, merge, and keep or write the state. */
async function floorRun({ kind, path }: Place, steps: number): Promise<Run> {
  if (kind === "postgres") return rawRows(path, steps);
  const kept = new Map<string, unknown>();
  const database = kind === "sqlite" ? new (await import("libsql")).default(path) : undefined;
  database?.exec(
    "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; CREATE TABLE kept(id INTEGER PRIMARY KEY, body TEXT)",
  );
  const insert = database?.prepare("INSERT INTO kept(body) VALUES (?)");
  const nodes = [() => ({ count: 1, last: "ping" }), () => ({ count: 1, last: "pong" })];
  const once = async (): Promise<void> => {
    let state = { count: 0, last: "" };
    for (let step = 0; step < steps; step += 1) {
      const update = await nodes[step % 2]?.();
      state = { count: state.count + (update?.count ?? 0), last: update?.last ?? "" };
      if (kind === "memory") kept.set(`t:${step}`, { ...state });
      insert?.run(JSON.stringify(state));
    }
  };
  return { once, close: () => database?.close() };
}

/** One row a superstep, by the same driver on the same server. */
async function rawRows(url: string, steps: number): Promise<Run> {
  const { Client } = (await import("pg")).default;
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query("CREATE TABLE IF NOT EXISTS kept (id bigserial PRIMARY KEY, body text)");
  const insert = { name: "keep", text: "INSERT INTO kept (body) VALUES ($1)" };
  const once = async (): Promise<void> => {
    for (let count = 1; count <= steps; count += 1) {
      const last = count % 2 === 1 ? "ping" : "pong";
      await client.query({ ...insert, values: [JSON.stringify({ count, last })] });
    }
  };
  return { once, close: () => client.end() };
}

/** Milliseconds for the first ten supersteps of a process, import not counted. */
export async function coldStart(side: Side): Promise<Figures> {
  if (side === "floor") {
    const start = performance.now();
    const run = await floorRun({ kind: "memory", path: "" }, 10);
    await run.once();
    return { cold: performance.now() - start };
  }
  const lg = await loadEngine(side);
  const start = performance.now();
  await pingPong(lg, 10).compile().invoke({ count: 0 });
  return { cold: performance.now() - start };
}

/** Batches, or milliseconds, that every side is warmed up for: a compiler has seen little after the first. */
const WARM_BATCHES = 12;
const LONGEST_WARM_UP_MS = 10_000;
/** A batch takes a quarter of a second, and of two that follow one another one may take half as long again. */
const IN_FLIGHT_MS = 3_000;

/** Runs of three nodes a second with `width` of them in flight, in the durability that is the default. */
export async function inFlight(side: Side, params: Params): Promise<Figures> {
  const width = numberOf(params, "width");
  const place = placeOf(params);
  const program: Program = { steps: 3, compile: (lg, options) => threeNodes(lg).compile(options) };
  const run =
    side === "floor" ? await floorRun(place, program.steps) : await engineRun(side, params, program);
  const batch = (): Promise<unknown> => Promise.all(Array.from({ length: width }, () => run.once()));
  const samples = await sample(numberOf(params, "batches"), WARM_BATCHES, batch, {
    longest: LONGEST_WARM_UP_MS,
    during: IN_FLIGHT_MS,
  });
  await run.close();
  rmSync(place.path, { force: true });
  return { perSecond: (width / median(samples)) * 1000 };
}
