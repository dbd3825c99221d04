/** A signal, and what aborts it. */
export interface AbortSource {
  readonly signal: AbortSignal;
  abort(reason: unknown): void;
}

let make: () => AbortSource = () => new AbortController();

/** The source of a signal of the engine's own. */
export function abortSource(): AbortSource {
  return make();
}

/** Has signals of the engine made otherwise than by an `AbortController`: for a platform where that is slow. */
export function makeAbortSourcesBy(maker: () => AbortSource): void {
  make = maker;
}

/**
 * Aborts, and tells also those who begin to listen afterwards: a tool of LangChain's that is called with
 * an aborted signal waits for the event without an end, and a step waits for its tasks.
 */
export function abortAndTell(source: AbortSource, reason: unknown): void {
  const { signal } = source;
  source.abort(reason);
  const late = new EventTarget();
  signal.removeEventListener = late.removeEventListener.bind(late);
  signal.addEventListener = (
    type: string,
    listener: Parameters<EventTarget["addEventListener"]>[1],
  ): void => {
    late.addEventListener(type, listener, { once: true });
    void Promise.resolve().then(() => late.dispatchEvent(new Event("abort")));
  };
}
