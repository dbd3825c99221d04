import type { RunnableConfig } from "@langchain/core/runnables";
import type { BaseCheckpointSaver, Checkpoint, CheckpointTuple } from "@langchain/langgraph-checkpoint";
import { GraphError } from "@skein/errors";
import { START } from "@skein/graph";
import { claimingOf, type Claiming, type Opened } from "../claiming.ts";
import { heal } from "./heal.ts";
import type { AgentGraph } from "./agent-graph.ts";

/**
 * What to do when another run holds the thread, in this process or another one:
 *
 * - `"error"`: refuse with THREAD_CONFLICT.
 * - `"queue"`: wait until it is free. Calls of one agent take turns in the order they were made.
 * - `"interrupt"`: stop the other run where it is, keep what it stored, and go on from there.
 * - `"rollback"`: stop the other run and take the thread back to where it was before that run's input.
 * - `"cancel-and-heal"`: as "interrupt", and answer the calls it left open as cancelled.
 *
 * A run that was stopped fails with THREAD_CONFLICT: at once in the same saver, in another process
 * with its next step.
 */
export type OnBusy = "error" | "queue" | "interrupt" | "rollback" | "cancel-and-heal";

export const ON_BUSY: readonly OnBusy[] = ["error", "queue", "interrupt", "rollback", "cancel-and-heal"];

/** Milliseconds that a queued call waits for the thread when it does not say. */
export const QUEUE_MS = 300_000;
/** Milliseconds to wait for a thread that was just taken from another run. */
export const SEIZED_MS = 5_000;

/** Names of channels that say what runs next, fixed by the format of checkpoints. */
const TASKS = "__pregel_tasks";
const BRANCH = "branch:to:";

/** Whether a call failed because another run holds its thread; it has done nothing yet. */
export function isHeld(error: unknown): boolean {
  return GraphError.is(error, "THREAD_CONFLICT") && error.details["waitMs"] !== undefined;
}

/** The verbs of a saver of ours that take a thread back. */
type RewindableSaver = BaseCheckpointSaver & {
  moveHead?(threadId: string, checkpointId: string): Promise<void>;
  deleteBranch?(threadId: string, tip: string): Promise<unknown>;
};

/**
 * Stops whoever runs a thread, and leaves the thread as the policy says, held by nobody. Nothing is undone
 * of a run that ended by itself meanwhile: its caller was told that it did.
 *
 * @returns what is to be done when the next run has ended
 * @throws GraphError INVALID_CONFIGURATION for a saver that does not know who runs a thread
 */
export async function seize(
  graph: AgentGraph,
  config: RunnableConfig,
  policy: "interrupt" | "rollback" | "cancel-and-heal",
): Promise<(() => Promise<void>) | undefined> {
  const saver = graph.checkpointer as BaseCheckpointSaver;
  const threadId = String(config.configurable?.["thread_id"]);
  const claiming = claimingOf(saver);
  if (claiming === undefined) throw cannotSeize(policy);
  const root = { configurable: { thread_id: threadId, onConflict: { waitMs: SEIZED_MS } } };
  const taken = await stop(claiming, threadId);
  if (taken === undefined) return undefined;
  let rewind: Rewinding | undefined;
  try {
    // seen while nobody else can run it
    if (policy === "rollback") rewind = await rewinding(saver, threadId);
  } finally {
    await giveBack(claiming, taken);
  }
  if (policy === "cancel-and-heal") await heal(graph, root);
  return rewind?.();
}

/** Takes a thread from the run that has it; undefined when it ended by itself. */
async function stop(claiming: Claiming, threadId: string): Promise<Opened | undefined> {
  const address = { threadId, namespace: "" };
  try {
    await giveBack(claiming, await claiming.open(address, { claim: "fail" }));
    return undefined;
  } catch (error) {
    if (!isHeld(error)) throw error;
  }
  return claiming.open(address, { claim: "take" });
}

async function giveBack(claiming: Claiming, { claim }: Opened): Promise<void> {
  if (claim !== undefined) await claiming.release(claim);
}

/** Takes a thread back; returns what removes the checkpoints since then, for when the thread went on from there. */
type Rewinding = () => Promise<(() => Promise<void>) | undefined>;

/**
 * Back to before the newest input. The checkpoints since then are removed as soon as the thread goes
 * on from there: until then they are all that leads on from its head.
 */
async function rewinding(saver: RewindableSaver, threadId: string): Promise<Rewinding | undefined> {
  const head = await saver.getTuple({ configurable: { thread_id: threadId, checkpoint_ns: "" } });
  // the run had stored nothing of its own: the newest input is that of a turn that is over
  if (head === undefined || !leadsOn(head.checkpoint)) return undefined;
  let at: CheckpointTuple | undefined = head;
  while (at !== undefined && at.metadata?.source !== "input") {
    at = at.parentConfig === undefined ? undefined : await saver.getTuple(at.parentConfig);
  }
  if (at === undefined) return undefined;
  const before = at.parentConfig?.configurable?.["checkpoint_id"] as string | undefined;
  if (before === undefined) {
    return async () => {
      await saver.deleteThread(threadId);
      return undefined;
    };
  }
  return async () => {
    if (saver.moveHead === undefined) throw cannotSeize("rollback");
    await saver.moveHead(threadId, before);
    return () => removeBranch(saver, threadId, head.checkpoint.id);
  };
}

/** Whether anything is still to run from a checkpoint. It is not asked of a graph: the other run's may be another one. */
function leadsOn({ channel_values: values }: Checkpoint): boolean {
  const sent = values[TASKS];
  if (Array.isArray(sent) && sent.length > 0) return true;
  return Object.keys(values).some((name) => name === START || name.startsWith(BRANCH));
}

async function removeBranch(saver: RewindableSaver, threadId: string, tip: string): Promise<void> {
  try {
    await saver.deleteBranch?.(threadId, tip);
  } catch (error) {
    // the next run stored nothing, or somebody runs the thread again: the branch stays, off the thread's path
    if (!GraphError.is(error)) throw error;
  }
}

function cannotSeize(policy: OnBusy): GraphError {
  return new GraphError(
    "INVALID_CONFIGURATION",
    `onBusy: "${policy}" needs one of Skein's savers, which know who runs a thread. Use "error" or "queue", or another checkpointer.`,
  );
}
