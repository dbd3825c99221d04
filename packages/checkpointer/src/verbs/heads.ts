import { GraphError } from "@skein/errors";
import type { Steps } from "../awaitable.ts";
import { wait } from "../awaitable.ts";
import type { Claim } from "../changeset/types.ts";
import type { Codec } from "../codec/types.ts";
import type { CheckpointRow } from "../core/backend.ts";
import { lostThread } from "../core/claims.ts";
import { unknownCheckpoint } from "../core/commits.ts";
import type { ItemLog } from "../core/item-log.ts";
import type { AlteredNamespace } from "../core/maintenance.ts";
import { keepSeeds } from "./keep.ts";
import { keepOnly, type PruneReport } from "./remove.ts";
import { unanswered } from "./unanswered.ts";
import { findThread, readNamespaces, unaltered, withThread, type StoredNamespace } from "./stored-thread.ts";

/**
 * Makes a stored checkpoint the head of its thread. Nothing is copied and nothing is lost: what came
 * after it stays as a branch. A subgraph that keeps its state between runs goes to where it was then.
 */
export function* moveHead(log: ItemLog, threadId: string, checkpointId: string): Steps<void> {
  yield* findThread(log.backend, threadId);
  yield* withThread(log, threadId, function* (claim) {
    const namespaces = yield* readNamespaces(log.backend, threadId);
    const root = namespaces.find(({ row }) => row.namespace === "");
    const target = root?.checkpoints.find(({ id }) => id === checkpointId);
    if (root === undefined || target === undefined) throw unknownCheckpoint(threadId, checkpointId);
    const lineage = new Set(ancestors(root, target).map(({ id }) => id));
    const altered = namespaces.flatMap((namespace): AlteredNamespace[] => {
      const head = (namespace === root ? target : newestOf(namespace, lineage, log.codec))?.seq ?? null;
      // what is put to another one meanwhile is as if it were put afterwards
      if (namespace !== root && head === namespace.row.head) return [];
      return [{ ...unaltered(namespace.row), head }];
    });
    const done = yield* wait(
      log.backend.alter({
        claim,
        namespaces: altered,
        lanes: [],
        items: [],
        dropItems: [],
        overwrite: false,
      }),
    );
    return done ? true : undefined;
  });
}

/** A checkpoint and what it goes back to. */
function ancestors({ checkpoints }: StoredNamespace, from: CheckpointRow): CheckpointRow[] {
  const bySeq = new Map(checkpoints.map((row) => [row.seq, row]));
  const found: CheckpointRow[] = [];
  for (let at: CheckpointRow | undefined = from; at !== undefined; at = bySeq.get(at.parent ?? 0))
    found.push(at);
  return found;
}

function newestOf(
  { checkpoints }: StoredNamespace,
  lineage: ReadonlySet<string>,
  codec: Codec,
): CheckpointRow | undefined {
  return checkpoints.findLast((row) => {
    const above = rootOf(row, codec);
    return above === undefined || lineage.has(above);
  });
}

/** Whether a subgraph has stored something under a checkpoint of the root graph. */
function hasUnder({ checkpoints }: StoredNamespace, id: string | undefined, codec: Codec): boolean {
  return checkpoints.some((row) => rootOf(row, codec) === id);
}

/** The checkpoint of the root graph under which a subgraph's was made. */
function rootOf(row: CheckpointRow, codec: Codec): string | undefined {
  return (codec.decode(row.metadata) as { parents?: Record<string, string> }).parents?.[""];
}

/**
 * Removes a branch: the checkpoints from its tip back to where it began. What other branches need
 * stays.
 *
 * @throws GraphError INVALID_CONFIGURATION when the head is on it, or when the checkpoint is no tip
 */
export function* deleteBranch(log: ItemLog, threadId: string, tipId: string): Steps<PruneReport> {
  yield* findThread(log.backend, threadId);
  return yield* withThread(log, threadId, function* (claim) {
    const namespaces = yield* readNamespaces(log.backend, threadId);
    const root = namespaces.find(({ row }) => row.namespace === "");
    const tip = root?.checkpoints.find(({ id }) => id === tipId);
    if (root === undefined || tip === undefined) throw unknownCheckpoint(threadId, tipId);
    const kept = without(namespaces, root, ownCheckpoints(root, tip, threadId), log.codec);
    return yield* keepOnly(log, claim, namespaces, kept);
  });
}

/**
 * Takes a thread back, for the holder of its claim: what was stored between its head and an earlier
 * checkpoint is removed, and that one is the head. Branches stay with what they need.
 *
 * @param checkpointId - undefined: to before everything; of a thread without branches nothing is left
 * @param isUnanswered - whether the checkpoint is left with its questions as they were before the last answer,
 *   unless subgraphs have stored something under it
 * @throws GraphError UNKNOWN_CHECKPOINT when the head does not go back to it, THREAD_CONFLICT when
 *   somebody else has the thread by now; nothing was changed
 */
export function* rewind(
  log: ItemLog,
  given: Claim,
  checkpointId: string | undefined,
  isUnanswered: boolean,
): Steps<void> {
  const claim = log.held(given);
  const { threadId } = claim;
  const namespaces = yield* readNamespaces(log.backend, threadId);
  const root = namespaces.find(({ row }) => row.namespace === "");
  if (root === undefined) throw lostThread(threadId);
  const lineage = ancestorsOfHead(root);
  const target = lineage.find(({ id }) => id === checkpointId);
  if (target === undefined && checkpointId !== undefined) {
    // a third run that took the thread meanwhile may have taken it back further
    const row = yield* wait(log.backend.find(threadId, ""));
    throw row?.epoch === claim.epoch ? unknownCheckpoint(threadId, checkpointId) : lostThread(threadId);
  }
  const since = target === undefined ? lineage : lineage.slice(0, lineage.indexOf(target));
  const kept = without(namespaces, root, untilFork(root, since), log.codec);
  const before = new Set(lineage.slice(since.length).map(({ id }) => id));
  const headOf = (namespace: StoredNamespace): number | null =>
    (namespace === root ? target : newestOf(namespace, before, log.codec))?.seq ?? null;
  // a subgraph has taken the answer, too: its question would not wait again with that of the root graph
  const asksAgain =
    isUnanswered && !namespaces.some((one) => one !== root && hasUnder(one, target?.id, log.codec));
  const rewritten =
    target !== undefined && asksAgain
      ? { checkpoint: target, writes: unanswered(root.writes.filter(({ seq }) => seq === target.seq)) }
      : undefined;
  const done = yield* keepOnly(log, claim, namespaces, kept, { headOf, ...(rewritten && { rewritten }) });
  log.forget(threadId);
  if (done === undefined) throw lostThread(threadId);
}

function ancestorsOfHead(root: StoredNamespace): CheckpointRow[] {
  const head = root.checkpoints.find(({ seq }) => seq === root.row.head);
  return head === undefined ? [] : ancestors(root, head);
}

/** From a checkpoint backwards, those that no other branch goes back to. */
function untilFork({ checkpoints }: StoredNamespace, from: readonly CheckpointRow[]): Set<CheckpointRow> {
  const children = childCounts(checkpoints);
  const shared = from.findIndex(({ seq }, at) => (children.get(seq) ?? 0) > (at === 0 ? 0 : 1));
  return new Set(shared === -1 ? from : from.slice(0, shared));
}

/**
 * All checkpoints but some of the root graph, and those of subgraphs that were made under them. On LangGraph's
 * engine a subgraph that keeps its state goes on from where it was on whatever branch: of those, what later
 * ones are put together from stays.
 */
function without(
  namespaces: readonly StoredNamespace[],
  root: StoredNamespace,
  removed: ReadonlySet<CheckpointRow>,
  codec: Codec,
): Set<CheckpointRow> {
  const removedIds = new Set([...removed].map(({ id }) => id));
  const kept = new Set(root.checkpoints.filter((row) => !removed.has(row)));
  for (const namespace of namespaces) {
    if (namespace === root) continue;
    for (const row of namespace.checkpoints) {
      if (!removedIds.has(rootOf(row, codec) ?? "")) kept.add(row);
    }
  }
  keepSeeds(namespaces, kept, codec);
  return kept;
}

/** How many checkpoints come directly after one, by its sequence number. */
function childCounts(checkpoints: readonly CheckpointRow[]): ReadonlyMap<number, number> {
  const children = new Map<number, number>();
  for (const { parent } of checkpoints) {
    if (parent !== null) children.set(parent, (children.get(parent) ?? 0) + 1);
  }
  return children;
}

/** What only this branch has. */
function ownCheckpoints(root: StoredNamespace, tip: CheckpointRow, threadId: string): Set<CheckpointRow> {
  const children = childCounts(root.checkpoints);
  if (children.has(tip.seq)) throw noTip(threadId, tip.id);
  const own = new Set<CheckpointRow>();
  for (const row of ancestors(root, tip)) {
    if ((children.get(row.seq) ?? 0) > 1) break;
    if (row.seq === root.row.head) throw holdsHead(threadId, tip.id);
    own.add(row);
  }
  return own;
}

function noTip(threadId: string, id: string): GraphError {
  return new GraphError(
    "INVALID_CONFIGURATION",
    `Checkpoint "${id}" of thread "${threadId}" is not the tip of a branch: others follow it. Nothing was changed; list the branches to see their tips.`,
    { details: { threadId, id } },
  );
}

function holdsHead(threadId: string, id: string): GraphError {
  return new GraphError(
    "INVALID_CONFIGURATION",
    `The head of thread "${threadId}" is on the branch that ends at "${id}". Nothing was changed; switch to another branch first, or delete the thread.`,
    { details: { threadId, id } },
  );
}
