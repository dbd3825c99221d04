import { parse } from "../codec/parse.ts";
import type { Json } from "../codec/types.ts";
import { pairsOf, type Entry } from "../manifest/manifest.ts";
import type { WriteRow } from "./backend.ts";
import type { Known } from "./known.ts";
import type { KnownMap } from "./known-map.ts";
import type { Draft, Plan } from "./plan.ts";
import type { Stage } from "./stage.ts";
import type { Said } from "./taken.ts";
import { mayRefer, regularRow } from "./write-rows.ts";

/**
 * A draft that was refused, to be planned anew with other ordinals: it says what it said when it was planned
 * first, though the program has gone on since and may have edited in place what it wrote.
 */
export function asPlanned(draft: Draft, { stage, delta, maps, writes }: Plan): Draft {
  if (draft.told !== undefined) return draft;
  const said = new Map<object, Said>();
  const entries = new Map(pairsOf<Entry | null>(delta.entries));
  for (const [channel, change] of draft.channels) {
    const value = change.op === "set" ? change.value : undefined;
    const text = textOfEntry(stage, entries.get(channel), maps.get(channel));
    if (typeof value === "object" && value !== null && text !== undefined)
      said.set(value, { text, content: undefined });
  }
  for (const [element, { known }] of stage.placed.entries()) {
    const { text, content } = known as Known;
    said.set(element, { text: text as string, content });
  }
  const bytes = bytesOf(stage);
  const rows = writes.map((row) => withBytes(row, bytes));
  return { ...draft, told: { said, lists: new Map(), same: stage.same, rows } };
}

function textOfEntry(
  stage: Stage,
  entry: Entry | null | undefined,
  map: KnownMap | undefined,
): string | undefined {
  if (entry?.kind === "inline") return entry.text;
  if (entry?.kind === "item") return stage.textAt(entry.lane, entry.ord);
  if (map === undefined || map.evicted) return undefined;
  return `{${[...map.texts].map(([key, text]) => `${JSON.stringify(key)}:${text}`).join(",")}}`;
}

/** The items that are not stored, by their place. */
type Bytes = ReadonlyMap<string, string>;

const bytesOf = (stage: Stage): Bytes =>
  new Map(stage.items.map(({ lane, ord, body }) => [`${lane}:${ord}`, body]));

/** A row with the bytes of items in the place of references to them. */
function withBytes(row: WriteRow, bytes: Bytes): WriteRow {
  const { task, slot, parts } = row;
  if (parts === undefined) return { task, slot, body: textWithBytes(row.body, bytes) };
  const own = parts.map((part, i) =>
    i % 2 === 1 && typeof part === "string" ? textWithBytes(part, bytes) : part,
  );
  return regularRow(task, own);
}

const textWithBytes = (text: string, bytes: Bytes): string =>
  mayRefer(text) ? JSON.stringify(nodeWithBytes(parse(text), bytes)) : text;

function nodeWithBytes(node: Json, bytes: Bytes): Json {
  if (typeof node !== "object" || node === null) return node;
  if (Array.isArray(node)) return node.flatMap(singles).map((child) => nodeWithBytes(child, bytes));
  if (node["$"] === "item") {
    const body = bytes.get(`${Number(node["l"])}:${Number(node["o"])}`);
    return body === undefined ? node : parse(body);
  }
  // data that only looks like a tag is wrapped: its own "$" means nothing
  const fields = node["$"] === "=" ? (node["v"] as { [key: string]: Json }) : node;
  for (const key of Object.keys(fields)) fields[key] = nodeWithBytes(fields[key] as Json, bytes);
  return node;
}

/** A reference to neighbours as one to each of them. */
function singles(node: Json): Json[] {
  const isRun = typeof node === "object" && node !== null && !Array.isArray(node) && node["$"] === "item";
  if (!isRun || node["n"] === undefined) return [node];
  const from = Number(node["o"]);
  return Array.from({ length: Number(node["n"]) }, (_, i) => ({
    $: "item",
    l: node["l"] as Json,
    o: from + i,
  }));
}
