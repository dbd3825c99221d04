import type { BaseCheckpointSaver, CheckpointTuple } from "@langchain/langgraph-checkpoint";

/** A saver of ours: it can take a thread back. */
export interface RewindableSaver extends BaseCheckpointSaver {
  rewind(
    claim: object,
    checkpointId: string | undefined,
    options?: { readonly unanswered?: boolean },
  ): Promise<void>;
}

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

/**
 * Takes a thread back to a checkpoint whose questions were answered, for the holder of its claim, with
 * the questions as they were before the last answer: neither that answer is left nor what came of it.
 */
export async function unanswer(saver: RewindableSaver, claim: object, asked: CheckpointTuple): Promise<void> {
  // a graph in a tool has stored its own answers, and a question that waits again would not be theirs
  const unanswered = !(await hasNested(saver, asked));
  await saver.rewind(claim, asked.checkpoint.id, { unanswered });
}

async function hasNested(saver: RewindableSaver, { checkpoint, config }: CheckpointTuple): Promise<boolean> {
  const { thread_id } = config.configurable as { thread_id: string };
  for await (const { config: of, metadata } of saver.list({ configurable: { thread_id } })) {
    const isRoot = (of.configurable?.["checkpoint_ns"] ?? "") === "";
    if (!isRoot && metadata?.parents?.[""] === checkpoint.id) return true;
  }
  return false;
}
