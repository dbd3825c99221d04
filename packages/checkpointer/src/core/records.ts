/** Sets a property whatever its name is: "__proto__" becomes an own property like any other. */
export function setOwn<Value>(record: Record<string, Value>, key: string, value: Value): void {
  if (key === "__proto__") {
    Object.defineProperty(record, key, { value, enumerable: true, writable: true, configurable: true });
  } else record[key] = value;
}

export function recordOf<Value, Out>(
  map: ReadonlyMap<string, Value>,
  convert: (value: Value) => Out,
): Record<string, Out> {
  const record: Record<string, Out> = {};
  for (const [key, value] of map) setOwn(record, key, convert(value));
  return record;
}
