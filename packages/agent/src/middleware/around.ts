/**
 * Makes a call within something, such as the context of a span or an `AsyncLocalStorage`: it calls
 * `call` once and returns what that returns. Unlike a wrap it can neither see nor change the call, so
 * that the agent is the same with it and without it.
 */
export type Around = <Result>(kind: "model" | "tool", call: () => Promise<Result>) => Promise<Result>;

/** All of an agent's middleware as one, the first outermost; undefined when none has any. */
export function aroundOf(
  middleware: readonly { readonly around?: Around | undefined }[],
): Around | undefined {
  const [first, ...others] = middleware.flatMap(({ around }) => around ?? []);
  if (first === undefined) return undefined;
  return others.reduce<Around>((outer, inner) => (kind, call) => outer(kind, () => inner(kind, call)), first);
}
