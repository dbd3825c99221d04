import type { CheckpointMetadata } from "@langchain/langgraph-checkpoint";
import type { OptionKind } from "@skein/errors";
import type { Codec } from "../codec/types.ts";
import type { CheckpointRow } from "../core/backend.ts";
import { slotOf } from "../core/write-rows.ts";
import { pairsOf } from "../manifest/manifest.ts";
import type { StoredNamespace } from "./stored-thread.ts";

/** What of a thread's past stays. A checkpoint that any of these keeps stays; at least one must be given. */
export interface PruneOptions {
  /** The newest checkpoints of each branch, this many. Default: 0. */
  readonly keepLast?: number;
  /** Checkpoints at which a turn ended: the next one is an input. Default: false. */
  readonly keepTurnBoundaries?: boolean;
  /** Checkpoints younger than this, in milliseconds. Default: none is kept for its age. */
  readonly maxAge?: number;
  /** Milliseconds since 1970. Default: now. */
  readonly now?: number;
}

export const PRUNING: Readonly<Record<keyof PruneOptions, OptionKind>> = {
  keepLast: "any",
  keepTurnBoundaries: "boolean",
  maxAge: "any",
  now: "number",
};

const INTERRUPT = slotOf("__interrupt__");

/** A checkpoint with what decides whether it stays. */
interface Node {
  readonly row: CheckpointRow;
  readonly metadata: CheckpointMetadata & { readonly counters_since_delta_snapshot?: object };
  readonly children: Node[];
  parent: Node | undefined;
}

/** The checkpoints of a thread that stay: what the options say, and what nobody may remove. */
export function keptCheckpoints(
  namespaces: readonly StoredNamespace[],
  codec: Codec,
  options: PruneOptions,
): Set<CheckpointRow> {
  const kept = new Set<CheckpointRow>();
  const root = namespaces.find(({ row }) => row.namespace === "");
  const rootIds = new Map<string, CheckpointRow>(root?.checkpoints.map((row) => [row.id, row]));
  // the root first: it decides about the subgraphs of its runs
  const ordered = [...namespaces].sort((a, b) => a.row.namespace.length - b.row.namespace.length);
  for (const namespace of ordered) {
    const nodes = tree(namespace, codec);
    const isRoot = namespace === root;
    for (const node of nodes.values()) {
      const above = isRoot ? undefined : rootIds.get(String(node.metadata.parents?.[""] ?? ""));
      // a subgraph's run that belongs to a removed checkpoint of the root is never gone back to
      if (above !== undefined && !kept.has(above) && namespace.row.head !== node.row.seq) continue;
      if (above !== undefined && !kept.has(above) && isOfOneTask(namespace.row.namespace)) continue;
      if (isNeeded(namespace, node) || isWanted(node, options)) kept.add(node.row);
    }
    keepLast(nodes, kept, options.keepLast ?? 0, isRoot ? undefined : rootIds);
    for (const node of nodes.values()) if (kept.has(node.row)) keepSeeds(node, kept);
  }
  return kept;
}

/** The namespace of a subgraph that is called anew by every task names that task. */
function isOfOneTask(namespace: string): boolean {
  return namespace.includes(":");
}

function tree({ checkpoints }: StoredNamespace, codec: Codec): Map<number, Node> {
  const nodes = new Map<number, Node>();
  for (const row of checkpoints) {
    const metadata = codec.decode(row.metadata) as Node["metadata"];
    nodes.set(row.seq, { row, metadata, children: [], parent: undefined });
  }
  for (const node of nodes.values()) {
    node.parent = node.row.parent === null ? undefined : nodes.get(node.row.parent);
    node.parent?.children.push(node);
  }
  return nodes;
}

/** Heads, tips, forks, and interrupts that nobody has answered. */
function isNeeded({ row, writes }: StoredNamespace, { row: { seq }, children }: Node): boolean {
  if (row.head === seq || children.length !== 1) return true;
  const answered = children.some(({ metadata }) => metadata.source === "loop");
  return !answered && writes.some((write) => write.seq === seq && write.slot === INTERRUPT);
}

function isWanted({ row, children }: Node, options: PruneOptions): boolean {
  const { keepTurnBoundaries, maxAge, now = Date.now() } = options;
  if (keepTurnBoundaries === true && children.some(({ metadata }) => metadata.source === "input"))
    return true;
  return maxAge !== undefined && !(Date.parse(row.ts) < now - maxAge);
}

/** The last checkpoints of each branch, counted from its tip. */
function keepLast(
  nodes: ReadonlyMap<number, Node>,
  kept: Set<CheckpointRow>,
  count: number,
  roots: ReadonlyMap<string, CheckpointRow> | undefined,
): void {
  for (const tip of nodes.values()) {
    if (tip.children.length > 0 || (roots !== undefined && !kept.has(tip.row))) continue;
    let at: Node | undefined = tip;
    for (let left = count; left > 0 && at !== undefined; left -= 1, at = at.parent) kept.add(at.row);
  }
}

/** A DeltaChannel of LangGraph is put together from the writes since its last snapshot: these stay with it. */
function keepSeeds(node: Node, kept: Set<CheckpointRow>): void {
  const deltas = new Set(Object.keys(node.metadata.counters_since_delta_snapshot ?? {}));
  for (let at = node.parent; at !== undefined && deltas.size > 0; at = at.parent) {
    kept.add(at.row);
    for (const [channel] of pairsOf(at.row.manifest.entries)) deltas.delete(channel);
  }
}
