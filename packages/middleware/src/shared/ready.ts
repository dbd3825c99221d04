/** Uses what has to be loaded first, or is there already: then nobody waits for a turn of the event loop. */
export function whenReady<T, R>(value: T | Promise<T>, use: (value: T) => R | Promise<R>): R | Promise<R> {
  return value instanceof Promise ? value.then(use) : use(value);
}
