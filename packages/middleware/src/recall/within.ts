import type { TextCounter } from "@skein/context";

/**
 * What a function makes of as many tokens as leave all that it returns within a limit. With none left
 * to give, what it returns then.
 */
export function within(limit: number, counter: TextCounter, make: (tokens: number) => string): string {
  let tokens = limit;
  for (;;) {
    const text = make(tokens);
    const excess = counter.text(text) - limit;
    if (excess <= 0 || tokens === 0) return text;
    tokens = Math.max(0, tokens - Math.ceil(excess));
  }
}
