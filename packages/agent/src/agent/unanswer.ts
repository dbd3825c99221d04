import type { RunnableConfig } from "@langchain/core/runnables";
import type { BaseCheckpointSaver, CheckpointTuple, PendingWrite } from "@langchain/langgraph-checkpoint";

/** A saver of ours: it can take a thread back. */
export interface RewindableSaver extends BaseCheckpointSaver {
  rewind(claim: object, checkpointId: string | undefined): Promise<void>;
}

const INTERRUPT = "__interrupt__";
const RESUME = "__resume__";
const TASKS = "__pregel_tasks";
/** Under this id stands what a command writes. */
const NULL_TASK = "00000000-0000-0000-0000-000000000000";

type Written = readonly [channel: string, value: unknown];

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
  const { checkpoint, metadata, parentConfig, config } = asked;
  const parentId = parentConfig?.configurable?.["checkpoint_id"] as string | undefined;
  // what a graph in a tool has stored would go with the checkpoint, and the tool begin anew
  if (parentConfig === undefined || parentId === undefined || (await hasNested(saver, asked))) {
    await saver.rewind(claim, checkpoint.id);
    return;
  }
  // read before what it is read from is gone: a history is loaded when it is asked for
  const whole = { ...checkpoint, channel_values: { ...checkpoint.channel_values } };
  await saver.rewind(claim, parentId);
  const stored = await saver.put(
    parentConfig,
    whole,
    metadata ?? { source: "loop", step: 0, parents: {} },
    checkpoint.channel_versions,
  );
  const at: RunnableConfig = { ...config, configurable: { ...config.configurable, ...stored.configurable } };
  for (const [task, writes] of byTask(asked)) {
    const kept = task === NULL_TASK ? [] : asBefore(writes);
    if (kept.length > 0) await saver.putWrites(at, kept, task);
  }
}

async function hasNested(saver: RewindableSaver, { checkpoint, config }: CheckpointTuple): Promise<boolean> {
  const { thread_id } = config.configurable as { thread_id: string };
  for await (const { config: of, metadata } of saver.list({ configurable: { thread_id } })) {
    const isRoot = (of.configurable?.["checkpoint_ns"] ?? "") === "";
    if (!isRoot && metadata?.parents?.[""] === checkpoint.id) return true;
  }
  return false;
}

function byTask({ pendingWrites = [] }: CheckpointTuple): ReadonlyMap<string, readonly Written[]> {
  const tasks = new Map<string, Written[]>();
  for (const [task, channel, value] of pendingWrites) {
    const writes = tasks.get(task) ?? [];
    writes.push([channel, value]);
    tasks.set(task, writes);
  }
  return tasks;
}

/** What a task had written when it was waited for: one that asked and has ended since asks again. */
function asBefore(writes: readonly Written[]): PendingWrite[] {
  const isAsking = writes.some(([channel]) => channel === INTERRUPT);
  const hasEnded = writes.some(([channel]) => channel !== INTERRUPT && channel !== RESUME);
  if (!isAsking || !hasEnded) return writes.map(([channel, value]) => [channel, value]);
  return writes.flatMap(([channel, value]): PendingWrite[] => {
    if (channel === INTERRUPT) return [[channel, value]];
    // it took the earlier ones to get to its last question
    const answers: unknown[] = channel === RESUME && Array.isArray(value) ? value.slice(0, -1) : [];
    return answers.length === 0 ? [] : [[channel, answers]];
  });
}
