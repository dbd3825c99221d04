/**
 * Whether a value has the methods of a contract. Classes that keep the same contract exist twice, here
 * and in @langchain/langgraph-checkpoint; no JSON has methods.
 */
export function hasMethods(value: unknown, names: readonly string[]): boolean {
  if (typeof value !== "object" || value === null) return false;
  return names.every((name) => typeof (value as Record<string, unknown>)[name] === "function");
}

/** What `instanceof` says of a class without a rule of its own. */
export function extendsClass(value: unknown, of: abstract new (...args: never[]) => object): boolean {
  return (
    typeof value === "object" && value !== null && Object.prototype.isPrototypeOf.call(of.prototype, value)
  );
}
