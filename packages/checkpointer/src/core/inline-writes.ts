import { damaged, parse } from "../codec/parse.ts";
import type { PlainText } from "../codec/plain.ts";
import type { Json } from "../codec/types.ts";
import type { Dictionary, Name } from "../manifest/dictionary.ts";
import type { AlteredNamespace } from "./maintenance.ts";
import { compareWrites } from "./order.ts";
import type { CommitRow, WriteRow } from "./rows.ts";
import { fromShortId, isShort, shortId } from "./short-id.ts";
import { lengthOfPart, textOfPart } from "./write-rows.ts";

/**
 * The writes that a commit brings with it stand in the row of its checkpoint, where that is the next
 * one after their own: a step is one row then. Writes that were recorded before, and special ones,
 * are rows of `writes`, and of two for one place that row is the one that counts.
 *
 * As text: `[task, name, value, name, value, ...]` of one task, a list of these of several.
 */
export function canBeInline({ checkpoint, writes, replaces }: CommitRow): boolean {
  if (replaces || checkpoint.parent === null || checkpoint.seq !== checkpoint.parent + 1) return false;
  let length = 0;
  for (const row of writes) {
    if (row.slot !== 0 || row.parts === undefined) return false;
    for (const part of row.parts) length += lengthOfPart(part) + FRAME / 2;
  }
  return length <= LONGEST;
}

/** Longer writes are rows of their own: checkpoints are read along their chains, and shall stay short. */
const LONGEST = 1024;
/** Characters around a write's name and value, about. */
const FRAME = 6;

/** Sequence numbers of checkpoints whose inline writes have to become rows before a namespace is altered. */
export function touchedBy({ drop, checkpoints, writes }: AlteredNamespace): Set<number> {
  const touched = new Set<number>();
  for (const seq of drop) touched.add(seq).add(seq + 1);
  for (const { seq } of checkpoints) touched.add(seq);
  for (const { seq } of writes) touched.add(seq + 1);
  return touched;
}

/** @returns undefined for no writes */
export function printInline(writes: readonly WriteRow[], names: Dictionary): string | undefined {
  if (writes.length === 0) return undefined;
  const tasks = writes.map((row) => printTask(row, names));
  return tasks.length === 1 ? tasks[0] : `[${tasks.join(",")}]`;
}

function printTask({ task, parts }: WriteRow, names: Dictionary): string {
  const id = shortId(task);
  let text = isShort(id) ? `["${id}"` : `[${JSON.stringify(id)}`;
  for (let i = 0; i < (parts?.length ?? 0); i += 2) {
    const [channel, value] = [parts?.[i] as string, parts?.[i + 1] as string | PlainText];
    text += `,${names.print(channel)},${textOfPart(value)}`;
  }
  return `${text}]`;
}

/** Rows of slot 0, as they would stand in `writes`. */
export function parseInline(text: string, names: Dictionary): WriteRow[] {
  const parsed = parse(text);
  if (!Array.isArray(parsed)) throw damaged("writes");
  const tasks = Array.isArray(parsed[0]) ? (parsed as Json[][]) : [parsed];
  return tasks.map(([task, ...rest]) => {
    if (typeof task !== "string") throw damaged("the id of a task");
    const writes: [string, Json][] = [];
    for (let i = 0; i < rest.length; i += 2) writes.push([names.text(rest[i] as Name), rest[i + 1] as Json]);
    return { task: fromShortId(task), slot: 0, body: JSON.stringify(writes) };
  });
}

/** The writes under one checkpoint, by task, then slot. @param rows - of the table `writes` */
export function mergedWrites<Row extends WriteRow & { readonly seq?: number }>(
  rows: readonly Row[],
  inline: readonly Row[],
): Row[] {
  if (inline.length === 0) return [...rows];
  const byPlace = new Map(inline.map((row) => [placeOf(row), row]));
  for (const row of rows) byPlace.set(placeOf(row), row);
  return [...byPlace.values()].sort((a, b) => (a.seq ?? 0) - (b.seq ?? 0) || compareWrites(a, b));
}

const placeOf = ({ seq, slot, task }: WriteRow & { readonly seq?: number }): string =>
  `${seq} ${slot} ${task}`;
