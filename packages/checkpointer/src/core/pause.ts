/** Resolves after so many milliseconds. Timers of the web, because a browser has no `node:timers/promises`. */
export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}
