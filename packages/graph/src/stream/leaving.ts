import { IterableReadableStream } from "@langchain/core/utils/stream";

/**
 * A stream of what an iterator gives, whose reader may leave at any time, also while a chunk is waited
 * for: `stop` is aborted then, and the reader let go when the iterator has come to its end. It is not
 * asked to return: a generator that waits would not hear of it, and LangChain's events would wait for
 * somebody to read them.
 */
export function readerMayLeave<T>(
  chunks: AsyncIterator<T>,
  stop: AbortController,
): IterableReadableStream<T> {
  return new IterableReadableStream<T>({
    async pull(controller) {
      const { done, value } = await chunks.next();
      if (done === true) controller.close();
      else controller.enqueue(value);
    },
    async cancel() {
      stop.abort();
      try {
        while ((await chunks.next()).done !== true);
      } catch {
        // how it ended is no news to who left
      }
    },
  });
}
