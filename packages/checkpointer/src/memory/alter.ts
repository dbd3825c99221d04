import type { Alteration, AlteredNamespace } from "../core/maintenance.ts";
import type { KeptRows } from "./kept-rows.ts";
import { emptyLane, putItem, writesUnder, type Lane, type Namespace, type Thread } from "./rows.ts";
import { WriteRows } from "./writes.ts";

/** Whether every namespace still is as the one who asked has seen it. */
export function isAsSeen(thread: Thread, { namespaces }: Alteration): boolean {
  return namespaces.every(({ name, seen }) => {
    if (seen === undefined) return true;
    const namespace = thread.namespaces.get(name);
    return (namespace?.head ?? null) === seen.head && (namespace?.next ?? 1) === seen.next;
  });
}

/** Applies a change whose namespaces are there. */
export function applyAlteration(thread: Thread, change: Alteration, keptRows: KeptRows): void {
  thread.generation += 1;
  for (const { lane, name } of change.lanes) thread.lanes.set(lane, emptyLane(name));
  for (const item of change.items) putItem(thread, item);
  for (const dropped of change.dropItems) dropItems(thread.lanes.get(dropped.lane), dropped);
  for (const altered of change.namespaces) {
    alterNamespace(thread.namespaces.get(altered.name) as Namespace, altered, keptRows);
  }
}

/** The length of the list stays, so that no ordinal is given twice. */
function dropItems(lane: Lane | undefined, { from, to }: { from: number; to: number }): void {
  for (let ord = from; ord < Math.min(to, lane?.items.length ?? 0); ord += 1) {
    const key = lane?.keys[ord] ?? null;
    if (lane === undefined || lane.items[ord] === undefined) continue;
    lane.items[ord] = undefined;
    if (key === null) continue;
    const rest = (lane.byKey.get(key) ?? []).filter((other) => other !== ord);
    if (rest.length === 0) lane.byKey.delete(key);
    else lane.byKey.set(key, rest);
  }
}

function alterNamespace(namespace: Namespace, altered: AlteredNamespace, keptRows: KeptRows): void {
  for (const seq of altered.drop) {
    const row = namespace.checkpoints.get(seq);
    if (row !== undefined) namespace.byId.delete(row.id);
    namespace.checkpoints.delete(seq);
    namespace.writes.delete(seq);
  }
  for (const row of altered.checkpoints) {
    namespace.checkpoints.set(row.seq, keptRows.of(row));
    namespace.byId.set(row.id, row.seq);
  }
  for (const { seq, task, slot, body } of altered.writes) {
    writesUnder(namespace, seq).set({ task, slot, body });
  }
  namespace.head = altered.head;
  namespace.next = altered.next;
}

export function copyOfLane({ name, items, keys, byKey }: Lane): Lane {
  return {
    name,
    items: [...items],
    keys: [...keys],
    byKey: new Map([...byKey].map(([key, ords]) => [key, [...ords]])),
  };
}

export function copyNamespace(from: Namespace, to: Namespace): void {
  to.head = from.head;
  to.next = from.next;
  for (const [seq, row] of from.checkpoints) to.checkpoints.set(seq, row);
  for (const [id, seq] of from.byId) to.byId.set(id, seq);
  for (const [seq, rows] of from.writes) to.writes.set(seq, new WriteRows(rows.values()));
}
