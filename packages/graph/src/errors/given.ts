import { GraphError, shown } from "@skein/errors";

/**
 * Refuses what is no object where a call needs one: programs without types pass null, or nothing.
 *
 * @param of - the call, as it is written: `compile()`
 * @param hint - what it takes
 * @throws GraphError INVALID_CONFIGURATION
 */
export function requireObject(of: string, given: unknown, hint: string): asserts given is object {
  if (typeof given === "object" && given !== null) return;
  throw new GraphError("INVALID_CONFIGURATION", `${of} was given ${shown(given)}. ${hint}`, {
    details: { of },
  });
}

/**
 * Refuses what is no object where an instance may be given, such as the class itself.
 *
 * @throws GraphError INVALID_CONFIGURATION
 */
export function checkPart(option: string, given: unknown, example: string): void {
  if (given === undefined || given === null || (typeof given === "object" && !Array.isArray(given))) return;
  throw new GraphError(
    "INVALID_CONFIGURATION",
    `"${option}" is an instance, as in {${option}: ${example}}, not ${shown(given)}.`,
  );
}
