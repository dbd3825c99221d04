/** Milliseconds that a timer can wait: one that is to wait longer fires at once. */
export const LONGEST_TIMER = 2 ** 31 - 1;
