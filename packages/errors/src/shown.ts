/** Longest text that is shown whole, in characters. */
const LONGEST = 80;

/**
 * A value for the message of an error, on one line: texts are quoted and cut, of what may hold
 * secrets or whole conversations only the kind is told. Takes anything.
 *
 * @example
 * shown("5"); // "5", in quotes
 * shown([1, 2]); // a list
 */
export function shown(value: unknown): string {
  if (typeof value === "string") {
    return JSON.stringify(value.length > LONGEST ? `${value.slice(0, LONGEST)}...` : value);
  }
  if (typeof value === "function") return "a function";
  if (typeof value === "bigint") return `${value}n`;
  if (typeof value !== "object" || value === null) return String(value);
  return isList(value) ? "a list" : "an object";
}

function isList(value: object): boolean {
  try {
    return Array.isArray(value);
  } catch {
    // a proxy that was revoked
    return false;
  }
}
