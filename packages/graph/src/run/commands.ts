import { valueOf } from "../channels/base.ts";
import { Overwrite } from "../channels/overwrite.ts";
import { apply, assertApplicable, type Contribution } from "../engine/apply.ts";
import type { Snapshot } from "../engine/snapshot.ts";
import { INPUT, INTERRUPT, NULL_TASK_ID, RESUME, TASKS } from "../ids/names.ts";
import { isSame } from "../ids/same.ts";
import type { Write } from "../program/program.ts";
import { isBehind } from "./open.ts";
import { unfinished } from "./pending.ts";
import { answerTo, withAnswer } from "./questions.ts";
import type { Run } from "./run.ts";
import type { TaskOutput } from "./storage.ts";

type Pending = Run["pending"];

/** What commands wrote under the checkpoint, in their order. */
function writtenByCommands(pending: Pending): Write[] {
  return pending.filter(([task]) => task === NULL_TASK_ID).map(([, c, v]): Write => [c, v]);
}

/**
 * Applies what commands wrote: that changes what it names, and what was to run before is to run all the same.
 *
 * @param goesOn - the step is gone on with; else its Sends are given up for those of a command. Default: true
 */
export function applyCommand(snapshot: Snapshot, pending: Pending, goesOn = true): void {
  const writes = writtenByCommands(pending);
  if (writes.length === 0) return;
  const sends = goesOn ? waitingSends(snapshot, writes) : [];
  for (const turn of inTurn(snapshot, [...sends, ...writes])) apply(snapshot, [turn]);
  snapshot.updated = undefined;
}

/** Sends of the step that is not through, which those of a command come behind: by its place each knows what it has written. */
function waitingSends(snapshot: Snapshot, writes: readonly Write[]): Write[] {
  if (!writes.some(([channel]) => channel === TASKS)) return [];
  const sends = (valueOf(snapshot.slot(TASKS)?.channel) ?? []) as readonly unknown[];
  return sends.map((send) => [TASKS, send]);
}

/** What a command answers: questions as they are pending, and the ids that it names, if it names any. */
export interface Asked {
  readonly questions: Pending;
  readonly ids: readonly string[] | undefined;
}

/**
 * Puts what a command wrote behind what other commands have written under the checkpoint.
 *
 * @returns what is to be stored there
 * @throws InvalidUpdateError where it does not fit
 */
export function takeWrites(run: Run, given: readonly Write[], asked: Asked): TaskOutput[] {
  const { snapshot, pending } = run;
  const commands = writtenByCommands(pending);
  const stored = commands.filter((write) => !isAnswer(write));
  const stand = beginsBranch(run) ? [] : stored;
  const made = given.filter((write) => !isAnswer(write));
  const isAgain = isSentAgain(snapshot, stand, made, asked);
  const news = isAgain ? [] : fitting(snapshot, stand, made);
  const answer = given.find(isAnswer);
  const taken = [...stand, ...news, ...(answer === undefined ? [] : [answer])];
  run.pending = pending.filter(([task]) => task !== NULL_TASK_ID);
  for (const [channel, value] of taken) run.pending.push([NULL_TASK_ID, channel, value]);
  // in the order in which LangGraph stores a command
  if (stored.length === 0) return [...marksOf(asked, made, 0), ofCommands(siblingsFirst(snapshot, given))];
  const last = answer ?? commands.find(isAnswer);
  const answers = last === undefined ? [] : [last];
  // of a branch that begins beside others
  if (stand.length === 0) return [ofCommands(answers)];
  return [...marksOf(asked, news, stand.length), ofCommands([...stand, ...news, ...answers])];
}

const ofCommands = (writes: readonly Write[]): TaskOutput => ({ taskId: NULL_TASK_ID, writes });

/**
 * Whether what is written begins a branch at an older checkpoint, of which what began others is no part. Where a
 * task has taken answers and still asks, the step is gone on with.
 */
function beginsBranch(run: Run): boolean {
  if (!isBehind(run)) return false;
  const open = unfinished(run.pending);
  const hasTaken = (id: string): boolean => open.some(([task, channel]) => task === id && channel === RESUME);
  return !open.some(
    ([task, channel, value]) => channel === INTERRUPT && (answerTo(value) !== undefined || hasTaken(task)),
  );
}

/**
 * Questions, marked as answered by a command that brings something along. Who asks on asks without the mark.
 *
 * @param from - where what it brings stands among what commands wrote
 */
function marksOf({ questions, ids }: Asked, brings: readonly Write[], from: number): TaskOutput[] {
  if (brings.length === 0) return [];
  return questions.map(([taskId, , question]) => ({
    taskId,
    writes: [[INTERRUPT, withAnswer(question, { from, ids })]],
  }));
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
 * What one command writes, at once, behind what others wrote. A thread that stores what does not fit together
 * could not be read again.
 *
 * @throws InvalidUpdateError; the snapshot stays as it is
 */
function fitting(snapshot: Snapshot, stand: readonly Write[], made: readonly Write[]): Write[] {
  const inLists = (writes: readonly Write[]): Contribution[][] =>
    inTurn(snapshot, writes).map((turn) => [turn]);
  const before = stand.length === 0 ? [] : inLists(stand);
  assertApplicable(snapshot, ...before, [{ name: INPUT, triggers: [], writes: made }]);
  const news = siblingsFirst(snapshot, made);
  if (stand.length > 0 || made.some(isAnew)) assertApplicable(snapshot, ...inLists([...stand, ...news]));
  return news;
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
 * Whether a command was sent before: it answers the same questions as the last that answered a task which has not
 * asked on since, because the call failed, was cut off or died, and says what that said.
 */
function isSentAgain(
  snapshot: Snapshot,
  stand: readonly Write[],
  made: readonly Write[],
  { questions, ids }: Asked,
): boolean {
  if (made.length === 0) return false;
  const writes = siblingsFirst(snapshot, made);
  return questions.some(([, , question]) => {
    const before = answerTo(question);
    if (before === undefined || !isSame(before.ids, ids)) return false;
    return writes.every(([channel, value], i) => {
      const write = stand[before.from + i];
      if (write?.[0] !== channel) return false;
      const slot = snapshot.slot(channel);
      return slot === undefined ? isSame(value, write[1]) : slot.channel.repeats(value, write[1]);
    });
  });
}
