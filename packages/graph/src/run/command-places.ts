import type { CheckpointPendingWrite } from "@langchain/langgraph-checkpoint";
import { NULL_TASK_ID, RESUME } from "../ids/names.ts";
import type { Write } from "../program/program.ts";
import type { TaskOutput } from "./storage.ts";

/**
 * How what commands wrote is put to a saver of the contract, which tells the writes of a task by the position
 * that they were put at and keeps what has one; it gives back their order, but not where the answer was among them,
 * which has a place of its own.
 *
 * P1. No position in use is greater than the number of writes that stand beside the answer, nor as great where no
 *     answer stands. So what is new begins behind as many copies of the answer, which all go to its one place.
 * P2. An answer that takes the place of another is put by itself: LangGraph's SQL savers replace only what is put
 *     with nothing else.
 *
 * @param pending - what stands under the checkpoint
 * @param writes - of commands, those that stand first
 */
export function putInPlace(
  pending: readonly CheckpointPendingWrite[],
  writes: readonly Write[],
): readonly TaskOutput[] {
  const stand = pending.filter(([task]) => task === NULL_TASK_ID);
  const before = stand.find(([, channel]) => channel === RESUME);
  const count = stand.filter(([, channel]) => channel !== RESUME).length;
  const answer = writes.find(([channel]) => channel === RESUME);
  const alone = answer === undefined ? [] : [put([answer])];
  if (count === 0) return before === undefined ? [put(writes)] : [...alone, put(writes)];
  const others = writes.filter(([channel]) => channel !== RESUME);
  const news = others.slice(count);
  if (news.length === 0) return alone;
  if (before === undefined) return [...alone, put(others)];
  const filler: Write = answer ?? [RESUME, before[2]];
  return [...alone, put([...Array.from({ length: count + 1 }, () => filler), ...news])];
}

const put = (writes: readonly Write[]): TaskOutput => ({ taskId: NULL_TASK_ID, writes });
