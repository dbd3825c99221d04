import type { RunnableConfig } from "@langchain/core/runnables";
import type { BaseCheckpointSaver, CheckpointTuple } from "@langchain/langgraph-checkpoint";
import { GraphError } from "@skein/errors";
import { leadsOn } from "@skein/graph";
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
  let stopped: OpenRun | undefined;
  try {
    // seen while nobody else can run it
    if (policy === "rollback") stopped = await openRun(saver, threadId);
  } finally {
    await giveBack(claiming, taken);
  }
  if (policy === "cancel-and-heal") await heal(graph, root);
  return stopped && undo(saver, threadId, stopped);
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

/** A run that is not over, by the ids of checkpoints. */
interface OpenRun {
  /** The newest. */
  readonly tip: string;
  /** The one before its input; undefined when the thread began with it. */
  readonly before: string | undefined;
}

/** Undefined when the newest input is that of a turn that is over: the run had stored nothing of its own. */
async function openRun(saver: BaseCheckpointSaver, threadId: string): Promise<OpenRun | undefined> {
  const head = await saver.getTuple({ configurable: { thread_id: threadId, checkpoint_ns: "" } });
  if (head === undefined || !leadsOn(head.checkpoint)) return undefined;
  let at: CheckpointTuple | undefined = head;
  while (at !== undefined && at.metadata?.source !== "input") {
    at = at.parentConfig === undefined ? undefined : await saver.getTuple(at.parentConfig);
  }
  if (at === undefined) return undefined;
  return {
    tip: head.checkpoint.id,
    before: at.parentConfig?.configurable?.["checkpoint_id"] as string | undefined,
  };
}

/**
 * Takes a thread back to before a run. The run's checkpoints are removed as soon as the thread goes on
 * from there: until then they are all that leads on from its head.
 *
 * @returns what removes them
 */
async function undo(
  saver: RewindableSaver,
  threadId: string,
  { tip, before }: OpenRun,
): Promise<(() => Promise<void>) | undefined> {
  if (before === undefined) {
    await saver.deleteThread(threadId);
    return undefined;
  }
  if (saver.moveHead === undefined) throw cannotSeize("rollback");
  await saver.moveHead(threadId, before);
  return () => removeBranch(saver, threadId, tip);
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
