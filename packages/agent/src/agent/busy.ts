import type { RunnableConfig } from "@langchain/core/runnables";
import type { BaseCheckpointSaver, CheckpointTuple } from "@langchain/langgraph-checkpoint";
import { GraphError } from "@skein/errors";
import { holding, leadsOn } from "@skein/graph";
import { claimingOf, type Claiming } from "../claiming.ts";
import { healHeld } from "./heal.ts";
import type { AgentGraph } from "./agent-graph.ts";
import { isAnswered, isWaiting } from "./answers.ts";

/**
 * What to do when another run holds the thread, in this process or another one:
 *
 * - `"error"`: refuse with THREAD_CONFLICT.
 * - `"queue"`: wait until it is free. Calls of one agent take turns in the order they were made.
 * - `"interrupt"`: stop the other run where it is, keep what it stored, and go on from there.
 * - `"rollback"`: stop the other run and take the thread back to where it was before that run's input; if
 *   that was an answer, its question waits again.
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

/**
 * Stops whoever runs a thread, and leaves the thread as the policy says, held by nobody. Nothing is undone
 * of a run that ended by itself meanwhile: its caller was told that it did.
 *
 * @throws GraphError INVALID_CONFIGURATION for a saver that does not know who runs a thread
 */
export async function seize(
  graph: AgentGraph,
  config: RunnableConfig,
  policy: "interrupt" | "rollback" | "cancel-and-heal",
): Promise<void> {
  const saver = graph.checkpointer as BaseCheckpointSaver;
  const threadId = String(config.configurable?.["thread_id"]);
  const claiming = claimingOf(saver);
  if (claiming === undefined) throw cannotSeize(policy);
  const claim = await stop(claiming, threadId);
  if (claim === undefined) return;
  try {
    // while nobody else can run it: who came between would go on from what is undone, or left open
    if (policy === "rollback") await undo(saver, threadId, claim);
    if (policy === "cancel-and-heal") await healHeld(graph, holding({}, threadId, claim));
  } catch (error) {
    // a third run took the thread in its turn: the next attempt takes it from that one
    if (policy !== "cancel-and-heal" || !GraphError.is(error, "THREAD_CONFLICT")) throw error;
  } finally {
    await claiming.release(claim);
  }
}

/** Takes a thread from the run that has it; undefined when it ended by itself. */
async function stop(claiming: Claiming, threadId: string): Promise<object | undefined> {
  const address = { threadId, namespace: "" };
  try {
    const { claim } = await claiming.open(address, { claim: "fail" });
    if (claim !== undefined) await claiming.release(claim);
    return undefined;
  } catch (error) {
    if (!isHeld(error)) throw error;
  }
  const { claim } = await claiming.open(address, { claim: "take" });
  return claim;
}

/** Takes a thread back to before the newest input or answer, if that is of a turn that is not over. */
async function undo(saver: BaseCheckpointSaver, threadId: string, claim: object): Promise<void> {
  const head = await saver.getTuple({ configurable: { thread_id: threadId, checkpoint_ns: "" } });
  // the run had stored nothing of its own: the newest input is that of a turn that is over
  if (head === undefined || !leadsOn(head.checkpoint)) return;
  // no answer was taken yet
  if (!isAnswered(head) && isWaiting(head)) return;
  let at: CheckpointTuple | undefined = head;
  while (at !== undefined && at.metadata?.source !== "input" && !isAnswered(at)) {
    at = at.parentConfig === undefined ? undefined : await saver.getTuple(at.parentConfig);
  }
  if (at === undefined) return;
  if (!canRewind(saver)) throw cannotSeize("rollback");
  // neither the last answer is left nor what came of it
  if (isAnswered(at)) return saver.rewind(claim, at.checkpoint.id, { unanswered: true });
  await saver.rewind(claim, at.parentConfig?.configurable?.["checkpoint_id"] as string | undefined);
}

/** A saver of ours: it can take a thread back. */
interface RewindableSaver extends BaseCheckpointSaver {
  rewind(
    claim: object,
    checkpointId: string | undefined,
    options?: { readonly unanswered?: boolean },
  ): Promise<void>;
}

const canRewind = (saver: BaseCheckpointSaver): saver is RewindableSaver =>
  typeof (saver as Partial<RewindableSaver>).rewind === "function";

function cannotSeize(policy: OnBusy): GraphError {
  return new GraphError(
    "INVALID_CONFIGURATION",
    `onBusy: "${policy}" needs one of Skein's savers, which know who runs a thread. Use "error" or "queue", or another checkpointer.`,
  );
}
