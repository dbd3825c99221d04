import { GraphError } from "@skein/errors";

/**
 * Refuses what is no object where a call needs one: programs without types pass null, or nothing.
 *
 * @param of - the call, as it is written: `compile()`
 * @param hint - what it takes
 * @throws GraphError INVALID_CONFIGURATION
 */
export function requireObject(of: string, given: unknown, hint: string): asserts given is object {
  if (typeof given === "object" && given !== null) return;
  const shown = typeof given === "string" ? `"${given}"` : String(given);
  throw new GraphError("INVALID_CONFIGURATION", `${of} was given ${shown}. ${hint}`, { details: { of } });
}
