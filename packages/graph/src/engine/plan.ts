import { START, TASKS } from "../ids/names.ts";
import type { ProgramNode } from "../program/program.ts";
import { isSend } from "../program/send.ts";
import type { Snapshot } from "./snapshot.ts";
import { Task } from "./task.ts";

/**
 * The tasks of the next step: one for each pending Send, one for each node with a trigger that is
 * newer than what the node saw. Same snapshot, same plan (I5).
 */
export function plan(snapshot: Snapshot, namespace: string): Task[] {
  const place = { step: snapshot.step, checkpointId: snapshot.checkpointId, namespace };
  const tasks: Task[] = [];
  const sends = snapshot.slot(TASKS);
  if (sends !== undefined && sends.channel.isAvailable()) {
    const packets = sends.channel.get() as unknown[];
    for (let index = 0; index < packets.length; index += 1) {
      const packet = packets[index];
      const node = isSend(packet) ? snapshot.program.nodes.get(packet.node) : undefined;
      // a Send to a node that a newer version of the graph no longer has
      if (node === undefined || !isSend(packet)) continue;
      tasks.push(new Task(node, packet.args, { index, timeout: packet.timeout }, place));
    }
  }
  for (const node of candidates(snapshot)) {
    const trigger = node.triggers.find((channel) => isNewer(snapshot, node, channel));
    if (trigger === undefined) continue;
    const input = inputOf(snapshot, node);
    if (input === undefined && typeof node.input === "function") continue;
    tasks.push(new Task(node, input, { trigger }, place));
  }
  return tasks;
}

/** Whether no step can follow: nothing that the last one changed wakes a node, and no Send waits. */
export function isAtEnd(snapshot: Snapshot): boolean {
  const { program, updated } = snapshot;
  if (updated === undefined) return false;
  for (const channel of updated) if (program.triggers.has(channel)) return false;
  return !snapshot.slot(TASKS)?.channel.isAvailable();
}

/** Nodes worth a look: those that a changed channel wakes, or all when nobody knows what changed. */
function candidates(snapshot: Snapshot): Iterable<ProgramNode> {
  const { program, updated } = snapshot;
  if (updated === undefined) return program.nodes.values();
  let only: readonly ProgramNode[] | undefined;
  let several: Set<ProgramNode> | undefined;
  for (const channel of updated) {
    const woken = program.triggers.get(channel);
    if (woken === undefined) continue;
    if (only === undefined) only = woken;
    else {
      several ??= new Set(only);
      for (const node of woken) several.add(node);
    }
  }
  const list = several === undefined ? (only ?? []) : [...several];
  return list.length < 2 ? list : list.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

function isNewer(snapshot: Snapshot, node: ProgramNode, channel: string): boolean {
  const slot = snapshot.slot(channel);
  if (slot?.version === undefined || !slot.channel.isAvailable()) return false;
  const seen = snapshot.seen.get(node.name)?.get(channel);
  return seen === undefined || slot.version > seen;
}

/** The input of a node that names a lazy channel is filled in when that is loaded. */
function inputOf(snapshot: Snapshot, node: ProgramNode): unknown {
  if (node.lazyInput.length > 0) return undefined;
  if (node.input === "start") return snapshot.slot(START)?.channel.get();
  if (typeof node.input === "function") return node.input((channel) => snapshot.held(channel));
  return snapshot.state(node.input);
}
