import { Overwrite } from "../channels/overwrite.ts";
import { apply, assertApplicable, type Contribution } from "../engine/apply.ts";
import type { Snapshot } from "../engine/snapshot.ts";
import { ERROR, INPUT, INTERRUPT, NULL_TASK_ID, RESUME, TASKS } from "../ids/names.ts";
import { isSame } from "../ids/same.ts";
import type { Write } from "../program/program.ts";
import { NO_OUTPUT, writesByTask } from "./pending.ts";
import type { Run } from "./run.ts";

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
 * @returns what is to be stored there
 * @throws InvalidUpdateError where it does not fit
 */
export function takeWrites(run: Run, given: readonly Write[]): readonly Write[] {
  const { snapshot, session, pending } = run;
  const writes = siblingsFirst(given);
  const made = writes.filter((write) => !isAnswer(write));
  const commands = writtenByCommands(pending);
  const stored = commands.filter((write) => !isAnswer(write));
  const isOld = session?.stored !== undefined && session.headId !== snapshot.checkpointId;
  const stand = isOld ? [] : stored;
  const news = isSentAgain(pending, stand, made) ? [] : made;
  // a thread that stores what does not fit together could not be read again
  assertCommands(snapshot, stand, news);
  const answer = writes.find(isAnswer);
  const others = pending.filter(([task]) => task !== NULL_TASK_ID);
  for (const [channel, value] of [...stand, ...news]) others.push([NULL_TASK_ID, channel, value]);
  if (answer !== undefined) others.push([NULL_TASK_ID, ...answer]);
  run.pending = others;
  if (stored.length === 0) return writes;
  const last = answer ?? commands.find(isAnswer);
  return [...(isOld ? [] : [...stand, ...news]), ...(last === undefined ? [] : [last])];
}

/** Sends of the step that is not through, which those of a command come behind: by its place each knows what it has written. */
function waitingSends(snapshot: Snapshot, writes: readonly Write[]): Write[] {
  const sends = snapshot.slot(TASKS)?.channel;
  if (!writes.some(([channel]) => channel === TASKS) || sends?.isAvailable() !== true) return [];
  return (sends.get() as unknown[]).map((send): Write => [TASKS, send]);
}

const isAnswer = ([channel]: Write): boolean => channel === RESUME;
const isAnew = ([, value]: Write): boolean => Overwrite.isInstance(value);

/** Within one step an Overwrite wins over its siblings, wherever it stands; a history has them all the same. */
function siblingsFirst(writes: readonly Write[]): Write[] {
  return [...writes.filter((write) => !isAnew(write)), ...writes.filter(isAnew)];
}

/**
 * @param news - what one command writes, at once, behind what others wrote
 * @throws InvalidUpdateError for what could not be applied; the snapshot stays as it is
 */
function assertCommands(snapshot: Snapshot, stand: readonly Write[], news: readonly Write[]): void {
  const turns = (writes: readonly Write[]): Contribution[][] =>
    inTurn(snapshot, writes).map((turn) => [turn]);
  assertApplicable(snapshot, ...turns(stand), [{ name: INPUT, triggers: [], writes: news }]);
  assertApplicable(snapshot, ...turns([...stand, ...news]));
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
 * Whether a command says again what stands already: it was sent once more because the step failed, where nobody
 * waits for another answer.
 */
function isSentAgain(pending: Pending, stand: readonly Write[], writes: readonly Write[]): boolean {
  const open = [...writesByTask(pending.filter(([task]) => task !== NULL_TASK_ID)).values()]
    .map((of) => new Set(of.map(([channel]) => channel)))
    .filter((channels) => [...channels].every((channel) => NO_OUTPUT.has(channel)));
  const failed = open.some((channels) => channels.has(ERROR));
  const asks = open.some((channels) => channels.has(INTERRUPT) && !channels.has(ERROR));
  if (!failed || asks || writes.length === 0) return false;
  const before = stand.slice(-writes.length);
  return writes.every(([channel, value], i) => before[i]?.[0] === channel && isSame(before[i]?.[1], value));
}
