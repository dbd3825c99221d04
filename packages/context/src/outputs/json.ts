import { endOf, startOf } from "./text.ts";

/** Lists of up to this many elements stay whole; of longer ones twice two stay. */
const WHOLE_LIST = 4;
const ENDS = 2;
const MAX_DEPTH = 5;
const MAX_KEYS = 24;
/** Characters of a long text that stay: its beginning and its end. */
const HEAD = 120;
const TAIL = 40;

/** Keys that say how it went and how much there is; of a wide object they stay first. */
const TELLING =
  /^(?:ok|success|succeeded|status|state|error|errors|message|code|reason|total|count|size|length|page|next|cursor|has_?more|truncated)$|(?:^|_)(?:id|count|total)$|(?:Id|Count|Total)$/iu;

/**
 * The outline of a value: success flags, counts and identifiers, the first and last elements of its
 * lists, the ends of its long texts. What is left out is said where it stood.
 *
 * @returns a value that is plain JSON again
 */
export function outline(value: unknown, depth = 0): unknown {
  if (typeof value === "string") return shortText(value);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return outlineList(value, depth);
  return outlineObject(value as Readonly<Record<string, unknown>>, depth);
}

function outlineList(list: readonly unknown[], depth: number): unknown {
  if (depth >= MAX_DEPTH) return `[${list.length} elements left out]`;
  if (list.length <= WHOLE_LIST) return list.map((element) => outline(element, depth + 1));
  const first = list.slice(0, ENDS).map((element) => outline(element, depth + 1));
  const last = list.slice(-ENDS).map((element) => outline(element, depth + 1));
  return [...first, `[${list.length - 2 * ENDS} of ${list.length} elements left out]`, ...last];
}

function outlineObject(object: Readonly<Record<string, unknown>>, depth: number): unknown {
  const keys = Object.keys(object);
  if (depth >= MAX_DEPTH) return `[object of ${keys.length} keys left out]`;
  const kept = keys.length <= MAX_KEYS ? keys : telling(keys);
  // entries, because a key may be called __proto__
  const entries = kept.map((key): [string, unknown] => [key, outline(object[key], depth + 1)]);
  if (kept.length < keys.length) entries.push(["...", `${keys.length - kept.length} keys left out`]);
  return Object.fromEntries(entries);
}

/** The most telling keys, in their own order. */
function telling(keys: readonly string[]): string[] {
  const first = keys.filter((key) => TELLING.test(key));
  const rest = keys.filter((key) => !TELLING.test(key));
  const chosen = new Set([...first, ...rest].slice(0, MAX_KEYS));
  return keys.filter((key) => chosen.has(key));
}

function shortText(text: string): string {
  if (text.length <= HEAD + TAIL + 40) return text;
  const characters = [startOf(text, HEAD), endOf(text, TAIL)] as const;
  const left = text.length - characters[0].length - characters[1].length;
  return `${characters[0]} [... ${left} characters left out ...] ${characters[1]}`;
}
