import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { unknownCheckpoint } from "../core/commits.ts";
import { requireSaver } from "../core/given-saver.ts";
import type { PruneReport } from "../verbs/remove.ts";
import { goTo, requireMoves, type TimeTravelSaver } from "./travel.ts";
import { ancestorsOf, checkpointTree, type TreeNode } from "./tree.ts";
import type { CheckpointInfo } from "../verbs/infos.ts";

/** A way from the first checkpoint of a thread to one that none follows. */
export interface Branch {
  /** Id of its newest checkpoint, by which it is named. */
  readonly tip: string;
  /** Id of the checkpoint that it shares with another branch; undefined for a thread that never forked. */
  readonly from: string | undefined;
  /** Checkpoints that only this branch has. */
  readonly length: number;
  /** ISO 8601: time of the tip. */
  readonly ts: string;
  /** Whether the head is on it. Several branches are current while the head stands on what they share. */
  readonly isCurrent: boolean;
}

/**
 * The branches of a thread, the one that was written to last first.
 *
 * @throws GraphError UNKNOWN_THREAD
 *
 * @example
 * const others = (await branches(saver, "thread")).filter(({ isCurrent }) => !isCurrent);
 */
export async function branches(saver: BaseCheckpointSaver, threadId: string): Promise<Branch[]> {
  const { nodes, head } = await checkpointTree(saver, threadId);
  const tips = [...nodes.values()].filter(({ children }) => children.length === 0);
  const newestFirst = tips.toSorted((a, b) => b.order - a.order);
  return newestFirst.map((tip): Branch => {
    const path = ancestorsOf(tip);
    const shared = path.findIndex(({ children }) => children.length > 1);
    return {
      tip: tip.id,
      from: path[shared]?.id,
      length: shared < 0 ? path.length : shared,
      ts: tip.ts,
      isCurrent: path.includes(head),
    };
  });
}

/**
 * Makes the tip of a branch the head.
 *
 * @throws GraphError UNKNOWN_THREAD, UNKNOWN_CHECKPOINT when no branch has that tip, or THREAD_CONFLICT while
 *   a run holds the thread
 *
 * @example
 * const [newest] = await branches(saver, "thread");
 * await switchBranch(saver, "thread", newest.tip);
 */
export async function switchBranch(
  saver: TimeTravelSaver,
  threadId: string,
  tip: string,
): Promise<CheckpointInfo> {
  const { nodes } = await checkpointTree(saver, threadId);
  const node: TreeNode | undefined = nodes.get(tip);
  if (node === undefined || node.children.length > 0) throw unknownCheckpoint(threadId, tip);
  return goTo(saver, threadId, tip);
}

/**
 * Removes what only one branch has.
 *
 * @throws GraphError UNKNOWN_THREAD, UNKNOWN_CHECKPOINT, INVALID_CONFIGURATION when the head is on it or
 *   others follow that checkpoint, or THREAD_CONFLICT while a run holds the thread
 *
 * @example
 * for (const { isCurrent, tip } of await branches(saver, "thread"))
 *   if (!isCurrent) await deleteBranch(saver, "thread", tip);
 */
export async function deleteBranch(
  saver: TimeTravelSaver,
  threadId: string,
  tip: string,
): Promise<PruneReport> {
  requireSaver(saver);
  requireMoves(saver);
  return saver.deleteBranch(threadId, tip);
}
