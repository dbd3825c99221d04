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

/** What both engines recorded of a program, up to where the original can tell no more. */
export async function recordBoth(
  program: Program,
  ours: Engine,
  oracle: Engine,
): Promise<{ mine: Plain; theirs: Plain }> {
  const theirs = (await recordProgram(program, oracle)) as { what: string; saw: Plain }[];
  const mine = (await recordProgram(program, ours)) as typeof theirs;
  const end = theirs.findIndex(({ what }) => what === UNREADABLE);
  return end < 0 ? { mine, theirs } : { mine: mine.slice(0, end), theirs: theirs.slice(0, end) };
}
