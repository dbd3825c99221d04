import { wait, type Steps } from "../awaitable.ts";
import type { CheckpointRow } from "../core/backend.ts";
import type { RunClaim } from "../core/claims.ts";
import type { ItemLog } from "../core/item-log.ts";
import type { AlteredNamespace, WriteAt } from "../core/maintenance.ts";
import { ownBase } from "../core/own-base.ts";
import { unaltered, type StoredNamespace } from "./stored-thread.ts";
import { ItemUses } from "./uses.ts";

/** What was removed, and what stays. */
export interface PruneReport {
  readonly checkpointsRemoved: number;
  readonly checkpointsKept: number;
  /** Messages, list elements and longer values that no checkpoint needs any more. */
  readonly itemsRemoved: number;
}

interface Keeping {
  /** Of each namespace, one that is kept. Default: its head, if that is kept, else the newest. */
  readonly headOf?: (namespace: StoredNamespace) => number | null;
  /** A checkpoint that is kept, and the writes that are left under it. Default: all writes are left. */
  readonly rewritten?: { readonly checkpoint: CheckpointRow; readonly writes: readonly WriteAt[] };
}

/**
 * Removes all other checkpoints, and the items that only they needed.
 *
 * @returns undefined when the thread was written to meanwhile
 */
export function* keepOnly(
  log: ItemLog,
  claim: RunClaim,
  namespaces: readonly StoredNamespace[],
  kept: ReadonlySet<CheckpointRow>,
  { headOf = ({ row, checkpoints }) => newestKept(row.head, checkpoints, kept), rewritten }: Keeping = {},
): Steps<PruneReport | undefined> {
  const { threadId } = claim;
  const isEmptied = kept.size === 0;
  const altered = namespaces.map((namespace) => {
    const { change, rest } = withRewritten(withoutOthers(namespace, kept, threadId), rewritten);
    // a thread of which nothing is left is none: its namespaces are as those that nothing was stored in
    const next = isEmptied ? 1 : change.next;
    return { change: { ...change, head: headOf(namespace), next }, rest };
  });
  const uses = new ItemUses(log.backend, claim.tid);
  for (const { checkpoints, writes } of altered.map(({ rest }) => rest)) {
    for (const { manifest } of checkpoints) yield* uses.manifest(manifest);
    for (const { body } of writes) uses.text(body);
  }
  const lanes = yield* wait(log.backend.lanes(claim.tid));
  yield* uses.values(lanes);
  const before = yield* wait(log.backend.sizes(threadId));
  const done = yield* wait(
    log.backend.alter({
      claim,
      namespaces: altered.map(({ change }) => change),
      lanes: [],
      items: [],
      dropItems: lanes.flatMap((lane) => uses.unused(lane)),
      overwrite: false,
    }),
  );
  if (!done) return undefined;
  const after = yield* wait(log.backend.sizes(threadId));
  const checkpoints = namespaces.reduce((sum, namespace) => sum + namespace.checkpoints.length, 0);
  const checkpointsKept = altered.reduce((sum, { rest }) => sum + rest.checkpoints.length, 0);
  return {
    checkpointsRemoved: checkpoints - checkpointsKept,
    checkpointsKept,
    itemsRemoved: (before?.items ?? 0) - (after?.items ?? 0),
  };
}

function newestKept(
  head: number | null,
  checkpoints: readonly CheckpointRow[],
  kept: ReadonlySet<CheckpointRow>,
): number | null {
  const isKept = head === null || checkpoints.some((row) => row.seq === head && kept.has(row));
  return isKept ? head : (checkpoints.findLast((row) => kept.has(row))?.seq ?? null);
}

interface Pruned {
  readonly change: AlteredNamespace;
  /** What is there afterwards. */
  readonly rest: Pick<StoredNamespace, "checkpoints" | "writes">;
}

/** Drops what is not kept. What was built on something dropped becomes a base, and a child of the nearest ancestor that stays. */
function withoutOthers(
  namespace: StoredNamespace,
  kept: ReadonlySet<CheckpointRow>,
  threadId: string,
): Pruned {
  const { row, checkpoints, writes } = namespace;
  const bySeq = new Map(checkpoints.map((checkpoint) => [checkpoint.seq, checkpoint]));
  const changed: CheckpointRow[] = [];
  const drop: number[] = [];
  const rest: CheckpointRow[] = [];
  for (const checkpoint of checkpoints) {
    if (!kept.has(checkpoint)) {
      drop.push(checkpoint.seq);
      continue;
    }
    const parent = checkpoint.parent === null ? undefined : bySeq.get(checkpoint.parent);
    if (parent === undefined || kept.has(parent)) {
      rest.push(checkpoint);
      continue;
    }
    const rebased = asOwnBase(checkpoint, bySeq, keptAncestor(parent, bySeq, kept), threadId);
    changed.push(rebased);
    rest.push(rebased);
  }
  const left = new Set(rest.map(({ seq }) => seq));
  return {
    change: { ...unaltered(row), checkpoints: changed, drop },
    rest: { checkpoints: rest, writes: writes.filter(({ seq }) => left.has(seq)) },
  };
}

/** What is dropped is dropped before anything is stored: the checkpoint comes back without its other writes. */
function withRewritten(pruned: Pruned, rewritten: Keeping["rewritten"]): Pruned {
  const { change, rest } = pruned;
  if (rewritten === undefined || !rest.checkpoints.includes(rewritten.checkpoint)) return pruned;
  const { checkpoint, writes } = rewritten;
  return {
    change: {
      ...change,
      checkpoints: [...change.checkpoints, checkpoint],
      drop: [...change.drop, checkpoint.seq],
      writes,
    },
    rest: { ...rest, writes: [...rest.writes.filter(({ seq }) => seq !== checkpoint.seq), ...writes] },
  };
}

function keptAncestor(
  from: CheckpointRow,
  bySeq: ReadonlyMap<number, CheckpointRow>,
  kept: ReadonlySet<CheckpointRow>,
): CheckpointRow | undefined {
  let at: CheckpointRow | undefined = from;
  while (at !== undefined && !kept.has(at)) at = at.parent === null ? undefined : bySeq.get(at.parent);
  return at;
}

function asOwnBase(
  checkpoint: CheckpointRow,
  bySeq: ReadonlyMap<number, CheckpointRow>,
  parent: CheckpointRow | undefined,
  threadId: string,
): CheckpointRow {
  const base = ownBase(checkpoint, chainOf(checkpoint, bySeq), threadId);
  return { ...base, parent: parent?.seq ?? null, parentId: null };
}

function chainOf(last: CheckpointRow, bySeq: ReadonlyMap<number, CheckpointRow>): CheckpointRow[] {
  const chain: CheckpointRow[] = [];
  for (let at: CheckpointRow | undefined = last; at !== undefined; at = bySeq.get(at.parent ?? 0)) {
    chain.push(at);
    if (at.base === at.seq) break;
  }
  return chain;
}
