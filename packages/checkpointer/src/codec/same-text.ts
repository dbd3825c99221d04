import { MESSAGE_TAGS } from "./message-kinds.ts";
import { parse } from "./parse.ts";
import type { Json } from "./types.ts";

/**
 * Whether two stored texts say the same. Those of messages may differ in the order of their keyword
 * arguments: who posts a message back, or copies it, makes it in another way.
 */
export function isSameText(one: string, other: string): boolean {
  if (one === other) return true;
  const [a, b] = [messageOf(one), messageOf(other)];
  if (a === undefined || b === undefined) return false;
  const keys = new Set([...Object.keys(a), ...Object.keys(b)]);
  keys.delete("k");
  return [...keys].every((key) => JSON.stringify(a[key]) === JSON.stringify(b[key]));
}

function messageOf(text: string): { readonly [key: string]: Json } | undefined {
  const tree = text.startsWith('{"$":') ? parse(text) : null;
  const isMessage = tree !== null && MESSAGE_TAGS.has(String((tree as { $: Json }).$));
  return isMessage ? (tree as { readonly [key: string]: Json }) : undefined;
}
