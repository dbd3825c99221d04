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
  /** Checkpoints at which a turn ended, and the inputs with which the next began: `undo` goes by these. Default: false. */
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
  /** The checkpoint of the root graph under which a subgraph's was made. */
  readonly under: string | undefined;
  readonly children: Node[];
  parent: Node | undefined;
}

/** By sequence number, in its order: a checkpoint comes after the one that it follows. */
type Tree = ReadonlyMap<number, Node>;

/** The checkpoints of a thread that stay: what the options say, and what nobody may remove. */
export function keptCheckpoints(
  namespaces: readonly StoredNamespace[],
  codec: Codec,
  options: PruneOptions,
): Set<CheckpointRow> {
  const kept = new Set<CheckpointRow>();
  const trees = new Map(namespaces.map((namespace) => [namespace, tree(namespace, codec)]));
  const root = namespaces.find(({ row }) => row.namespace === "");
  // the root first: it decides about the subgraphs of its runs
  const rootNodes: Tree = (root && trees.get(root)) ?? new Map();
  const roots = new Map([...rootNodes.values()].map((node) => [node.row.id, node]));
  if (root !== undefined) {
    for (const node of rootNodes.values())
      if (isNeeded(root, node) || isWanted(node, options)) kept.add(node.row);
    keepLast(rootNodes, kept, options.keepLast ?? 0, false);
  }
  keepStanding(trees, roots, kept);
  for (const [namespace, nodes] of trees) {
    if (namespace === root) continue;
    for (const node of nodes.values()) {
      const above = roots.get(node.under ?? "");
      // a subgraph's run that belongs to a removed checkpoint of the root is never gone back to
      const isOver = above !== undefined && !kept.has(above.row);
      if (isOver && (namespace.row.head !== node.row.seq || isOfOneTask(namespace.row.namespace))) continue;
      if (isNeeded(namespace, node) || isWanted(node, options)) kept.add(node.row);
    }
    keepLast(nodes, kept, options.keepLast ?? 0, true);
  }
  keepOpenRuns(trees, kept);
  for (const [{ writes }, nodes] of trees) keepAllSeeds(nodes, writes, kept);
  return kept;
}

/** In the metadata of threads that have deltas of LangGraph. */
const COUNTERS = "counters_since_delta_snapshot";

/** Of checkpoints that stay, keeps what their deltas are put together from. */
export function keepSeeds(
  namespaces: readonly StoredNamespace[],
  kept: Set<CheckpointRow>,
  codec: Codec,
): void {
  for (const namespace of namespaces) {
    if (namespace.checkpoints.some(({ metadata }) => metadata.includes(COUNTERS)))
      keepAllSeeds(tree(namespace, codec), namespace.writes, kept);
  }
}

/**
 * For each checkpoint of the root that stays, what subgraphs that keep their state held by then, with
 * the checkpoint under which they came to it: by that one they are found when the head is moved there.
 */
function keepStanding(
  trees: ReadonlyMap<StoredNamespace, Tree>,
  roots: ReadonlyMap<string, Node>,
  kept: Set<CheckpointRow>,
): void {
  const subgraphs = [...trees].filter(
    ({ 0: { row } }) => row.namespace !== "" && !isOfOneTask(row.namespace),
  );
  const standing = subgraphs.map(([, nodes]) => standingAt(nodes, roots));
  const staying = [...roots.values()].filter(({ row }) => kept.has(row));
  for (let root = staying.pop(); root !== undefined; root = staying.pop()) {
    for (const at of standing) {
      const found = at.get(root);
      if (found === undefined) continue;
      kept.add(found.row);
      const above = roots.get(found.under ?? "");
      if (above === undefined || kept.has(above.row)) continue;
      kept.add(above.row);
      staying.push(above);
    }
  }
}

/** The newest checkpoint of a subgraph that was made under each of the root's or one that it goes back to. */
function standingAt(nodes: Tree, roots: ReadonlyMap<string, Node>): ReadonlyMap<Node, Node> {
  const under = new Map([...nodes.values()].map((node) => [node.under, node]));
  const standing = new Map<Node, Node>();
  for (const root of roots.values()) {
    const before = root.parent === undefined ? under.get(undefined) : standing.get(root.parent);
    const own = under.get(root.row.id);
    const newest = own === undefined || (before !== undefined && before.row.seq > own.row.seq) ? before : own;
    if (newest !== undefined) standing.set(root, newest);
  }
  return standing;
}

/**
 * Of subgraphs' runs that are to go on: what they did since they took their input. From there the engine
 * reads again what they have written for their callers.
 */
function keepOpenRuns(trees: ReadonlyMap<StoredNamespace, Tree>, kept: Set<CheckpointRow>): void {
  const passed = new Set<string>();
  for (const [{ row }, nodes] of trees) {
    for (const node of nodes.values())
      if (isPassed(node) && row.head !== node.row.seq) passed.add(placeOf(row.namespace, node.row.id));
  }
  for (const [{ row }, nodes] of trees) {
    if (row.namespace === "") continue;
    const open = new Set<Node>();
    for (const node of [...nodes.values()].toReversed()) {
      if (!kept.has(node.row) || isInput(node.metadata) || node.parent === undefined) continue;
      if (!open.has(node) && wasCalledUnder(row.namespace, node, passed)) continue;
      open.add(node.parent);
      kept.add(node.parent.row);
    }
  }
}

const placeOf = (namespace: string, id: string): string => `${namespace}\n${id}`;

/** Whether one of the checkpoints under which it was made is among those given: its run is over then. */
function wasCalledUnder(namespace: string, { metadata }: Node, places: ReadonlySet<string>): boolean {
  return Object.entries(metadata.parents ?? {}).some(
    // what was gone back to within a subgraph is named there, too
    ([above, id]) => (above === "" || namespace.startsWith(`${above}|`)) && places.has(placeOf(above, id)),
  );
}

/** Whether the step that begins at a checkpoint was finished, with all graphs that it called. */
function isPassed({ children }: Node): boolean {
  return children.some(({ metadata }) => metadata.source === "loop");
}

/** The namespace of a subgraph that is called anew by every task names that task. */
function isOfOneTask(namespace: string): boolean {
  return namespace.includes(":");
}

function tree({ checkpoints }: StoredNamespace, codec: Codec): Tree {
  const nodes = new Map<number, Node>();
  for (const row of checkpoints) {
    const metadata = codec.decode(row.metadata) as Node["metadata"];
    const under = metadata.parents?.[""];
    nodes.set(row.seq, { row, metadata, under, children: [], parent: undefined });
  }
  for (const node of nodes.values()) {
    node.parent = node.row.parent === null ? undefined : nodes.get(node.row.parent);
    node.parent?.children.push(node);
  }
  return nodes;
}

/** Heads, tips, forks, and interrupts that nobody has answered. */
function isNeeded({ row, writes }: StoredNamespace, node: Node): boolean {
  const { seq } = node.row;
  if (row.head === seq || node.children.length !== 1) return true;
  return !isPassed(node) && writes.some((write) => write.seq === seq && write.slot === INTERRUPT);
}

function isWanted({ row, metadata, children }: Node, options: PruneOptions): boolean {
  const { keepTurnBoundaries, maxAge, now = Date.now() } = options;
  const isBoundary = [metadata, ...children.map((child) => child.metadata)].some(isInput);
  if (keepTurnBoundaries === true && isBoundary) return true;
  return maxAge !== undefined && !(Date.parse(row.ts) < now - maxAge);
}

const isInput = ({ source }: CheckpointMetadata): boolean => source === "input";

/** The last checkpoints of each branch, counted from its tip. */
function keepLast(nodes: Tree, kept: Set<CheckpointRow>, count: number, onlyOfKept: boolean): void {
  for (const tip of nodes.values()) {
    if (tip.children.length > 0 || (onlyOfKept && !kept.has(tip.row))) continue;
    let at: Node | undefined = tip;
    for (let left = count; left > 0 && at !== undefined; left -= 1, at = at.parent) kept.add(at.row);
  }
}

/**
 * A DeltaChannel of LangGraph is put together from the writes since its last snapshot: these stay with it.
 * Backwards, so that what stays for a later checkpoint can be read itself.
 */
function keepAllSeeds(nodes: Tree, writes: StoredNamespace["writes"], kept: Set<CheckpointRow>): void {
  // looked for at all checkpoints: LangGraph's updateState counts nothing, and neither does our engine
  const deltas = new Set(
    [...nodes.values()].flatMap(({ metadata }) => Object.keys(metadata[COUNTERS] ?? {})),
  );
  for (const channel of deltas) {
    const inNeed = needingParents(nodes, writes, channel);
    for (const node of [...nodes.values()].toReversed())
      if (node.parent !== undefined && inNeed.has(node) && kept.has(node.row)) kept.add(node.parent.row);
  }
}

/**
 * Checkpoints at which a channel is read from what stands above them. LangGraph reads all writes there, also
 * those of a branch that the checkpoint is not on: what it has seen versions of does not say.
 */
function needingParents(nodes: Tree, writes: StoredNamespace["writes"], channel: string): ReadonlySet<Node> {
  const name = JSON.stringify(channel);
  const writtenUnder = new Set(writes.flatMap(({ seq, body }) => (body.includes(name) ? [seq] : [])));
  const holding = new Set<Node>();
  const inNeed = new Set<Node>();
  for (const node of nodes.values()) {
    const { row, parent } = node;
    const entry = new Map(pairsOf(row.manifest.entries)).get(channel);
    const isLeft = entry === undefined && row.base !== row.seq && parent !== undefined;
    if (isLeft ? holding.has(parent) : (entry ?? null) !== null) holding.add(node);
    else if (
      parent !== undefined &&
      (holding.has(parent) || inNeed.has(parent) || writtenUnder.has(parent.row.seq))
    )
      inNeed.add(node);
  }
  return inNeed;
}
