import type { StreamChunk } from "../modes.ts";
import { RunFeed } from "./feed.ts";
import type { GraphRunStream } from "./run-stream.ts";
import type { InferExtensions, TransformerFactory } from "./transformer.ts";

export interface CreateGraphRunStreamOptions {
  /** What `abort` of the stream aborts. The source is to listen to it. */
  abortController?: AbortController;
}

/**
 * Makes a run stream of the chunks of a graph's stream. `streamEvents` with version "v3" does this by
 * itself; this is for chunks that come from elsewhere.
 *
 * @param source - chunks `[namespace, mode, payload]`, of all modes in `STREAM_EVENTS_V3_MODES`
 * @throws GraphError INVALID_TRANSFORMER
 */
export function createGraphRunStream<
  Values = Record<string, unknown>,
  const Factories extends readonly TransformerFactory[] = [],
>(
  source: AsyncIterable<StreamChunk>,
  transformers?: Factories,
  options?: CreateGraphRunStreamOptions | AbortController,
): GraphRunStream<Values, InferExtensions<Factories>> {
  const { abortController } =
    options instanceof AbortController ? { abortController: options } : (options ?? {});
  const feed = new RunFeed(transformers ?? [], abortController ?? new AbortController());
  void pump(source, feed);
  return feed.stream as unknown as GraphRunStream<Values, InferExtensions<Factories>>;
}

async function pump(source: AsyncIterable<StreamChunk>, feed: RunFeed): Promise<void> {
  try {
    for await (const chunk of source) {
      feed.push(chunk);
      if (feed.over) return;
    }
    feed.end();
  } catch (error) {
    feed.fail(error);
  }
}
