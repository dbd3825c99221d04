/**
 * What a promise gives, or why nobody waits for it any longer: clients of others may try again though they
 * are aborted.
 *
 * @param signal - rejects with its reason. Default: the promise is waited for
 */
export function heeding<T>(signal: AbortSignal | undefined, pending: Promise<T>): Promise<T> {
  if (signal === undefined) return pending;
  return new Promise<T>((resolve, reject) => {
    const abort = (): void => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort, { once: true });
    pending.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}
