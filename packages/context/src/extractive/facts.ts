import { collapse, shorten } from "./sentences.ts";

/** Keys whose values are worth keeping, the most lasting first: who, which, how much, what came of it. */
const WORTH = [
  /(?:^|_)(?:user|customer|first|last|full)?_?(?:name|email|phone|address)$/iu,
  /(?:^|_)(?:id|ids|number|code|key|path|file|url|reservation|order)$|Id$|Number$|编号|账号/u,
  /(?:^|_)(?:status|state|total|price|amount|cost|date|time|city|origin|destination|error|reason|title|type|count|result|success)$/iu,
] as const;

const MOST_PER_VALUE = 12;

/** The `key=value` facts of a JSON text or value, the first items of lists only; none if it is no JSON. */
export function factsOfJson(value: unknown): string[] {
  const facts: string[] = [];
  collect(value, "", 0, facts);
  return facts;
}

function collect(value: unknown, key: string, depth: number, facts: string[]): void {
  if (facts.length >= MOST_PER_VALUE || value === null || value === undefined) return;
  if (Array.isArray(value)) {
    for (const item of value.slice(0, 2)) collect(item, key, depth + 1, facts);
    if (value.length > 2 && key !== "") facts.push(`${key}: ${value.length} items`);
  } else if (typeof value === "object") {
    if (depth > 4) return;
    for (const [name, item] of Object.entries(value)) collect(item, name, depth + 1, facts);
  } else if (worthOf(key) > 0) {
    const text = collapse(String(value));
    if (text !== "") facts.push(`${key}=${shorten(text, 48)}`);
  }
}

/** 3 for what lasts a thread, 1 for what changes, 0 for what is not kept. */
export function worthOf(key: string): number {
  const rank = WORTH.findIndex((pattern) => pattern.test(key));
  return rank === -1 ? 0 : WORTH.length - rank;
}

/** The value of a text that is a JSON object or array; `undefined` for any other text. */
export function jsonOf(text: string): unknown {
  const first = text.trimStart()[0];
  if (first !== "{" && first !== "[") return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
