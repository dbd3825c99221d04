import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import type { Plain } from "../normalise.ts";
import type { Program } from "./program.ts";

/**
 * What LangGraph does otherwise in a run of durability "exit" than in any other:
 * docs/decisions/2026-11-23-durability-exit.md
 */

/** When a thread goes back, its subgraphs' own states do not. */
export const withoutStatesOfItsOwn = (program: Program): Program => ({
  ...program,
  nodes: program.nodes.map((node) =>
    node.inner?.store === "own" ? { ...node, inner: { ...node.inner, store: "inherited" } } : node,
  ),
});

/**
 * Writes of a task that was finished when the run began are stored once more, at other places, when a
 * sibling waits or fails again.
 */
export async function hasDoubledWrites(saver: BaseCheckpointSaver, config: object): Promise<boolean> {
  const { pendingWrites = [] } = (await saver.getTuple(config)) ?? {};
  const texts = pendingWrites
    .filter(([, channel]) => !channel.startsWith("__") || channel === "__pregel_tasks")
    .map((write) => JSON.stringify(write));
  return new Set(texts).size < texts.length;
}

const isTree = (value: Plain | undefined): value is Exclude<Plain, null | boolean | number | string> =>
  typeof value === "object" && value !== null;

/** Both without the parents of checkpoints that are their own parents there. */
export function withoutOwnParents(mine: Plain, theirs: Plain): [mine: Plain, theirs: Plain] {
  if (!isTree(theirs) || !isTree(mine) || Array.isArray(theirs) !== Array.isArray(mine))
    return [mine, theirs];
  if (Array.isArray(theirs)) {
    const ours = mine as Plain[];
    const pairs = theirs.map((element, index) => withoutOwnParents(ours[index] ?? null, element));
    return [ours.map((element, index) => pairs[index]?.[0] ?? element), pairs.map(([, element]) => element)];
  }
  const ours = mine as Record<string, Plain>;
  const isOwn =
    "config" in theirs && JSON.stringify(theirs["parentConfig"]) === JSON.stringify(theirs["config"]);
  const left: Record<string, Plain> = { ...ours };
  const right: Record<string, Plain> = {};
  for (const [key, value] of Object.entries(theirs)) {
    if (isOwn && key === "parentConfig") continue;
    const [one, other] = withoutOwnParents(ours[key] ?? null, value);
    if (key in ours) left[key] = one;
    right[key] = other;
  }
  if (isOwn) delete left["parentConfig"];
  return [left, right];
}
