import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { GraphError, shown } from "@skein/errors";
import { unknownCheckpoint } from "../core/commits.ts";
import type { ItemLogSaver } from "../core/saver.ts";
import type { CheckpointInfo } from "../verbs/infos.ts";
import { ancestorsOf, checkpointTree, wayForward, type TreeNode } from "./tree.ts";

/** What moves in time: a saver whose head can be moved. */
export type TimeTravelSaver = BaseCheckpointSaver & Pick<ItemLogSaver, "moveHead" | "deleteBranch">;

/**
 * A checkpoint and everything it goes back to, newest first.
 *
 * @param checkpointId - default: the head
 * @throws GraphError UNKNOWN_THREAD, UNKNOWN_CHECKPOINT
 *
 * @example
 * const [head, before] = await lineage(saver, "thread");
 */
export async function lineage(
  saver: BaseCheckpointSaver,
  threadId: string,
  checkpointId?: string,
): Promise<CheckpointInfo[]> {
  const { nodes, head } = await checkpointTree(saver, threadId);
  const from = checkpointId === undefined ? head : nodes.get(checkpointId);
  if (from === undefined) throw unknownCheckpoint(threadId, checkpointId);
  return ancestorsOf(from).map(infoOf);
}

/**
 * Makes a checkpoint the head: the next run goes on from it. What came after it stays.
 * So do answers: a question that was answered there is asked again by a call that names the checkpoint.
 *
 * @throws GraphError UNKNOWN_THREAD, UNKNOWN_CHECKPOINT, or THREAD_CONFLICT while a run holds the thread
 *
 * @example
 * const [, before] = await lineage(saver, "thread");
 * await goTo(saver, "thread", before.id);
 */
export async function goTo(
  saver: TimeTravelSaver,
  threadId: string,
  checkpointId: string,
): Promise<CheckpointInfo> {
  const { nodes } = await checkpointTree(saver, threadId);
  return move(saver, threadId, nodes.get(checkpointId), checkpointId);
}

/**
 * Goes back a number of checkpoints.
 *
 * @param steps - default: 1
 * @throws GraphError UNKNOWN_THREAD, INVALID_CONFIGURATION when there are not so many, or THREAD_CONFLICT
 *   while a run holds the thread
 *
 * @example
 * await back(saver, "thread", 2);
 * await forward(saver, "thread", 2);
 */
export async function back(saver: TimeTravelSaver, threadId: string, steps = 1): Promise<CheckpointInfo> {
  const { head } = await checkpointTree(saver, threadId);
  const target = ancestorsOf(head)[whole(steps)];
  if (target === undefined)
    throw nowhere(threadId, "back", steps, ancestorsOf(head).length - 1, "checkpoints");
  return move(saver, threadId, target);
}

/**
 * Goes forward a number of checkpoints, on the branch that was written to last.
 *
 * @param steps - default: 1
 * @throws GraphError as `back`
 *
 * @example
 * await forward(saver, "thread");
 */
export async function forward(saver: TimeTravelSaver, threadId: string, steps = 1): Promise<CheckpointInfo> {
  const { head } = await checkpointTree(saver, threadId);
  const way = wayForward(head);
  const target = way[whole(steps) - 1];
  if (target === undefined) throw nowhere(threadId, "forward", steps, way.length, "checkpoints");
  return move(saver, threadId, target);
}

/**
 * Takes turns back: goes to where the turn before ended. `redo` brings them again.
 *
 * @param turns - default: 1
 * @throws GraphError as `back`
 *
 * @example
 * await undo(saver, "thread"); // the last question and its answer
 * await redo(saver, "thread");
 */
export async function undo(saver: TimeTravelSaver, threadId: string, turns = 1): Promise<CheckpointInfo> {
  const { head } = await checkpointTree(saver, threadId);
  const ends = ancestorsOf(head).flatMap(({ metadata, parent }) =>
    metadata.source === "input" && parent !== undefined ? [parent] : [],
  );
  const target = ends[whole(turns) - 1];
  if (target === undefined) throw nowhere(threadId, "back", turns, ends.length, "turns");
  return move(saver, threadId, target);
}

/**
 * Goes to the ends of turns that were undone, on the branch that was written to last.
 *
 * @param turns - default: 1
 * @throws GraphError as `back`
 *
 * @example
 * await redo(saver, "thread");
 */
export async function redo(saver: TimeTravelSaver, threadId: string, turns = 1): Promise<CheckpointInfo> {
  const { head } = await checkpointTree(saver, threadId);
  const way = wayForward(head);
  const ends = way.filter((_, i) => (way[i + 1]?.metadata.source ?? "input") === "input");
  const target = ends[whole(turns) - 1];
  if (target === undefined) throw nowhere(threadId, "forward", turns, ends.length, "turns");
  return move(saver, threadId, target);
}

async function move(
  saver: TimeTravelSaver,
  threadId: string,
  target: TreeNode | undefined,
  id?: string,
): Promise<CheckpointInfo> {
  if (target === undefined) throw unknownCheckpoint(threadId, id);
  requireMoves(saver);
  await saver.moveHead(threadId, target.id);
  return { ...infoOf(target), isHead: true };
}

/** @throws GraphError INVALID_CONFIGURATION for a saver whose head stays where it is, as LangGraph's */
export function requireMoves(saver: Partial<TimeTravelSaver>): void {
  if (typeof saver.moveHead === "function" && typeof saver.deleteBranch === "function") return;
  throw new GraphError(
    "INVALID_CONFIGURATION",
    "This saver can't go back in time: only MemorySaver, SqliteSaver and PostgresSaver of Skein can. migrateThread moves a thread into one. Nothing was changed.",
  );
}

function infoOf({ id, parentId, ts, metadata, isHead }: TreeNode): CheckpointInfo {
  return { id, parentId, ts, metadata, isHead };
}

function whole(count: number): number {
  if (Number.isSafeInteger(count) && count >= 1) return count;
  throw new GraphError(
    "INVALID_CONFIGURATION",
    `One goes back and forward by a whole number of steps, 1 or more; ${shown(count)} was given. Nothing was changed.`,
    { details: { count } },
  );
}

function nowhere(threadId: string, where: string, wanted: number, there: number, what: string): GraphError {
  return new GraphError(
    "INVALID_CONFIGURATION",
    `Thread "${threadId}" cannot go ${where} by ${wanted} ${what}: there ${there === 1 ? "is" : "are"} ${there}. Nothing was changed.`,
    { details: { threadId, wanted, there } },
  );
}
