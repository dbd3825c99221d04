/** The middle value; the mean of the two middle ones of an even number. 0 of nothing. */
export function median(values: readonly number[]): number {
  if (values.length === 0) return 0;
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] as number;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] as number) + upper) / 2;
}

/** Fewer turns than this say nothing about growth. */
const ENOUGH_TURNS = 40;

/**
 * How much longer a turn takes at the end of a thread than early in it: the median of the last
 * quarter over that of the second one (the first is still warming up). Undefined for short threads.
 */
export function growth(turns: readonly number[]): number | undefined {
  if (turns.length < ENOUGH_TURNS) return undefined;
  const quarter = Math.floor(turns.length / 4);
  const early = median(turns.slice(quarter, 2 * quarter));
  return early === 0 ? undefined : median(turns.slice(-quarter)) / early;
}
