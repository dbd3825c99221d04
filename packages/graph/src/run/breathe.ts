/** Longest time that steps which never wait may keep the event loop from turning, in milliseconds. */
const LONGEST = 10;

/** When this process's event loop last turned, as far as runs have seen to it. Not state of a run (I9). */
const loop: { turned: number; turning: Promise<void> | undefined } = { turned: 0, turning: undefined };

/**
 * Between steps: lets the event loop turn if steps have kept it from that for too long, so that
 * timers, signals and abort signals reach a program whose nodes and saver are all synchronous. Runs
 * that ask together turn together. Undefined, and a few nanoseconds, when there is no need.
 */
export function breathe(): Promise<void> | undefined {
  if (performance.now() - loop.turned < LONGEST) return undefined;
  loop.turning ??= new Promise((resolve) => {
    macrotask(() => {
      loop.turned = performance.now();
      loop.turning = undefined;
      resolve();
    });
  });
  return loop.turning;
}

/** Outside of Node there may be no `setImmediate`. */
function macrotask(then: () => void): void {
  const { setImmediate: immediate } = globalThis as { setImmediate?: (then: () => void) => void };
  if (immediate === undefined) setTimeout(then, 0);
  else immediate(then);
}
