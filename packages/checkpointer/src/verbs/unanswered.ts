import { NULL_TASK, SIGNAL_SLOTS } from "../base/checkpoint.ts";
import type { WriteAt } from "../core/maintenance.ts";
import { parseWrites } from "../core/write-rows.ts";

const INTERRUPT = SIGNAL_SLOTS.get("__interrupt__");
const RESUME = SIGNAL_SLOTS.get("__resume__");

/** Writes under a checkpoint as they were when its last answer was waited for. */
export function unanswered(writes: readonly WriteAt[]): WriteAt[] {
  const byTask = new Map<string, WriteAt[]>();
  for (const row of writes) {
    const rows = byTask.get(row.task) ?? [];
    rows.push(row);
    byTask.set(row.task, rows);
  }
  byTask.delete(NULL_TASK);
  return [...byTask.values()].flatMap(beforeAnswer);
}

/** A task that asked and has ended since asks again; others stay as they are. */
function beforeAnswer(rows: readonly WriteAt[]): readonly WriteAt[] {
  const isAsking = rows.some(({ slot }) => slot === INTERRUPT);
  const hasEnded = rows.some(({ slot }) => slot !== INTERRUPT && slot !== RESUME);
  if (!isAsking || !hasEnded) return rows;
  return rows.flatMap((row) => {
    if (row.slot === INTERRUPT) return [row];
    return row.slot === RESUME ? withoutLast(row) : [];
  });
}

/** Its last question was answered by the last answer; it took those before to get to that question. */
function withoutLast(row: WriteAt): WriteAt[] {
  const [[channel, answers] = []] = parseWrites(row);
  if (!Array.isArray(answers) || answers.length < 2) return [];
  const { seq, task, slot } = row;
  return [{ seq, task, slot, body: JSON.stringify([[channel, answers.slice(0, -1)]]) }];
}
