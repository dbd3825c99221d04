import { GraphError } from "@skein/errors";
import { plan } from "../engine/plan.ts";
import type { Interrupt } from "../errors/signals.ts";
import { INTERRUPT, NULL_TASK_ID, RESUME } from "../ids/names.ts";
import { isXxh3 } from "../ids/xxh3.ts";
import type { Command } from "../program/command.ts";
import { ANSWERS, foreignTask } from "../task/config.ts";
import type { Resume } from "../task/runtime.ts";
import type { Asked } from "./commands.ts";
import { unfinished } from "./pending.ts";
import { questionsIn } from "./questions.ts";
import type { Run } from "./run.ts";

/** Answers by interrupt id, if that is what a command's `resume` is. */
export function answersById(command: Command): Record<string, unknown> | undefined {
  const { resume } = command;
  if (typeof resume !== "object" || resume === null || Array.isArray(resume)) return undefined;
  const ids = Object.keys(resume);
  return ids.length > 0 && ids.every(isXxh3) ? (resume as Record<string, unknown>) : undefined;
}

/** What tasks are to be answered with: this resume's answers, and those they took before. */
export function resumeOf(
  run: Run,
  map: Readonly<Record<string, unknown>> | undefined,
  isNew: boolean,
): Resume {
  const byTask = new Map<string, unknown[]>();
  const { parent } = run.options;
  const given = parent?.scope.resume;
  let single = given?.single;
  for (const [task, channel, value] of run.pending) {
    if (channel !== RESUME) continue;
    if (task === NULL_TASK_ID) single ??= { value, taken: false, isNew, asked: waitingIds(run) };
    else byTask.set(task, Array.isArray(value) ? value : [value]);
  }
  const { configurable } = run.options.config;
  const foreign = foreignTask(configurable, parent);
  const asked = foreign && waitingIds(run);
  if (asked !== undefined && asked.size > 0) {
    const value = foreign?.consumeNullResume();
    if (value !== undefined) single ??= { value, taken: false, isNew: true, asked };
  }
  return { single, map: map ?? given?.map ?? (configurable[ANSWERS] as Resume["map"]), byTask };
}

/** @throws GraphError when there is nothing to resume, or more than one answer is needed */
export function assertResumable(run: Run, map: Record<string, unknown> | undefined): void {
  if (run.session === undefined) {
    throw new GraphError(
      "MISSING_CHECKPOINTER",
      "Cannot resume without a checkpointer. Pass {checkpointer} to compile().",
    );
  }
  const waiting = waitingIds(run);
  const pendingTasks = run.snapshot.version === undefined ? [] : plan(run.snapshot, run.options.namespace);
  if (pendingTasks.length === 0 && run.options.parent === undefined) {
    throw new GraphError(
      "NOTHING_TO_RESUME",
      "This thread does not wait for anything. Start a turn with an input instead of Command({resume}).",
      { details: { threadId: run.options.threadId } },
    );
  }
  if (map !== undefined) assertAnswers(run, map, waiting);
  if (map === undefined && waiting.size > 1) {
    throw ambiguousAnswer([...waiting]);
  }
}

/** An answer that names no question, where several wait. */
export function ambiguousAnswer(ids: readonly (string | undefined)[]): GraphError {
  return new GraphError(
    "AMBIGUOUS_RESUME",
    `${ids.length} interrupts wait for an answer. Answer them by id: Command({resume: {[interrupt.id]: value}}).`,
    { details: { ids } },
  );
}

/** @throws GraphError when all answers are for questions that nobody asked in this step */
function assertAnswers(
  { options, pending }: Run,
  map: Readonly<Record<string, unknown>>,
  waiting: ReadonlySet<string | undefined>,
): void {
  // at a breakpoint nobody asks, and a question may be older than ids
  if (waiting.size === 0 || waiting.has(undefined)) return;
  // snapshots list the questions of finished tasks until their step ends: answered twice is no mistake
  const asked = idsOf(pending);
  if (Object.keys(map).some((id) => asked.has(id))) return;
  throw new GraphError(
    "NOTHING_TO_RESUME",
    `None of these answers is for an interrupt that waits. Those that wait: ${[...waiting].join(", ")}.`,
    { details: { threadId: options.threadId, ids: Object.keys(map), waiting: [...waiting] } },
  );
}

/** Interrupts of tasks that have not finished since. */
function waitingIds({ pending }: Run): Set<string | undefined> {
  return idsOf(unfinished(pending));
}

/** The questions that a command answers. */
export function askedBefore(run: Run, command: Command, map: Record<string, unknown> | undefined): Asked {
  const ids = map && Object.keys(map).toSorted();
  if (command.resume === undefined) return { questions: [], ids };
  const isAsked = (stored: unknown): boolean =>
    map === undefined || questionsIn(stored).some(({ id }) => id !== undefined && Object.hasOwn(map, id));
  const questions = unfinished(run.pending).filter(
    ([, channel, stored]) => channel === INTERRUPT && isAsked(stored),
  );
  return { questions, ids };
}

/** Ids of the interrupts among these writes; those of older threads have none. */
function idsOf(pending: Run["pending"]): Set<string | undefined> {
  return new Set(questionsOf(pending).map(({ id }) => id));
}

/** Questions among writes. */
export function questionsOf(pending: Run["pending"]): Interrupt[] {
  return pending.flatMap(([, channel, stored]) => (channel === INTERRUPT ? questionsIn(stored) : []));
}
