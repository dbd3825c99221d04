import type { CheckpointTuple } from "@langchain/langgraph-checkpoint";

const INTERRUPT = "__interrupt__";
const RESUME = "__resume__";
const TASKS = "__pregel_tasks";
/** Under this id stands what a command writes. */
const NULL_TASK = "00000000-0000-0000-0000-000000000000";

/** Whether questions of this checkpoint were answered. */
export function isAnswered({ pendingWrites = [] }: CheckpointTuple): boolean {
  return pendingWrites.some(([, channel]) => channel === RESUME);
}

/** Whether a run stopped here for answers: each task has ended or asks. A run that is on since then is a resume. */
export function isWaiting({ checkpoint, pendingWrites = [] }: CheckpointTuple): boolean {
  if (!pendingWrites.some(([, channel]) => channel === INTERRUPT)) return false;
  const sent = checkpoint.channel_values[TASKS];
  const tasks = new Set(pendingWrites.flatMap(([task]) => (task === NULL_TASK ? [] : task)));
  return tasks.size >= (Array.isArray(sent) ? sent.length : 1);
}
