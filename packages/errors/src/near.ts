import { distance } from "./distance.ts";

/**
 * The name that is meant by one that there is not: one that is misspelt so, else one that ends so, else the one
 * of the most alike letters.
 *
 * @param known - at least one
 *
 * @example
 * nearest("maxToken", ["hits", "maxTokens"]); // "maxTokens"
 * nearest("prompt", ["model", "systemPrompt"]); // "systemPrompt"
 */
export function nearest(name: string, known: readonly string[]): string {
  const longer = known.filter((one) => one.endsWith(name.charAt(0).toUpperCase() + name.slice(1)));
  return near(name, known) ?? mostAlike(name, longer.length > 0 ? longer : known);
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
  const found = mostAlike(name, known);
  const length = plainly(found).length;
  return apart(name, found) <= (length < 6 ? 1 : 2) && plainly(name).length > 2 ? found : undefined;
}

const mostAlike = (name: string, known: readonly string[]): string =>
  known.toSorted((a, b) => apart(name, a) - apart(name, b))[0] as string;

const apart = (name: string, other: string): number => distance(plainly(name), plainly(other));

const plainly = (name: string): string => name.toLowerCase().replaceAll(/[_-]/g, "");
