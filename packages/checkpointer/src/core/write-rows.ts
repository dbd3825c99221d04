import type { CheckpointPendingWrite } from "@langchain/langgraph-checkpoint";
import { SIGNAL_SLOTS } from "../base/checkpoint.ts";
import type { LateId, TaskWrites } from "../changeset/types.ts";
import { isPlain, PlainText } from "../codec/plain.ts";
import { encodeIn } from "../codec/refused.ts";
import type { Codec, Json, Resolve } from "../codec/types.ts";
import { damaged, parse } from "../codec/parse.ts";
import type { WriteRow } from "./backend.ts";
import { flat } from "./flat.ts";
import type { Recorded } from "./state.ts";

/** The id of a task, made now if it was not before. */
export function textOf(taskId: string | LateId): string {
  return typeof taskId === "string" ? taskId : taskId.text;
}

/** Slot of a channel: below 0 for the special ones, of which a task has one row each. */
export function slotOf(channel: string): number {
  return SIGNAL_SLOTS.get(channel) ?? 0;
}

/** Knows of objects which items they are. */
export interface Items {
  find(value: object): readonly [lane: number, ord: number] | undefined;
}

/** The rows of a task: one for its regular writes, in their order, and one for each special one. */
export function writeRows(codec: Codec, { taskId, writes }: TaskWrites, items?: Items): WriteRow[] {
  // of just the length that it needs, because it is kept
  const parts = new Array<string | PlainText>(2 * writes.length); // oxlint-disable-line no-new-array
  let at = 0;
  let special: WriteRow[] | undefined;
  for (const [channel, value] of writes) {
    const part = encoded(codec, channel, value, items);
    const slot = slotOf(channel);
    if (slot === 0) {
      parts[at++] = channel;
      parts[at++] = part;
    } else
      (special ??= []).push({ task: textOf(taskId), slot, body: `[${printed(channel, textOfPart(part))}]` });
  }
  if (at === 0) return special ?? [];
  if (at < parts.length) parts.length = at;
  const regular = new RegularWrites(taskId, parts);
  return special === undefined ? [regular] : [...special, regular];
}

function encoded(
  codec: Codec,
  channel: string,
  value: unknown,
  items: Items | undefined,
): string | PlainText {
  if (isPlain(codec, value)) return PlainText.of(value);
  const reference = items === undefined ? undefined : (part: object) => items.find(part);
  return flat(encodeIn(channel, codec, value, reference));
}

/** About the characters of a part of regular writes. */
export function lengthOfPart(part: string | PlainText): number {
  return typeof part === "string"
    ? part.length
    : PLAIN_LENGTH + (typeof part.value === "string" ? part.value.length : 0);
}
const PLAIN_LENGTH = 4;

/** The text of a part of regular writes. */
export function textOfPart(part: string | PlainText): string {
  return typeof part === "string" ? part : part.text;
}

/** Channel, value, channel, value ... */
export type WriteParts = readonly (string | PlainText)[];

/** The regular writes of a task, whose id and text are made where somebody asks for them: most are stored in pieces. */
class RegularWrites implements WriteRow {
  readonly parts: WriteParts;
  #taskId: string | LateId;

  constructor(taskId: string | LateId, parts: WriteParts) {
    this.#taskId = taskId;
    this.parts = parts;
  }
  get slot(): number {
    return 0;
  }
  get task(): string {
    return (this.#taskId = textOf(this.#taskId));
  }
  get body(): string {
    let text = "";
    for (let i = 0; i < this.parts.length; i += 2) {
      const [channel, value] = [this.parts[i] as string, this.parts[i + 1] as string | PlainText];
      text += `${text === "" ? "[" : ","}${printed(channel, textOfPart(value))}`;
    }
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

/** The regular writes of a task with more of them behind. */
export function joined(before: WriteRow, { body }: WriteRow): WriteRow {
  return { task: before.task, slot: 0, body: `${before.body.slice(0, -1)},${body.slice(1)}` };
}

/** What a task wrote to channels. */
export function regularOf<W extends TaskWrites["writes"][number]>(writes: readonly W[]): W[] {
  return writes.filter(([channel]) => slotOf(channel) === 0);
}

/** The regular writes of a task that are to be stored, in pieces; see `WriteRow`. */
export function partsIn(rows: readonly WriteRow[]): WriteParts {
  return rows.find(({ slot }) => slot === 0)?.parts ?? [];
}

/** The row of regular writes. */
export function regularRow(taskId: string | LateId, parts: WriteParts): WriteRow {
  return new RegularWrites(taskId, parts);
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

/** The regular writes of each task that were read, with what they say now. */
export function recordedByTask(
  codec: Codec,
  writes: readonly CheckpointPendingWrite[],
  items: Items,
): Map<string, Recorded> {
  const byTask = new Map<string, [channel: string, value: unknown][]>();
  for (const [task, channel, value] of writes) {
    if (slotOf(channel) !== 0) continue;
    const known = byTask.get(task);
    if (known === undefined) byTask.set(task, [[channel, value]]);
    else known.push([channel, value]);
  }
  const recorded = new Map<string, Recorded>();
  for (const [task, own] of byTask)
    recorded.set(task, { task, writes: own, parts: partsOf(codec, { taskId: task, writes: own }, items) });
  return recorded;
}

/** Empty for what could be read and could not be stored again, as by a codec with another limit. */
function partsOf(codec: Codec, task: TaskWrites, items: Items): WriteParts {
  try {
    return partsIn(writeRows(codec, task, items));
  } catch {
    return [];
  }
}
