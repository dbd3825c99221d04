/**
 * A stored value as JSON, also where it holds what JSON does not know: a bigint as text, maps and sets as
 * lists, errors and patterns as they print.
 */
export const json = (value: unknown): string => JSON.stringify(value, known) ?? "undefined";

function known(_key: string, value: unknown): unknown {
  if (typeof value === "bigint") return String(value);
  if (value instanceof Map || value instanceof Set) return [...value];
  return value instanceof Error || value instanceof RegExp ? String(value) : value;
}
