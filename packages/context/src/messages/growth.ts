import { requireList } from "./given.ts";

/** Lists below this are compared element by element in less time than a mark takes. */
const LONG = 1_000;

/** So many of the lists that a list grew from are named: more than a turn has steps. */
const NAMED = 8;

/** A list at one moment. No list is held by it. */
interface Stage {
  readonly name: object;
  readonly length: number;
}

/** A list, and the shorter ones that it begins with, the latest first. */
export interface Growth extends Stage {
  readonly from: readonly Stage[];
}

const MARK = Symbol.for("skein.growth");

/**
 * Says that a list is another one with elements appended, so that who counted the other need not look
 * at its elements again. Said by whoever made the list; both must be left as they are from then on.
 *
 * @example
 * const longer = [...list, message];
 * markGrown(longer, list);
 *
 * @throws GraphError INVALID_MESSAGE for what is no list
 */
export function markGrown(list: readonly unknown[], from: readonly unknown[]): void {
  requireList("markGrown", list);
  requireList("markGrown", from);
  if (list.length < LONG || list === from) return;
  const before = growthOf(from);
  const stages = before === undefined ? [] : [{ name: before.name, length: before.length }, ...before.from];
  const mark: Growth = { name: {}, length: list.length, from: stages.slice(0, NAMED) };
  Reflect.defineProperty(list, MARK, { value: mark });
}

/** What was said of a list; undefined if nothing was, or if elements were added to or taken from it since. */
export function growthOf(list: readonly unknown[]): Growth | undefined {
  const mark = (list as { readonly [MARK]?: Growth })[MARK];
  return mark?.length === list.length ? mark : undefined;
}

/** How many elements a list has in common with one that was read, as far as is said of them; 0 if nothing is. */
export function commonStart(list: readonly unknown[], read: Growth | undefined): number {
  const growth = read && growthOf(list);
  if (read === undefined || growth === undefined) return 0;
  const isGrown = growth.name === read.name || growth.from.some(({ name }) => name === read.name);
  return isGrown ? read.length : 0;
}
