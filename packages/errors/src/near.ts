import { closest, distance } from "fastest-levenshtein";

/**
 * The name that is meant by a misspelt one, as far as letters tell.
 *
 * @param known - at least one
 *
 * @example
 * nearest("maxToken", ["hits", "maxTokens"]); // "maxTokens"
 */
export function nearest(name: string, known: readonly string[]): string {
  const plain = known.map(plainly);
  return known[plain.indexOf(closest(plainly(name), plain))] as string;
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
  const [given, meant] = [plainly(name), plainly(found)];
  return distance(given, meant) <= (meant.length < 6 ? 1 : 2) && given.length > 2 ? found : undefined;
}

const plainly = (name: string): string => name.toLowerCase().replaceAll(/[_-]/g, "");
