import { LONGEST_TIMER } from "@skein/errors";

/**
 * Runs something that must end in time: afterwards its signal is aborted and the wait is over,
 * whether it listens or not.
 *
 * @param late - makes the error of one that does not
 */
export async function within<T>(
  ms: number,
  outer: AbortSignal | undefined,
  run: (signal: AbortSignal) => Promise<T>,
  late: () => Error,
): Promise<T> {
  const stop = new AbortController();
  const forward = (): void => stop.abort(outer?.reason);
  if (outer?.aborted === true) forward();
  outer?.addEventListener("abort", forward, { once: true });
  let timer: ReturnType<typeof setTimeout> | undefined;
  const tooLate = new Promise<never>((_resolve, reject) => {
    const end = (): void => {
      const error = late();
      reject(error);
      stop.abort(error);
    };
    timer = setTimeout(end, Math.min(ms, LONGEST_TIMER));
  });
  try {
    return await Promise.race([run(stop.signal), tooLate]);
  } finally {
    clearTimeout(timer);
    outer?.removeEventListener("abort", forward);
  }
}
