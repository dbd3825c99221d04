import type { RunnableConfig } from "@langchain/core/runnables";
import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { GraphError } from "@skein/errors";
import { claimingOf } from "../claiming.ts";
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
 * Stops whoever runs a thread, and leaves the thread as the policy says, held by nobody.
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
  const { claim } = await claiming.open({ threadId, namespace: "" }, { claim: "take" });
  if (claim !== undefined) await claiming.release(claim);
  const root = { configurable: { thread_id: threadId, onConflict: { waitMs: SEIZED_MS } } };
  if (policy === "cancel-and-heal") await heal(graph, root);
  return policy === "rollback" ? rollBack(saver, threadId) : undefined;
}

/**
 * Back to before the newest input. The checkpoints since then are removed as soon as the thread goes
 * on from there: until then they are all that leads on from its head.
 */
async function rollBack(
  saver: RewindableSaver,
  threadId: string,
): Promise<(() => Promise<void>) | undefined> {
  const head = await saver.getTuple({ configurable: { thread_id: threadId, checkpoint_ns: "" } });
  let at = head;
  while (at !== undefined && at.metadata?.source !== "input") {
    at = at.parentConfig === undefined ? undefined : await saver.getTuple(at.parentConfig);
  }
  // it had stored nothing of its own yet
  if (at === undefined) return undefined;
  const before = at.parentConfig?.configurable?.["checkpoint_id"] as string | undefined;
  if (before === undefined) {
    await saver.deleteThread(threadId);
    return undefined;
  }
  if (saver.moveHead === undefined) throw cannotSeize("rollback");
  await saver.moveHead(threadId, before);
  return () => removeBranch(saver, threadId, head?.checkpoint.id as string);
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
