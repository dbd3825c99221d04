import { thrownText } from "@skein/errors";
import { IterableReadableStream } from "@langchain/core/utils/stream";
import type { GraphRunStream } from "./run-stream.ts";

/**
 * The events of a run as server-sent events: `event` is the method, followed by the namespace if there
 * is one; `data` is JSON. An error becomes the last event. A reader that leaves stops the run.
 */
export function eventsAsText(run: GraphRunStream): IterableReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const lines = (name: string, data: unknown): Uint8Array =>
    encoder.encode(`event: ${name}\ndata: ${JSON.stringify(data ?? {})}\n\n`);
  const events = run[Symbol.asyncIterator]();
  return new IterableReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await events.next();
          if (done) return controller.close();
          const { namespace, data } = value.params;
          controller.enqueue(lines([value.method, ...namespace].join("|"), data));
        } catch (error) {
          controller.enqueue(lines("error", { message: thrownText(error) }));
          controller.close();
        }
      },
      cancel: (reason) => run.abort(reason),
    },
    { highWaterMark: 0 },
  );
}
