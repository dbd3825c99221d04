/** Longest time that steps which never wait may keep the event loop from turning, in milliseconds. */
const LONGEST = 10;

/**
 * When this process's event loop last turned, as far as runs have seen to it, and the turn of the run
 * that was called last. Not state of a run (I9).
 */
const loop: {
  turned: number | undefined;
  turning: Promise<void> | undefined;
  begun: Promise<void>;
  waiting: number;
} = {
  // no run has kept it from turning yet: the first one of a process need not wait
  turned: undefined,
  turning: undefined,
  begun: Promise.resolve(),
  waiting: 0,
};

/**
 * Between steps: lets the event loop turn if steps have kept it from that for too long, so that
 * timers, signals and abort signals reach a program whose nodes and saver are all synchronous. Runs
 * that ask together turn together. Undefined, and a few nanoseconds, when there is no need.
 */
export function breathe(): Promise<void> | undefined {
  const now = performance.now();
  if (now - (loop.turned ??= now) < LONGEST) return undefined;
  loop.turning ??= new Promise((resolve) => {
    macrotask(() => {
      loop.turned = performance.now();
      loop.turning = undefined;
      resolve();
    });
  });
  return loop.turning;
}

/**
 * Before a run: resolves when those called before it have begun, and the event loop has turned if it
 * must. So a call returns before its first node runs, and of a thousand that are called at once, whose
 * nodes and savers never wait, each is over before the next one takes any memory: garbage that lives
 * as long as its thousand siblings cost as much as all of their steps.
 */
export function turnToBegin(): Promise<void> {
  loop.waiting += 1;
  loop.begun = loop.begun.then(takeTurn);
  return loop.begun;
}

function takeTurn(): Promise<void> | undefined {
  loop.waiting -= 1;
  return breathe();
}

/** Whether runs that were called wait for their turn. */
export function othersWait(): boolean {
  return loop.waiting > 0;
}

/** Taken once: a program's fake timers would never turn. Outside of Node there may be none. */
const { setImmediate: immediate } = globalThis as { setImmediate?: (then: () => void) => void };

export function macrotask(then: () => void): void {
  if (immediate === undefined) setTimeout(then, 0);
  else immediate(then);
}

/** When the event loop has turned. */
export function nextTurn(): Promise<void> {
  return new Promise(macrotask);
}

/**
 * Between two calls of a foreign saver: whether the first one is done before the event loop turns. A saver
 * that reads all it has, changes it and writes it back would lose what the other one wrote; one that takes
 * longer is not waited for.
 */
export function isDoneSoon(call: Promise<unknown>): Promise<boolean> {
  const turned = nextTurn().then(() => false);
  // what it fails with is for who waits for it
  const done = call.catch(() => {}).then(() => true);
  return Promise.race([done, turned]);
}
