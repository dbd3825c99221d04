import { Overwrite } from "../channels/overwrite.ts";
import { apply, assertApplicable, type Contribution } from "../engine/apply.ts";
import type { Snapshot } from "../engine/snapshot.ts";
import { INPUT, INTERRUPT, NULL_TASK_ID, RESUME, TASKS } from "../ids/names.ts";
import { isSame } from "../ids/same.ts";
import type { Write } from "../program/program.ts";
import { hasAnswer, withAnswer } from "./questions.ts";
import type { Run } from "./run.ts";
import type { TaskOutput } from "./storage.ts";

type Pending = Run["pending"];

/** What commands wrote under the checkpoint, in their order. */
function writtenByCommands(pending: Pending): Write[] {
  return pending.filter(([task]) => task === NULL_TASK_ID).map(([, c, v]): Write => [c, v]);
}

/** Applies what commands wrote: that changes what it names, and what was to run before is to run all the same. */
export function applyCommand(snapshot: Snapshot, pending: Pending): void {
  const writes = writtenByCommands(pending);
  if (writes.length === 0) return;
  for (const turn of inTurn(snapshot, [...waitingSends(snapshot, writes), ...writes]))
    apply(snapshot, [turn]);
  snapshot.updated = undefined;
}

/**
 * Puts what a command wrote behind what other commands have written under the checkpoint. At an older checkpoint
 * it begins a branch, and what began other branches there is none of it.
 *
 * @param answered - the tasks that it answers
 * @returns what is to be stored there
 * @throws InvalidUpdateError where it does not fit
 */
export function takeWrites(run: Run, given: readonly Write[], answered: readonly string[]): TaskOutput[] {
  const { snapshot, session, pending } = run;
  const made = given.filter((write) => !isAnswer(write));
  const commands = writtenByCommands(pending);
  const stored = commands.filter((write) => !isAnswer(write));
  const isOld = session?.stored !== undefined && session.headId !== snapshot.checkpointId;
  const stand = isOld ? [] : stored;
  const isAgain = isSentAgain(run, stand, made, answered);
  const news = isAgain ? [] : siblingsFirst(snapshot, made);
  // a thread that stores what does not fit together could not be read again
  if (!isAgain) assertCommands(snapshot, stand, made);
  assertApplicable(snapshot, ...inTurn(snapshot, [...stand, ...news]).map((turn) => [turn]));
  const answer = given.find(isAnswer);
  const others = pending.filter(([task]) => task !== NULL_TASK_ID);
  for (const [channel, value] of [...stand, ...news]) others.push([NULL_TASK_ID, channel, value]);
  if (answer !== undefined) others.push([NULL_TASK_ID, ...answer]);
  run.pending = others;
  const marks = made.length === 0 || isOld ? [] : marksOf(pending, answered);
  return [...marks, { taskId: NULL_TASK_ID, writes: kept() }];

  function kept(): readonly Write[] {
    // in the order in which LangGraph stores a command
    if (stored.length === 0) return siblingsFirst(snapshot, given);
    const last = answer ?? commands.find(isAnswer);
    return [...(isOld ? [] : [...stand, ...news]), ...(last === undefined ? [] : [last])];
  }
}

/** Their questions, marked as answered by a command that brings something along. Who asks on asks without the mark. */
function marksOf(pending: Pending, answered: readonly string[]): TaskOutput[] {
  return pending
    .filter(([task, channel]) => channel === INTERRUPT && answered.includes(task))
    .map(([taskId, , question]) => ({ taskId, writes: [[INTERRUPT, withAnswer(question)]] }));
}

/** Sends of the step that is not through, which those of a command come behind: by its place each knows what it has written. */
function waitingSends(snapshot: Snapshot, writes: readonly Write[]): Write[] {
  const sends = snapshot.slot(TASKS)?.channel;
  if (!writes.some(([channel]) => channel === TASKS) || sends?.isAvailable() !== true) return [];
  return (sends.get() as unknown[]).map((send): Write => [TASKS, send]);
}

const isAnswer = ([channel]: Write): boolean => channel === RESUME;
const isAnew = ([, value]: Write): boolean => Overwrite.isInstance(value);

/**
 * Within one step an Overwrite wins over its siblings, wherever it stands; one whose channel has a history comes
 * behind them, because the history has them all the same.
 */
function siblingsFirst(snapshot: Snapshot, writes: readonly Write[]): Write[] {
  const anew = writes.filter(isAnew);
  const channels = new Set(anew.map(([channel]) => channel));
  const counts = ([channel]: Write): boolean =>
    !channels.has(channel) || snapshot.slot(channel)?.channel.echo !== undefined;
  return [...writes.filter((write) => !isAnew(write) && counts(write)), ...anew];
}

/**
 * @param made - what one command writes, at once, behind what others wrote
 * @throws InvalidUpdateError for what could not be applied; the snapshot stays as it is
 */
function assertCommands(snapshot: Snapshot, stand: readonly Write[], made: readonly Write[]): void {
  const before = inTurn(snapshot, stand).map((turn) => [turn]);
  assertApplicable(snapshot, ...before, [{ name: INPUT, triggers: [], writes: made }]);
}

/**
 * What commands wrote as updates, one after the other: each ends, for a key, with the Overwrite that wins over
 * what stands before it there. Of a key that holds one value the last is left.
 */
function inTurn(snapshot: Snapshot, writes: readonly Write[]): Contribution[] {
  const last = new Map(writes.map(([channel], at) => [channel, at]));
  const turnOf = new Map<string, number>();
  const turns: Write[][] = [[]];
  for (const [at, write] of writes.entries()) {
    const [channel, value] = write;
    const takesOne = snapshot.slot(channel)?.channel.takesOneWrite === true;
    if (takesOne && last.get(channel) !== at) continue;
    const turn = turnOf.get(channel) ?? 0;
    (turns[turn] ??= []).push(write);
    if (Overwrite.isInstance(value)) turnOf.set(channel, turn + 1);
  }
  return turns.map((some) => ({ name: INPUT, triggers: [], writes: some }));
}

/**
 * Whether a command was sent before: it says what stands, and answers somebody who has not asked on since, because
 * the call failed, was cut off or died.
 */
function isSentAgain(
  { snapshot, pending }: Run,
  stand: readonly Write[],
  made: readonly Write[],
  answered: readonly string[],
): boolean {
  const open = pending.filter(([task, channel]) => channel === INTERRUPT && answered.includes(task));
  if (made.length === 0 || !open.some(([, , question]) => hasAnswer(question))) return false;
  const writes = siblingsFirst(snapshot, made);
  const isAt = (from: number): boolean =>
    writes.every(([channel, value], i) => {
      const before = stand[from + i];
      if (before?.[0] !== channel) return false;
      const slot = snapshot.slot(channel);
      return slot === undefined ? isSame(value, before[1]) : slot.channel.repeats(value, before[1]);
    });
  return stand.some((_, from) => isAt(from));
}
