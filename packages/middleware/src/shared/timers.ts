/** Timers take no more; a longer one would fire at once. */
export const LONGEST_TIMER = 2 ** 31 - 1;
