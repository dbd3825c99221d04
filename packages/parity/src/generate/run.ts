import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import type { Engine } from "../engines.ts";
import { type Plain, plainError } from "../normalise.ts";
import { isInterrupt, Recorder, type Snapshot, type Stateful } from "../recorder.ts";
import type { Run } from "../scenarios/event-streams-kit.ts";
import { build } from "./build.ts";
import { Pace } from "./pace.ts";
import { hasDoubledWrites, withoutOwnParents, withoutStatesOfItsOwn } from "./exits.ts";
import type { Program, Turn } from "./program.ts";

const THREAD = { configurable: { thread_id: "1" } };
/** After its turns, a thread's questions are answered this often; then it is left as it stands. */
const RESUMES = 3;

const UNREADABLE = "the state cannot be read";
const DOUBLED = "a finished task's writes stand twice in the saver";
const HANDED_BACK = "a graph that keeps its state would not be called, but hand back what it has";

/** The graph of one engine, on the program's thread. */
interface Leg {
  readonly engine: Engine;
  readonly graph: Followed & {
    updateState(config: object, values: unknown, asNode?: string): Promise<unknown>;
  };
  /** Of each call. */
  readonly options: object;
}

/** Its runs can also be followed as event streams. */
interface Followed extends Stateful {
  streamEvents(input: unknown, config: object): Promise<Run>;
}

/**
 * Runs a generated program, does with its thread what its turns say, and records streams, states
 * and checkpoints. With two engines, they take turns on the thread.
 */
async function recordProgram(
  program: Program,
  { engines, saves }: Pick<Cast, "engines" | "saves">,
  saver: BaseCheckpointSaver,
  options: object,
): Promise<Plain> {
  const recorder = new Recorder();
  const legs: Leg[] = [];
  const pace = new Pace(saves);
  try {
    for (const engine of engines)
      legs.push({ engine, graph: build(engine.lg, program, saver, pace) as Leg["graph"], options });
  } catch (error) {
    recorder.note("refused to build", plainError(error));
    return recorder.recording();
  }
  const leg = (turn: number): Leg => legs[turn % legs.length] as Leg;
  await drive(recorder, leg(0), { list: ["in"], sum: 0 }, THREAD, program);
  const turns = [...program.turns, ...Array.from({ length: RESUMES }, (): Turn => ({ kind: "answer" }))];
  for (const [index, turn] of turns.entries()) {
    await nextMillisecond();
    if (!(await take(recorder, leg(index + 1), turn, index, program, saver))) break;
    if (await hasDoubledWrites(saver, THREAD)) recorder.note(DOUBLED, true);
  }
  await recorder.saved(saver, THREAD.configurable.thread_id);
  return recorder.recording();
}

/** Ids of LangGraph's checkpoints are in order within one process of its own, others' only by time. */
async function nextMillisecond(): Promise<void> {
  for (const now = Date.now(); Date.now() === now;) await new Promise(setImmediate);
}

/** One turn; false when nothing is left to do. */
async function take(
  recorder: Recorder,
  leg: Leg,
  turn: Turn,
  index: number,
  program: Program,
  saver: BaseCheckpointSaver,
): Promise<boolean> {
  const { engine, graph } = leg;
  const state = await stateOf(recorder, graph);
  if (state === undefined) return false;
  if (turn.kind === "update") {
    // LangGraph takes the join once more that a finished task followed, and forgets the deferred node:
    // docs/decisions/2026-11-21-update-of-a-half-finished-step.md
    const counts = program.joins.length > 0 || program.nodes.some(({ defer }) => defer);
    if (counts && state.tasks.some(({ result }) => result !== undefined)) return true;
    const as = turn.as === undefined ? undefined : `n${turn.as}`;
    try {
      await graph.updateState(THREAD, { list: [`update ${index}`], sum: turn.adds }, as);
    } catch (error) {
      recorder.note("update refused", plainError(error));
    }
    return true;
  }
  if (turn.kind === "back") {
    const all = await recorder.history(graph, THREAD);
    const old = all[Math.min(turn.steps, all.length - 1)];
    if (old !== undefined) await drive(recorder, leg, null, old.config, program);
    return true;
  }
  if (await handsBack(saver, state)) {
    recorder.note(HANDED_BACK, true);
    return false;
  }
  const questions = state.tasks.flatMap((task) => task.interrupts);
  if (questions.length > 0) {
    const answered = turn.kind === "go" && turn.answers === "first" ? questions.slice(0, 1) : questions;
    const resume = Object.fromEntries(
      answered.map(({ id, value }) => [String(id), `${String(value)} yes ${index}`]),
    );
    await drive(recorder, leg, new engine.lg.Command({ resume }), THREAD, program);
    return true;
  }
  if (turn.kind === "answer") return false;
  const input = state.next.length > 0 ? null : { list: [`again ${index}`], sum: 1 };
  await drive(recorder, leg, input, THREAD, program);
  return true;
}

/**
 * Whether LangGraph would go on with a subgraph that keeps its state, for a task that has not called it yet:
 * docs/decisions/2026-11-21-resume-within-subgraphs.md
 */
async function handsBack(saver: BaseCheckpointSaver, { tasks, config }: Snapshot): Promise<boolean> {
  for (const { name, result } of tasks) {
    if (result !== undefined) continue;
    const kept = await saver.getTuple({ configurable: { ...THREAD.configurable, checkpoint_ns: name } });
    if (kept === undefined) continue;
    if (kept.metadata?.parents?.[""] !== config.configurable?.["checkpoint_id"]) return true;
  }
  return false;
}

/** Every second program is followed as an event stream, the others by stream modes. */
const isFollowedByEvents = ({ recursionLimit }: Program): boolean => recursionLimit % 2 === 0;

async function drive(
  recorder: Recorder,
  { graph, options }: Leg,
  input: unknown,
  place: object,
  program: Program,
): Promise<void> {
  const { recursionLimit } = program;
  const config = { ...place, ...options, recursionLimit };
  const chunks: [string, unknown][] = [];
  const byEvents = isFollowedByEvents(program);
  const told = byEvents
    ? eventsOf(graph, input, { ...config, version: "v3" })
    : chunksOf(graph, input, { ...config, streamMode: ["updates", "values"] });
  const stages: string[] = [];
  try {
    for await (const chunk of told) {
      if (chunk[0] === "lifecycle") stages.push(String(chunk[1]));
      else chunks.push(chunk);
    }
    // nothing but the clock tells which of two subgraphs of a step ends first
    if (byEvents) recorder.note("lifecycle", stages.toSorted());
  } catch (error) {
    recorder.note("failed", plainError(error));
  }
  recorder.noteSteps("stream", chunks);
}

async function* chunksOf(graph: Followed, input: unknown, config: object): AsyncGenerator<[string, unknown]> {
  for await (const chunk of await graph.stream(input, config)) yield chunk as [string, unknown];
}

/** What mode "updates" and "values" would show of the root graph, and how each graph began and ended. */
async function* eventsOf(graph: Followed, input: unknown, config: object): AsyncGenerator<[string, unknown]> {
  for await (const { method, params } of await graph.streamEvents(input, config)) {
    const data = params.data as Record<string, unknown>;
    if (method === "lifecycle") {
      // docs/decisions/2026-11-22-event-streams.md
      const event = data["event"] === "interrupted" ? "completed" : String(data["event"]);
      yield ["lifecycle", `${event} ${String(data["graph_name"])} at ${params.namespace.length}`];
    } else if (params.namespace.length === 0 && (method === "updates" || method === "values")) {
      yield [method, data];
    }
  }
}

/**
 * The state, as it is recorded. LangGraph's getState throws where the writes of an unfinished step
 * do not fit together; ours reads it.
 */
async function stateOf(recorder: Recorder, graph: Stateful): Promise<Snapshot | undefined> {
  try {
    return await recorder.state(graph, THREAD);
  } catch (error) {
    recorder.note(UNREADABLE, plainError(error));
    return undefined;
  }
}

type Recording = readonly { readonly what: string; readonly saw: Plain }[];

/** An empty saver for one program. */
export type OpenSaver = () => { readonly saver: BaseCheckpointSaver; close(): unknown };

/** Which engines play a program, and in whose saver its thread stands. */
export interface Cast {
  readonly engines: readonly [Engine, ...Engine[]];
  readonly saver: OpenSaver;
  /** Both sides keep the pace of this one. */
  readonly saves?: "at once" | "far away" | undefined;
  /** Of all calls, on both sides. */
  readonly durability?: "sync" | "async" | "exit";
  /** Whether checkpoints are compared as they are saved; savers may leave out values that are defaults. */
  readonly asSaved: boolean;
}

/** What two casts recorded of a program, up to where the original can tell no more. */
export async function recordBoth(
  generated: Program,
  mine: Cast,
  theirs: Cast,
): Promise<{ mine: Recording; theirs: Recording }> {
  const exits = mine.durability === "exit";
  // what LangGraph makes of an update of a half-finished step depends on the saver:
  // docs/decisions/2026-11-21-update-of-a-half-finished-step.md
  const updated = mine.asSaved ? generated : withoutUpdates(generated);
  const program = exits ? withoutStatesOfItsOwn(updated) : updated;
  const options = mine.durability === undefined ? {} : { durability: mine.durability };
  const expected = await recordCast(program, { ...theirs, saves: mine.saves }, options);
  const got = await recordCast(program, mine, options);
  const unreadable = expected.findIndex(({ what }) => what === UNREADABLE || (exits && what === DOUBLED));
  const end = unreadable < 0 ? undefined : unreadable;
  const asSaved = mine.asSaved && !exits && !program.turns.some(({ kind }) => kind === "update");
  const compared = (recording: Recording): Recording =>
    withoutTails(recording, expected)
      .slice(0, end)
      .filter(({ what }) => asSaved || what !== "saved");
  const both = { mine: compared(got), theirs: compared(expected) };
  if (!exits) return both;
  const [left, right] = withoutOwnParents(both.mine as unknown as Plain, both.theirs as unknown as Plain);
  return { mine: left as unknown as Recording, theirs: right as unknown as Recording };
}

async function recordCast(program: Program, cast: Cast, options: object): Promise<Recording> {
  const { saver, close } = cast.saver();
  try {
    return (await recordProgram(program, cast, saver, options)) as unknown as Recording;
  } finally {
    await close();
  }
}

function withoutUpdates(program: Program): Program {
  return { ...program, turns: program.turns.filter(({ kind }) => kind !== "update") };
}

/**
 * When a run fails, LangGraph's stream drops the chunks that nobody has read yet, so that it depends
 * on timing where it ends. Streams of failed runs are compared up to its last whole step.
 */
function withoutTails(recording: Recording, theirs: Recording): Recording {
  return recording.map((observation, index) => {
    if (observation.what !== "stream" || theirs[index - 1]?.what !== "failed") return observation;
    const chunks = theirs[index]?.saw as [string, Plain][];
    const whole = chunks.findLastIndex(([mode, chunk]) => mode === "values" && !isInterrupt(chunk)) + 1;
    return { ...observation, saw: (observation.saw as Plain[]).slice(0, whole) };
  });
}
