import * as fc from "fast-check";
import type { LangGraph } from "../engines.ts";
import { plainError, sortedBy } from "../normalise.ts";
import type { Recorder, Snapshot, Stateful } from "../recorder.ts";
import { type Scenario, scenario } from "../scenario.ts";
import { leaves, thread, trailState } from "../scenarios/kit.ts";
import { Pace } from "./pace.ts";

/** A workflow of the functional API as data: what its entrypoint does, and what is done with its thread. */
export interface Workflow {
  readonly steps: readonly Step[];
  /** Whether it returns one value and saves another. */
  readonly savesApart: boolean;
  readonly durability: "sync" | "async";
  readonly turns: readonly Turn[];
}

type Step =
  | { readonly kind: "call"; readonly call: Call }
  | { readonly kind: "together"; readonly calls: readonly Call[] }
  /** The entrypoint asks by itself. */
  | { readonly kind: "ask" }
  | { readonly kind: "tell" }
  | { readonly kind: "remember" };

/** A call of a task. */
interface Call {
  readonly waits: number;
  readonly failures: number;
  readonly retries: boolean;
  readonly asks: boolean;
  /** Calls of tasks or of a graph that it makes itself. */
  readonly inner: readonly Call[] | "graph";
}

type Turn =
  | { readonly kind: "go"; readonly answers: "all" | "first" }
  | { readonly kind: "update" }
  | { readonly kind: "back"; readonly steps: number };

const rarely = (oneIn: number) => fc.nat({ max: oneIn - 1 }).map((dice) => dice === 0);

const callOf = (inner: fc.Arbitrary<Call["inner"]>): fc.Arbitrary<Call> =>
  fc
    .record({
      waits: fc.nat({ max: 2 }),
      fails: rarely(6),
      failures: fc.integer({ min: 1, max: 2 }),
      retries: fc.boolean(),
      asks: rarely(5),
      inner,
    })
    .map(({ fails, failures, ...one }) => ({
      ...one,
      failures: fails ? failures : 0,
      // there, a call that fails within a task that would be tried again ends the run all the same
      inner: one.retries && one.inner !== "graph" ? one.inner.map(unfailing) : one.inner,
    }));

const unfailing = (one: Call): Call => ({
  ...one,
  failures: 0,
  inner: one.inner === "graph" ? one.inner : one.inner.map(unfailing),
});

/**
 * Of calls that run together only one fails or asks: LangGraph hears one question of several, and its
 * run fails although the caller may catch it (docs/decisions/2026-11-21-calls-of-tasks.md).
 */
const quietBut = (place: number, calls: readonly Call[]): Call[] =>
  calls.map((one, index) => (index === place % calls.length ? one : quiet(one)));

const quiet = (one: Call): Call => ({
  ...one,
  failures: 0,
  asks: false,
  inner: one.inner === "graph" ? one.inner : one.inner.map(quiet),
});

const together = (one: fc.Arbitrary<Call>, minLength: number, maxLength: number): fc.Arbitrary<Call[]> =>
  fc
    .tuple(fc.nat({ max: maxLength - 1 }), fc.array(one, { minLength, maxLength }))
    .map(([place, calls]) => quietBut(place, calls));

const innermost = callOf(fc.constantFrom<Call["inner"]>([], [], [], "graph"));
const call = callOf(
  fc.oneof(
    { weight: 4, arbitrary: fc.constant<Call["inner"]>([]) },
    { weight: 2, arbitrary: together(innermost, 1, 2) },
    { weight: 1, arbitrary: fc.constant<Call["inner"]>("graph") },
  ),
);

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: call.map((one): Step => ({ kind: "call", call: one })) },
  {
    weight: 3,
    arbitrary: together(call, 2, 3).map((calls): Step => ({ kind: "together", calls })),
  },
  { weight: 1, arbitrary: fc.constantFrom<Step>({ kind: "ask" }, { kind: "tell" }, { kind: "remember" }) },
);

const turn: fc.Arbitrary<Turn> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ kind: fc.constant("go" as const), answers: fc.constantFrom("all", "first") }),
  },
  { weight: 1, arbitrary: fc.constant<Turn>({ kind: "update" }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("back" as const), steps: fc.nat({ max: 3 }) }) },
);

export const workflows: fc.Arbitrary<Workflow> = fc.record({
  steps: fc.array(step, { minLength: 1, maxLength: 4 }),
  savesApart: fc.boolean(),
  durability: fc.constantFrom("sync", "async"),
  turns: fc.array(turn, { minLength: 2, maxLength: 5 }),
});

const POLICY = {
  retry: { maxAttempts: 2, initialInterval: 0, jitter: false, logWarning: false },
};

type Run = (input: unknown, config: object) => Promise<void>;
type Runs = Stateful & { updateState(config: object, values: unknown): Promise<unknown> };

/** The workflow on an engine, turn after turn on one thread: what it streams, ends with and stores. */
export const workflowScenario = (workflow: Workflow): Scenario =>
  scenario("a generated workflow", async (lg, t) => {
    const saver = t.saver();
    const pace = new Pace();
    const graph = lg.entrypoint({ name: "workflow", checkpointer: saver }, async (input: string) => {
      const log: unknown[] = [input];
      for (const [index, one] of workflow.steps.entries()) log.push(await played(lg, one, `${index}`, pace));
      if (!workflow.savesApart) return log;
      return lg.entrypoint.final({ value: log, save: [`saved of ${input}`] });
    }) as unknown as Runs;
    const { durability } = workflow;
    const run: Run = (input, config) => drive(t, graph, input, { ...config, durability });
    const stage: Stage = { lg, t, graph, run };
    await run("in", thread("1"));
    for (const [index, one] of workflow.turns.entries()) await take(stage, one, index);
    await stateOf(stage);
    if (!hasFailures(workflow)) await t.saved(saver, "1");
  });

const hasFailures = ({ steps }: Workflow): boolean => /"failures":[12]/.test(JSON.stringify(steps));

async function played(lg: LangGraph, step: Step, name: string, pace: Pace): Promise<unknown> {
  if (step.kind === "call") return start(lg, step.call, name, pace);
  if (step.kind === "together") {
    return Promise.all(step.calls.map((one, index) => start(lg, one, `${name}.${index}`, pace)));
  }
  if (step.kind === "ask") return lg.interrupt<string, string>(`${name}?`);
  if (step.kind === "remember") return lg.getPreviousState<unknown[]>() ?? "nothing";
  lg.getWriter()?.(`${name} tells`);
  return "told";
}

/** Names of tasks are those of their places, so that failures are counted apart. */
function start(lg: LangGraph, call: Call, name: string, pace: Pace): Promise<unknown> {
  const { waits, failures, retries, asks, inner } = call;
  const task = lg.task({ name: `t${name}`, ...(retries ? POLICY : {}) }, async (given: string) => {
    const rank = Number.parseInt(name.replaceAll(".", "").padEnd(4, "0"), 10);
    await pace.trouble(name, rank, failures);
    // a task that waits for others is not at work: one of them may be about to fail
    await pace.work(async () => {
      for (let tick = 0; tick < waits; tick += 1) await new Promise(setImmediate);
    });
    const answer = asks ? lg.interrupt<string, string>(`${given}?`) : "";
    if (inner === "graph") return [given, answer, await graphOf(lg, name).invoke({ trail: [given] })];
    const calls = inner.map((one, index) => start(lg, one, `${name}.${index}`, pace));
    return [given, answer, await Promise.all(calls)];
  });
  return task(`call ${name}`);
}

function graphOf(lg: LangGraph, name: string) {
  return new lg.StateGraph(trailState(lg))
    .addNode("a", leaves(`a of ${name}`))
    .addNode("b", leaves(`b of ${name}`))
    .addEdge(lg.START, "a")
    .addEdge("a", "b")
    .compile();
}

interface Stage {
  readonly lg: LangGraph;
  readonly t: Recorder;
  readonly graph: Runs;
  readonly run: Run;
}

async function take(stage: Stage, turn: Turn, index: number): Promise<void> {
  const { lg, t, graph, run } = stage;
  const state = await stateOf(stage);
  if (turn.kind === "update") {
    if (state.tasks.length === 0) await graph.updateState(thread("1"), [`update ${index}`]);
    return;
  }
  if (turn.kind === "back") {
    const all: Snapshot[] = [];
    for await (const one of graph.getStateHistory(thread("1"))) all.push(one as Snapshot);
    t.note("history", all.map(compared));
    return run(null, (all[Math.min(turn.steps, all.length - 1)] as Snapshot).config);
  }
  const questions = state.tasks.flatMap(({ interrupts }) => interrupts);
  if (questions.length === 0) return run(state.tasks.length > 0 ? null : `again ${index}`, thread("1"));
  const answered = turn.answers === "first" ? questions.slice(0, 1) : questions;
  const resume = Object.fromEntries(
    answered.map(({ id, value }) => [String(id), `${String(value)} yes ${index}`]),
  );
  return run(new lg.Command({ resume }), thread("1"));
}

/**
 * What has answered one of its questions is not in `next` there
 * (docs/decisions/2026-11-21-next-names-what-waits.md), and what waits for a call that fails may be
 * stored as aborted.
 */
const compared = (snapshot: Snapshot): object => ({
  ...snapshot,
  next: null,
  tasks: snapshot.tasks.map((task) => ({ ...task, error: "error" in task })),
});

async function stateOf({ t, graph }: Stage): Promise<Snapshot> {
  const snapshot = (await graph.getState(thread("1"))) as Snapshot;
  t.note("state", compared(snapshot));
  return snapshot;
}

const MODES = ["updates", "values", "custom"] as const;

/** Notes chunks by mode, in a fixed order: tasks that run together end in any. */
async function drive(t: Recorder, graph: Runs, input: unknown, config: object): Promise<void> {
  const seen = new Map<string, unknown[]>(MODES.map((mode) => [mode, []]));
  try {
    for await (const chunk of await graph.stream(input, { ...config, streamMode: [...MODES] })) {
      const [mode, told] = chunk as [string, unknown];
      seen.get(mode)?.push(told);
    }
  } catch (error) {
    // of a failed run LangGraph drops what nobody has read yet
    const { errors = [error as Error] } = error as { errors?: Error[] };
    return t.note("failed", plainError(errors.find(({ message }) => message.startsWith("user: ")) ?? error));
  }
  t.note(
    "stream",
    Object.fromEntries(
      [...seen].map(([mode, told]) => [mode, sortedBy(told, (chunk) => JSON.stringify(chunk))] as const),
    ),
  );
}
