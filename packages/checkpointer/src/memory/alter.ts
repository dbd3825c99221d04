import type { Alteration, AlteredNamespace } from "../core/maintenance.ts";
import { DeltaRow } from "../core/delta-row.ts";
import {
  addWrites,
  emptyLane,
  present,
  putCheckpoint,
  putItem,
  writesAt,
  type Lane,
  type Namespace,
  type Thread,
} from "./rows.ts";

/** Whether every namespace still is as the one who asked has seen it. */
export function isAsSeen(thread: Thread, { namespaces }: Alteration): boolean {
  return namespaces.every(({ name, seen }) => {
    if (seen === undefined) return true;
    const namespace = thread.namespaces.get(name);
    return (namespace?.head ?? null) === seen.head && (namespace?.next ?? 1) === seen.next;
  });
}

/** Applies a change whose namespaces are there. */
export function applyAlteration(thread: Thread, change: Alteration): void {
  thread.generation += 1;
  for (const { lane, name } of change.lanes) thread.lanes.set(lane, emptyLane(name));
  for (const item of change.items) putItem(thread, item);
  for (const dropped of change.dropItems) dropItems(thread.lanes.get(dropped.lane), dropped);
  for (const altered of change.namespaces) {
    alterNamespace(thread.namespaces.get(altered.name) as Namespace, altered);
  }
}

/** The length of the list stays, so that no ordinal is given twice. */
function dropItems(lane: Lane | undefined, { from, to }: { from: number; to: number }): void {
  if (lane === undefined) return;
  const { items, keys, byKey } = lane;
  for (let ord = from; ord < Math.min(to, items.length); ord += 1) {
    if (items[ord] === undefined) continue;
    items[ord] = undefined;
    const key = keys[ord] as number;
    const rest = byKey?.get(key)?.filter((other) => other !== ord);
    if (rest !== undefined) byKey?.set(key, rest);
  }
}

function alterNamespace(namespace: Namespace, altered: AlteredNamespace): void {
  for (const seq of altered.drop) {
    const row = namespace.checkpoints[seq];
    if (row !== undefined) namespace.byId?.delete(row.id);
    namespace.checkpoints[seq] = undefined;
    namespace.writes[seq] = undefined;
  }
  for (const row of altered.checkpoints) putCheckpoint(namespace, DeltaRow.of(row));
  for (const { seq, task, slot, body } of altered.writes) {
    addWrites(namespace, seq, [{ task, slot, body }]);
  }
  namespace.head = altered.head;
  namespace.next = altered.next;
}

export function copyOfLane({ name, items, keys }: Lane): Lane {
  return { name, items: [...items], keys: [...keys], byKey: undefined };
}

export function copyNamespace(from: Namespace, to: Namespace): void {
  to.head = from.head;
  to.next = from.next;
  for (const row of present(from)) putCheckpoint(to, row);
  for (const seq of from.writes.keys()) addWrites(to, seq, writesAt(from, seq));
}
