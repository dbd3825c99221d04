/** Whether two values of an item are the same data: lists, objects, dates, maps, sets by what is in them. */
export function sameData(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (a instanceof Date || b instanceof Date) return a instanceof Date && b instanceof Date && +a === +b;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const [left, right] = [entriesOf(a), entriesOf(b)];
  if (
    left.size !== right.size ||
    a instanceof Map !== b instanceof Map ||
    a instanceof Set !== b instanceof Set
  ) {
    return false;
  }
  return [...left].every(([key, value]) => right.has(key) && sameData(value, right.get(key)));
}

function entriesOf(value: object): ReadonlyMap<unknown, unknown> {
  if (value instanceof Map) return value;
  return new Map<unknown, unknown>(value instanceof Set ? value.entries() : Object.entries(value));
}
