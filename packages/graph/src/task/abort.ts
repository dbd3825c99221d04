/**
 * Aborts, and tells also those who begin to listen afterwards: a tool of LangChain's that is called with
 * an aborted signal waits for the event without an end, and a step waits for its tasks.
 */
export function abortAndTell(controller: AbortController, reason: unknown): void {
  const { signal } = controller;
  controller.abort(reason);
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
