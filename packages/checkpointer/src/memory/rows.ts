import type { DeltaRow } from "../core/delta-row.ts";
import { flat } from "../core/flat.ts";
import { compareTexts } from "../core/order.ts";
import type { SparseMap } from "../core/sparse-map.ts";
import { WriteRows } from "./writes.ts";
import type {
  CheckpointRow,
  CommitRow,
  HeadRow,
  NewItem,
  SizesRow,
  ThreadPosition,
  ListedThread,
  WriteRow,
} from "../core/backend.ts";

export interface Thread {
  readonly tid: number;
  readonly threadId: string;
  readonly createdAt: number;
  /** When it was last taken, or made. */
  claimedAt: number;
  /** Shared by a thread and its copies. */
  family: number;
  epoch: number;
  generation: number;
  owner: string | null;
  leaseUntil: number | null;
  readonly lanes: SparseMap<number, Lane>;
  readonly namespaces: SparseMap<string, Namespace>;
}

export interface Lane {
  readonly name: string;
  /** By ordinal; a slot may be empty. */
  readonly items: (string | undefined)[];
  /** `NO_KEY` where an item has none: numbers alone stand in a list as they are. */
  readonly keys: number[];
  /** Made when somebody looks for a key: a run looks for none. */
  byKey: Map<number, number[]> | undefined;
}

export interface Namespace {
  readonly nsid: number;
  readonly name: string;
  head: number | null;
  next: number;
  /** By sequence number; a slot may be empty. */
  readonly checkpoints: (DeltaRow | undefined)[];
  /** Made when somebody looks for an id: a run looks for none. */
  byId: Map<string, number> | undefined;
  /** No id is greater. */
  greatestId: string;
  /** By the sequence number of their checkpoint. */
  readonly writes: (WriteRows | WriteRow | undefined)[];
}

export const NO_KEY = -1;

/** The sequence number of a checkpoint. */
export function seqOf(namespace: Namespace, id: string): number | undefined {
  if (id > namespace.greatestId) return undefined;
  namespace.byId ??= new Map(present(namespace).map((row) => [row.id, row.seq]));
  return namespace.byId.get(id);
}

/** The checkpoints that are there, by sequence number. */
export function present({ checkpoints }: Namespace): DeltaRow[] {
  return checkpoints.filter((row) => row !== undefined);
}

export function putCheckpoint(namespace: Namespace, row: DeltaRow): void {
  const { checkpoints, byId } = namespace;
  checkpoints[row.seq] = row;
  byId?.set(row.id, row.seq);
  if (row.id > namespace.greatestId) namespace.greatestId = row.id;
}

export function headRow(thread: Thread, namespace: Namespace | undefined): HeadRow {
  const head = namespace?.head ?? null;
  return {
    tid: thread.tid,
    epoch: thread.epoch,
    generation: thread.generation,
    owner: thread.owner,
    leaseUntil: thread.leaseUntil,
    nsid: namespace?.nsid ?? null,
    head,
    headId: head === null ? null : (namespace?.checkpoints[head]?.id ?? null),
    next: namespace?.next ?? 1,
    pending: head !== null && namespace?.writes[head] !== undefined,
  };
}

export function emptyLane(name: string): Lane {
  return { name, items: [], keys: [], byKey: undefined };
}

export function putItem(thread: Thread, { lane: number, ord, key, body }: NewItem): void {
  const lane = thread.lanes.get(number) as Lane;
  const { items, keys, byKey } = lane;
  const known = items[ord] !== undefined && keys[ord] === key;
  items[ord] = flat(body);
  keys[ord] = key ?? NO_KEY;
  if (byKey !== undefined && key !== null && !known) addPlace(byKey, key, ord);
}

/** Ordinals of the items with a key. */
export function ordsOf(lane: Lane, key: number): readonly number[] {
  lane.byKey ??= placesOf(lane);
  return lane.byKey.get(key) ?? [];
}

function placesOf({ items, keys }: Lane): Map<number, number[]> {
  const places = new Map<number, number[]>();
  for (const [ord, key] of keys.entries()) {
    if (key !== NO_KEY && items[ord] !== undefined) addPlace(places, key, ord);
  }
  return places;
}

function addPlace(places: Map<number, number[]>, key: number, ord: number): void {
  const known = places.get(key);
  if (known === undefined) places.set(key, [ord]);
  else known.push(ord);
}

export function withParentId(namespace: Namespace, row: DeltaRow): CheckpointRow {
  const stored = row.parent === null ? undefined : namespace.checkpoints[row.parent];
  return stored === undefined ? row : row.withParentId(stored.id);
}

export function writesUnder(namespace: Namespace, seq: number): WriteRows {
  const known = namespace.writes[seq];
  if (known instanceof WriteRows) return known;
  return (namespace.writes[seq] = new WriteRows(known === undefined ? [] : [known]));
}

/** Adds rows. Nearly every checkpoint has one, which stands there by itself. */
export function addWrites(namespace: Namespace, seq: number, rows: readonly WriteRow[]): void {
  if (rows.length === 0) return;
  if (rows.length === 1 && namespace.writes[seq] === undefined) namespace.writes[seq] = rows[0];
  else for (const row of rows) writesUnder(namespace, seq).set(row);
}

/** The writes under a checkpoint. */
export function writesAt({ writes }: Namespace, seq: number): readonly WriteRow[] {
  const known = writes[seq];
  if (known === undefined) return [];
  return known instanceof WriteRows ? known.values() : [known];
}

export function isTaken(thread: Thread, namespace: Namespace | undefined, commit: CommitRow): boolean {
  const { checkpoint, lanes, items } = commit;
  if (namespace !== undefined && !commit.replaces) {
    if (namespace.checkpoints[checkpoint.seq] !== undefined) return true;
    if (seqOf(namespace, checkpoint.id) !== undefined) return true;
  }
  if (items.length === 0 && lanes.length === 0) return false;
  if (lanes.some(({ lane }) => thread.lanes.get(lane) !== undefined)) return true;
  return items.some(({ lane, ord }) => thread.lanes.get(lane)?.items[ord] !== undefined);
}

export function threadRow(thread: Thread): ListedThread {
  const root = thread.namespaces.get("");
  const head = root?.head === null ? undefined : root?.checkpoints[root.head];
  let checkpoints = 0;
  for (const namespace of thread.namespaces.values()) checkpoints += present(namespace).length;
  const claimedAt = new Date(thread.claimedAt).toISOString();
  return {
    threadId: thread.threadId,
    createdAt: new Date(thread.createdAt).toISOString(),
    updatedAt: head !== undefined && compareTexts(head.ts, claimedAt) > 0 ? head.ts : claimedAt,
    headId: head?.id ?? null,
    checkpoints,
    epoch: thread.epoch,
  };
}

export function comparePositions(a: ThreadPosition, b: ThreadPosition): number {
  return compareTexts(a.updatedAt, b.updatedAt) || compareTexts(a.threadId, b.threadId);
}

/** In UTF-8; a page has no Buffer. */
const bytesOf = (text: string): number => new TextEncoder().encode(text).length;

export function threadSizes(thread: Thread): Omit<SizesRow, "totalBytes" | "logBytes"> {
  let [items, itemBytes, writeBytes, manifestBytes] = [0, 0, 0, 0];
  for (const lane of thread.lanes.values()) {
    for (const body of lane.items) {
      if (body === undefined) continue;
      items += 1;
      itemBytes += bytesOf(body);
    }
  }
  for (const namespace of thread.namespaces.values()) {
    for (const row of present(namespace)) manifestBytes += row.weight;
    for (const seq of namespace.writes.keys()) {
      for (const row of writesAt(namespace, seq)) writeBytes += bytesOf(row.body);
    }
  }
  return { items, itemBytes, writeBytes, manifestBytes };
}
