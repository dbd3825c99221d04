/**
 * Calls somebody who is told of a failure. That they throw in turn, at once or later, is no failure of
 * what they are told of: it is said on the console.
 *
 * @param name - of the option that they were given as
 */
export function reporting(name: string, call: () => unknown): void {
  const failed = (error: unknown): void => console.warn(`${name} failed:`, error);
  try {
    const pending = call() as { then?: PromiseLike<unknown>["then"] } | null | undefined;
    // nobody waits for a listener
    if (typeof pending?.then === "function") pending.then(undefined, failed);
  } catch (error) {
    failed(error);
  }
}
