/** A promise, and what resolves it. */
export function deferred(): { readonly done: Promise<void>; readonly resolve: () => void } {
  let resolve: (() => void) | undefined;
  const done = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { done, resolve: resolve as unknown as () => void };
}
