import { setOwn } from "../codec/own.ts";

/** Sets a property whose value is made when somebody first reads it, and is an ordinary one from then on. */
export function setLazily(record: Record<string, unknown>, key: string, make: () => unknown): void {
  const settle = (value: unknown) =>
    Object.defineProperty(record, key, { value, enumerable: true, writable: true, configurable: true });
  Object.defineProperty(record, key, {
    get() {
      const value = make();
      settle(value);
      return value;
    },
    set: settle,
    enumerable: true,
    configurable: true,
  });
}

export function recordOf<Value, Out>(
  pairs: Iterable<readonly [key: string, value: Value]>,
  convert: (value: Value, key: string) => Out,
): Record<string, Out> {
  const record: Record<string, Out> = {};
  for (const [key, value] of pairs) setOwn(record, key, convert(value, key));
  return record;
}
