import { IterableReadableStream } from "@langchain/core/utils/stream";

/**
 * A stream of what is opened, whose reader may leave at any time, also while a chunk is waited for: the
 * signal it was opened with is aborted then, and the reader let go when the iterator has come to its
 * end. It is not asked to return: a generator that waits would not hear of it, and LangChain's events
 * would wait for somebody to read them.
 *
 * @param signal - the caller's own, which stops what is opened as well
 */
export function readerMayLeave<T>(
  signal: AbortSignal | undefined,
  open: (signal: AbortSignal) => AsyncIterator<T>,
): IterableReadableStream<T> {
  const left = new AbortController();
  // of what is no signal the run says so
  const chunks = open(
    signal instanceof AbortSignal ? AbortSignal.any([left.signal, signal]) : (signal ?? left.signal),
  );
  return new IterableReadableStream<T>({
    async pull(controller) {
      const { done, value } = await chunks.next();
      if (done === true) controller.close();
      else controller.enqueue(value);
    },
    async cancel() {
      left.abort();
      try {
        while ((await chunks.next()).done !== true);
      } catch {
        // how it ended is no news to who left
      }
    },
  });
}
