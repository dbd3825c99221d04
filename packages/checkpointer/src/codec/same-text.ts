import { MESSAGE_TAGS } from "./message-kinds.ts";
import { parse } from "./parse.ts";
import type { Json } from "./types.ts";

type JsonObject = { readonly [key: string]: Json };

/** A field of messages. */
const ARGUMENT_ORDER = "k";

/**
 * Whether two stored texts say the same. Those of messages may differ in the order of their keyword
 * arguments: who posts a message back, or copies it, makes it in another way.
 */
export function isSameText(one: string, other: string): boolean {
  if (one === other) return true;
  const [a, b] = [messageOf(one), messageOf(other)];
  if (a === undefined || b === undefined) return false;
  const keys = new Set([...Object.keys(a), ...Object.keys(b)]);
  keys.delete(ARGUMENT_ORDER);
  return [...keys].every((key) => JSON.stringify(a[key]) === JSON.stringify(b[key]));
}

function messageOf(text: string): JsonObject | undefined {
  const tree = text.startsWith('{"$":') ? parse(text) : null;
  const isMessage = tree !== null && MESSAGE_TAGS.has(String((tree as { $: Json }).$));
  return isMessage ? (tree as JsonObject) : undefined;
}

/** A stored text with its keys in one order: two that say the same give the same one. */
export function canonicalText(text: string): string {
  if (!text.startsWith("{") && !text.startsWith("[")) return text;
  const tree = parse(text);
  try {
    return JSON.stringify(ordered(tree));
  } catch (error) {
    // nested deeper than the engine's stack, as a codec with a great `maxDepth` allows
    if (error instanceof RangeError) return text;
    throw error;
  }
}

function ordered(node: Json): Json {
  if (typeof node !== "object" || node === null) return node;
  if (Array.isArray(node)) return node.map(ordered);
  // data that only looks like a tag is wrapped
  if (node["$"] === "=") return { $: "=", v: withOrderedKeys(node["v"] as JsonObject) };
  if (!MESSAGE_TAGS.has(String(node["$"]))) return withOrderedKeys(node);
  const { [ARGUMENT_ORDER]: _, ...said } = node;
  return withOrderedKeys(said);
}

function withOrderedKeys(node: JsonObject): Json {
  const entries = Object.entries(node).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, value]) => [key, ordered(value)]));
}
