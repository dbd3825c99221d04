import { distance } from "./distance.ts";

/**
 * The name that is meant by a misspelt one, as far as letters tell.
 *
 * @param known - at least one
 *
 * @example
 * nearest("maxToken", ["hits", "maxTokens"]); // "maxTokens"
 */
export function nearest(name: string, known: readonly string[]): string {
  return known.toSorted((a, b) => apart(name, a) - apart(name, b))[0] as string;
}

/**
 * The name that a misspelt one is so near to that hardly anything else can be meant: one letter off,
 * two in names of six letters and more; capitals and underscores don't count.
 *
 * @example
 * near("durabilty", ["durability"]); // "durability"
 * near("user", ["tags"]); // undefined
 */
export function near(name: string, known: readonly string[]): string | undefined {
  if (known.length === 0) return undefined;
  const found = nearest(name, known);
  const length = plainly(found).length;
  return apart(name, found) <= (length < 6 ? 1 : 2) && plainly(name).length > 2 ? found : undefined;
}

const apart = (name: string, other: string): number => distance(plainly(name), plainly(other));

const plainly = (name: string): string => name.toLowerCase().replaceAll(/[_-]/g, "");
