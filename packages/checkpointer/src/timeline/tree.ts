import type { BaseCheckpointSaver as Contract, CheckpointMetadata } from "@langchain/langgraph-checkpoint";
import { GraphError } from "@skein/errors";
import { requireSaver } from "../core/given-saver.ts";
import { ItemLogSaver } from "../core/saver.ts";
import type { CheckpointInfo } from "../verbs/infos.ts";

/** A checkpoint among the others of its thread. */
export interface TreeNode extends CheckpointInfo {
  /** Greater is later, as it was stored: a clock may have been set back. Savers that are not ours go by ids. */
  readonly order: number;
  readonly parent: TreeNode | undefined;
  /** In the order in which they were stored. */
  readonly children: readonly TreeNode[];
}

interface Growing extends TreeNode {
  parent: Growing | undefined;
  readonly children: Growing[];
}

export interface CheckpointTree {
  readonly threadId: string;
  readonly nodes: ReadonlyMap<string, TreeNode>;
  readonly head: TreeNode;
}

/** How the checkpoints of a thread's root graph hang together. @throws GraphError UNKNOWN_THREAD */
export async function checkpointTree(saver: Contract, threadId: string): Promise<CheckpointTree> {
  requireSaver(saver);
  const infos =
    saver instanceof ItemLogSaver ? await saver.checkpoints(threadId) : await listed(saver, threadId);
  const nodes = new Map<string, Growing>();
  for (const [order, info] of infos.entries())
    nodes.set(info.id, { ...info, order, parent: undefined, children: [] });
  for (const node of nodes.values())
    node.parent = node.parentId === undefined ? undefined : nodes.get(node.parentId);
  openCircles(nodes.values());
  for (const node of nodes.values()) node.parent?.children.push(node);
  const head = [...nodes.values()].find(({ isHead }) => isHead);
  if (head !== undefined) return { threadId, nodes, head };
  throw new GraphError(
    "UNKNOWN_THREAD",
    `Thread "${threadId}" has no checkpoint. List the threads to see which there are.`,
    { details: { threadId } },
  );
}

/** A checkpoint that was put again, under one that goes back to it, is where the way back ends. */
function openCircles(nodes: Iterable<Growing>): void {
  const done = new Set<Growing>();
  for (const node of nodes) {
    const way = new Set<Growing>();
    let at: Growing | undefined = node;
    for (; at !== undefined && !way.has(at) && !done.has(at); at = at.parent) way.add(at);
    if (at !== undefined && way.has(at)) at.parent = undefined;
    for (const passed of way) done.add(passed);
  }
}

/** Of a saver that is not ours: its head is the checkpoint with the greatest id. */
async function listed(saver: Contract, threadId: string): Promise<CheckpointInfo[]> {
  const infos: CheckpointInfo[] = [];
  const config = { configurable: { thread_id: threadId, checkpoint_ns: "" } };
  for await (const { checkpoint, metadata, parentConfig } of saver.list(config)) {
    const parentId: unknown = parentConfig?.configurable?.["checkpoint_id"];
    infos.unshift({
      id: checkpoint.id,
      // LangGraph stores some of durability "exit" as their own parents
      parentId: parentId === undefined || parentId === checkpoint.id ? undefined : String(parentId),
      ts: checkpoint.ts,
      metadata: metadata as CheckpointMetadata,
      isHead: infos.length === 0,
    });
  }
  return infos;
}

/** A checkpoint and what it goes back to, newest first. */
export function ancestorsOf(node: TreeNode): TreeNode[] {
  const found: TreeNode[] = [];
  for (let at: TreeNode | undefined = node; at !== undefined; at = at.parent) found.push(at);
  return found;
}

/** The way from a checkpoint to the tip of the branch that was written to last, without the checkpoint itself. */
export function wayForward(node: TreeNode): TreeNode[] {
  const tips: TreeNode[] = [];
  for (const open = [node]; open.length > 0;) {
    const next = open.pop() as TreeNode;
    if (next.children.length === 0) tips.push(next);
    open.push(...next.children);
  }
  const newest = tips.reduce((a, b) => (b.order > a.order ? b : a));
  const way = ancestorsOf(newest);
  return way.slice(0, way.indexOf(node)).toReversed();
}
