import type { TextRow } from "../core/text-row.ts";
import { flat } from "./kept-rows.ts";
import { WriteRows } from "./writes.ts";
import type {
  CheckpointRow,
  CommitRow,
  HeadRow,
  NewItem,
  SizesRow,
  ThreadPosition,
  ThreadRow,
  WriteRow,
} from "../core/backend.ts";

export interface Thread {
  readonly tid: number;
  readonly threadId: string;
  readonly createdAt: number;
  /** Shared by a thread and its copies. */
  family: number;
  epoch: number;
  generation: number;
  owner: string | null;
  leaseUntil: number | null;
  readonly lanes: Map<number, Lane>;
  readonly namespaces: Map<string, Namespace>;
}

export interface Lane {
  readonly name: string;
  /** By ordinal; a slot may be empty. */
  readonly items: (string | undefined)[];
  readonly keys: (number | null)[];
  readonly byKey: Map<number, number[]>;
}

export interface Namespace {
  readonly nsid: number;
  readonly thread: Thread;
  readonly name: string;
  head: number | null;
  next: number;
  readonly checkpoints: Map<number, TextRow>;
  readonly byId: Map<string, number>;
  readonly writes: Map<number, WriteRows>;
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
    headId: head === null ? null : (namespace?.checkpoints.get(head)?.id ?? null),
    next: namespace?.next ?? 1,
    pending: head !== null && namespace?.writes.has(head) === true,
  };
}

export function emptyLane(name: string): Lane {
  return { name, items: [], keys: [], byKey: new Map() };
}

export function putItem(thread: Thread, { lane, ord, key, body }: NewItem): void {
  const { items, keys, byKey } = thread.lanes.get(lane) as Lane;
  const known = items[ord] !== undefined && keys[ord] === key;
  items[ord] = flat(body);
  keys[ord] = key;
  if (key === null || known) return;
  const ords = byKey.get(key);
  if (ords === undefined) byKey.set(key, [ord]);
  else ords.push(ord);
}

export function keptWrite({ task, slot, body }: WriteRow): WriteRow {
  return { task: flat(task), slot, body: flat(body) };
}

export function withParentId(namespace: Namespace, row: TextRow): CheckpointRow {
  const stored = row.parent === null ? undefined : namespace.checkpoints.get(row.parent);
  return stored === undefined ? row : row.withParentId(stored.id);
}

export function writesUnder(namespace: Namespace, seq: number): WriteRows {
  let writes = namespace.writes.get(seq);
  if (writes === undefined) namespace.writes.set(seq, (writes = new WriteRows()));
  return writes;
}

export function isTaken(thread: Thread, namespace: Namespace | undefined, commit: CommitRow): boolean {
  const { checkpoint, lanes, items } = commit;
  if (
    namespace !== undefined &&
    !commit.replaces &&
    (namespace.checkpoints.has(checkpoint.seq) || namespace.byId.has(checkpoint.id))
  ) {
    return true;
  }
  if (lanes.some(({ lane }) => thread.lanes.has(lane))) return true;
  return items.some(({ lane, ord }) => thread.lanes.get(lane)?.items[ord] !== undefined);
}

export function threadRow(thread: Thread): ThreadRow {
  const root = thread.namespaces.get("");
  const head = root?.head === null ? undefined : root?.checkpoints.get(root.head);
  let checkpoints = 0;
  for (const namespace of thread.namespaces.values()) checkpoints += namespace.checkpoints.size;
  const createdAt = new Date(thread.createdAt).toISOString();
  return {
    threadId: thread.threadId,
    createdAt,
    updatedAt: head?.ts ?? createdAt,
    headId: head?.id ?? null,
    checkpoints,
  };
}

export function comparePositions(a: ThreadPosition, b: ThreadPosition): number {
  if (a.updatedAt !== b.updatedAt) return a.updatedAt < b.updatedAt ? -1 : 1;
  return a.threadId === b.threadId ? 0 : a.threadId < b.threadId ? -1 : 1;
}

export function threadSizes(thread: Thread): Omit<SizesRow, "totalBytes" | "logBytes"> {
  let [items, itemBytes, writeBytes, manifestBytes] = [0, 0, 0, 0];
  for (const lane of thread.lanes.values()) {
    for (const body of lane.items) {
      if (body === undefined) continue;
      items += 1;
      itemBytes += Buffer.byteLength(body);
    }
  }
  for (const namespace of thread.namespaces.values()) {
    for (const row of namespace.checkpoints.values()) manifestBytes += row.weight;
    for (const rows of namespace.writes.values()) {
      for (const row of rows.values()) writeBytes += Buffer.byteLength(row.body);
    }
  }
  return { items, itemBytes, writeBytes, manifestBytes };
}
