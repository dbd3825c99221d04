import type { CheckpointPendingWrite } from "@langchain/langgraph-checkpoint";
import { SIGNAL_SLOTS } from "../base/checkpoint.ts";
import type { TaskWrites } from "../changeset/types.ts";
import type { Codec, Json, Reference, Resolve } from "../codec/types.ts";
import { damaged, parse } from "../codec/parse.ts";
import type { WriteRow } from "./backend.ts";
import type { Recorded } from "./state.ts";

/** Slot of a channel: below 0 for the special ones, of which a task has one row each. */
export function slotOf(channel: string): number {
  return SIGNAL_SLOTS.get(channel) ?? 0;
}

/** The rows of a task: one for its regular writes, in their order, and one for each special one. */
export function writeRows(codec: Codec, task: TaskWrites, reference?: Reference): WriteRow[] {
  let parts: [string, string][] | undefined;
  const rows: WriteRow[] = [];
  for (const [channel, value] of task.writes) {
    const text = codec.encode(value, reference);
    const slot = slotOf(channel);
    if (slot !== 0) rows.push({ task: task.taskId, slot, body: `[${printed(channel, text)}]` });
    else if (parts === undefined) parts = [[channel, text]];
    else parts.push([channel, text]);
  }
  if (parts !== undefined) rows.push(new RegularWrites(task.taskId, parts));
  return rows;
}

/** The regular writes of a task, whose text is put together where somebody asks for it: most are stored in pieces. */
class RegularWrites implements WriteRow {
  readonly task: string;
  readonly slot = 0;
  readonly parts: readonly (readonly [string, string])[];

  constructor(task: string, parts: readonly (readonly [string, string])[]) {
    this.task = task;
    this.parts = parts;
  }
  get body(): string {
    let text = "";
    for (const [channel, value] of this.parts) text += `${text === "" ? "[" : ","}${printed(channel, value)}`;
    return `${text}]`;
  }
}

const printed = (channel: string, text: string): string => `[${JSON.stringify(channel)},${text}]`;

/** The writes of a row, parsed and not yet revived. */
export function parseWrites(row: WriteRow): [channel: string, value: Json][] {
  const writes = parse(row.body);
  if (!Array.isArray(writes)) throw damaged("a list of writes");
  return writes as [string, Json][];
}

export function revivedWrites(codec: Codec, row: WriteRow, resolve: Resolve): CheckpointPendingWrite[] {
  return parseWrites(row).map(([channel, value]) => [row.task, channel, codec.revive(value, resolve)]);
}

/** Whether encoded text may hold references; it need not be parsed if not. */
export function mayRefer(text: string): boolean {
  return text.includes('{"$":"item"');
}

/** Every reference in parsed writes, so that the items can be read before they are revived. */
export function* references(node: Json): Generator<readonly [lane: number, from: number, count: number]> {
  if (typeof node !== "object" || node === null) return;
  if (Array.isArray(node)) for (const child of node) yield* references(child);
  else if (node["$"] === "item") yield [Number(node["l"]), Number(node["o"]), Number(node["n"] ?? 1)];
  // data that only looks like a tag is wrapped: its own "$" means nothing
  else if (node["$"] === "=") yield* references(Object.values(node["v"] as { [key: string]: Json }));
  else for (const key of Object.keys(node)) yield* references(node[key] as Json);
}

/** The regular writes of each task. */
export function recordedByTask(writes: readonly CheckpointPendingWrite[]): Map<string, Recorded> {
  const byTask = new Map<string, { task: string; writes: [string, unknown][] }>();
  for (const [task, channel, value] of writes) {
    if (slotOf(channel) !== 0) continue;
    const recorded = byTask.get(task) ?? { task, writes: [] };
    byTask.set(task, recorded);
    recorded.writes.push([channel, value]);
  }
  return byTask;
}
