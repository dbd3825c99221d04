/**
 * Whether two values hold the same data: what was stored in between is equal, not the same. What JSON
 * leaves out does not count; bigints, maps, sets, regular expressions and errors do.
 */
export function isSame(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  try {
    const x = dataOf(a) as Data;
    const y = dataOf(b) as Data;
    // scalars; what is no bigint may be told as another, as NaN is
    if (Object(x) !== x || Object(y) !== y) return JSON.stringify({ x }) === JSON.stringify({ x: y });
    return (
      Array.isArray(x) === Array.isArray(y) &&
      Object.keys(x).every((key) => isSame(x[key], y[key])) &&
      Object.keys(y).every((key) => key in x || y[key] === undefined)
    );
  } catch {
    // a cycle, or a bigint beside something else
    return false;
  }
}

type Data = Readonly<Record<string, unknown>>;

/** What JSON takes for `{}`, as an object that says what it is. */
function dataOf(value: unknown): unknown {
  return value instanceof Map || value instanceof Set || value instanceof RegExp || value instanceof Error
    ? { [`${value}`]: Array.from(value as Iterable<unknown>), ...value }
    : ((value as { toJSON?: () => unknown } | null)?.toJSON?.() ?? value);
}
