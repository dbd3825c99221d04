/**
 * The result of a task that another one called. A promise that knows whether anybody listens to it:
 * a failure that nobody heard of fails the caller, so none is lost and none ends the process.
 */
export class Called<T = unknown> extends Promise<T> {
  /** Whether somebody awaits it. */
  heard = false;

  /** What follows it is an ordinary promise. */
  static override get [Symbol.species](): PromiseConstructor {
    return Promise;
  }
  // oxlint-disable-next-line unicorn/no-thenable -- it is a promise
  override then<A = T, B = never>(
    onResult?: ((value: T) => A | PromiseLike<A>) | null,
    onError?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    this.heard = true;
    return super.then(onResult, onError);
  }
  /** How it ends, without counting as somebody who listens. */
  outcome(): Promise<{ readonly error: unknown } | undefined> {
    return super.then(
      () => undefined,
      (error: unknown) => ({ error }),
    );
  }
}
