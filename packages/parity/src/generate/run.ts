import type { Engine } from "../engines.ts";
import { type Plain, plainError } from "../normalise.ts";
import { inTaskOrder, Recorder, type Stateful } from "../recorder.ts";
import { build } from "./build.ts";
import type { Program } from "./program.ts";

const THREAD = { configurable: { thread_id: "1" } };
/** Questions are answered this often; then the thread is left as it stands. */
const RESUMES = 3;

const UNREADABLE = "the state cannot be read";

interface Question {
  readonly id: string;
  readonly value: string;
}

/** Runs a generated program, answers its questions, and records streams, state and checkpoints. */
export async function recordProgram(program: Program, engine: Engine): Promise<Plain> {
  const recorder = new Recorder();
  const saver = recorder.saver();
  let graph: Stateful;
  try {
    graph = build(engine.lg, program, saver);
  } catch (error) {
    recorder.note("refused to build", plainError(error));
    return recorder.recording();
  }
  await drive(recorder, graph, { list: ["in"], sum: 0 }, program.recursionLimit);
  for (let answered = 0; answered < RESUMES; answered += 1) {
    const questions = await openQuestions(recorder, graph);
    if (questions.length === 0) break;
    const resume = Object.fromEntries(questions.map(({ id, value }) => [id, `${value} yes ${answered}`]));
    await drive(recorder, graph, new engine.lg.Command({ resume }), program.recursionLimit);
  }
  await recorder.saved(saver, THREAD.configurable.thread_id);
  return recorder.recording();
}

async function drive(recorder: Recorder, graph: Stateful, input: unknown, limit: number): Promise<void> {
  const chunks: [string, unknown][] = [];
  const config = { ...THREAD, recursionLimit: limit, streamMode: ["updates", "values"] };
  try {
    for await (const chunk of await graph.stream(input, config)) chunks.push(chunk as [string, unknown]);
  } catch (error) {
    recorder.note("failed", plainError(error));
  }
  recorder.note("stream", inTaskOrder(chunks));
}

/**
 * Open questions, and the state as a side effect. LangGraph's getState throws where the writes of
 * an unfinished step do not fit together; ours reads it.
 */
async function openQuestions(recorder: Recorder, graph: Stateful): Promise<Question[]> {
  let snapshot: { tasks: { interrupts: Question[] }[] };
  try {
    snapshot = (await graph.getState(THREAD)) as typeof snapshot;
  } catch (error) {
    recorder.note(UNREADABLE, plainError(error));
    return [];
  }
  recorder.note("state", snapshot);
  return snapshot.tasks.flatMap((task) => task.interrupts);
}

type Recording = readonly { readonly what: string; readonly saw: Plain }[];

/** What both engines recorded of a program, up to where the original can tell no more. */
export async function recordBoth(
  program: Program,
  ours: Engine,
  oracle: Engine,
): Promise<{ mine: Recording; theirs: Recording }> {
  const theirs = (await recordProgram(program, oracle)) as unknown as Recording;
  const mine = (await recordProgram(program, ours)) as unknown as Recording;
  const unreadable = theirs.findIndex(({ what }) => what === UNREADABLE);
  const end = unreadable < 0 ? undefined : unreadable;
  return {
    mine: withoutTails(mine, theirs).slice(0, end),
    theirs: withoutTails(theirs, theirs).slice(0, end),
  };
}

/**
 * When a run fails, LangGraph's stream drops the chunks that nobody has read yet, so that it depends
 * on timing where it ends. Streams of failed runs are compared up to its last whole step.
 */
function withoutTails(recording: Recording, theirs: Recording): Recording {
  return recording.map((observation, index) => {
    if (observation.what !== "stream" || theirs[index - 1]?.what !== "failed") return observation;
    const chunks = theirs[index]?.saw as [string, Plain][];
    const whole = chunks.findLastIndex(([mode]) => mode === "values") + 1;
    return { ...observation, saw: (observation.saw as Plain[]).slice(0, whole) };
  });
}
