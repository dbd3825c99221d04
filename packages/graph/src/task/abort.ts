/**
 * Aborts, and tells also those who begin to listen afterwards: a tool of LangChain's that is called with
 * an aborted signal waits for the event without an end, and a step waits for its tasks.
 */
export function abortAndTell(controller: AbortController, reason: unknown): void {
  const { signal } = controller;
  controller.abort(reason);
  signal.addEventListener = (
    type: string,
    listener: Parameters<EventTarget["addEventListener"]>[1],
  ): void => {
    const late = new EventTarget();
    late.addEventListener(type, listener);
    queueMicrotask(() => late.dispatchEvent(new Event("abort")));
  };
}
