/** Whether two values hold the same data: what was stored in between is equal, not the same. */
export function isSame(a: unknown, b: unknown): boolean {
  const isSelf = Object.is(a, b);
  if (isSelf || typeof a !== "object" || typeof b !== "object") return isSelf;
  try {
    return JSON.stringify(a, asText) === JSON.stringify(b, asText);
  } catch {
    return false;
  }
}

/** What JSON refuses, or takes for `{}`. */
function asText(_key: string, value: unknown): unknown {
  if (typeof value === "bigint") return `${value}`;
  return value instanceof Map || value instanceof Set ? [...value] : value;
}
