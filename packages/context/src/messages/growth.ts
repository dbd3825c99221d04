/** Lists below this are compared element by element in less time than a mark takes. */
const LONG = 1_000;

/** Lists of which each is the one before and more: they share one line, which knows how long the longest is. */
interface Line {
  longest: number;
}

/** Where in its line a list stands: shorter ones of the same line are what it begins with. */
export interface Growth {
  readonly line: Line;
  readonly length: number;
}

const MARK = Symbol.for("skein.growth");

/**
 * Says that a list is another one with elements appended, so that who counted the other need not look
 * at its elements again. Said by whoever made the list; both must be left as they are from then on.
 *
 * A list is continued once: of two that grew from the same one, the second begins a line of its own.
 *
 * @example
 * const longer = [...list, message];
 * markGrown(longer, list);
 */
export function markGrown(list: readonly unknown[], from: readonly unknown[]): void {
  if (list.length < LONG || list === from) return;
  const before = growthOf(from);
  const line = before !== undefined && before.line.longest === before.length ? before.line : { longest: 0 };
  line.longest = list.length;
  const mark: Growth = { line, length: list.length };
  Reflect.defineProperty(list, MARK, { value: mark });
}

/** The line that a list belongs to; undefined if nobody said so, or if elements were added to or taken from it since. */
export function growthOf(list: readonly unknown[]): Growth | undefined {
  const mark = (list as { readonly [MARK]?: Growth })[MARK];
  return mark?.length === list.length ? mark : undefined;
}
