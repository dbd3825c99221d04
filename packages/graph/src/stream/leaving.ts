import { IterableReadableStream } from "@langchain/core/utils/stream";

/** Where a stream comes from. */
export interface Source<T> {
  start?(controller: ReadableStreamDefaultController<T>): void;
  pull(controller: ReadableStreamDefaultController<T>): Promise<void>;
  cancel(reason: unknown): void | PromiseLike<void>;
}

/** A stream that may be cancelled while it is read: web streams refuse it to all but the reader. */
export class LeavableStream<T> extends IterableReadableStream<T> {
  readonly #leave: Source<T>["cancel"];

  constructor(source: Source<T>, strategy?: { readonly highWaterMark: number }) {
    super(source, strategy);
    this.#leave = source.cancel;
  }
  override async cancel(reason?: unknown): Promise<void> {
    await (this.locked ? this.#leave(reason) : super.cancel(reason));
  }
}

/**
 * A stream of what is opened, whose reader may leave at any time, also while a chunk is waited for: the
 * signal it was opened with is aborted then, and the reader let go when the iterator has come to its
 * end. It is not asked to return: a generator that waits would not hear of it, and LangChain's events
 * would wait for somebody to read them.
 *
 * @param signal - the caller's own, which stops what is opened as well
 *
 * @example
 * const stream = readerMayLeave(options.signal, (signal) => eventsOf(input, { ...options, signal }));
 * for await (const event of stream) if (isEnough(event)) break;
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
  return new LeavableStream<T>({
    async pull(controller) {
      const { done, value } = await chunks.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    async cancel() {
      left.abort();
      try {
        while (!(await chunks.next()).done);
      } catch {
        // how it ended is no news to who left
      }
    },
  });
}
