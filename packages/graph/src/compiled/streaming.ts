import type { BaseCallbackHandler } from "@langchain/core/callbacks/base";
import type { IterableReadableStream } from "@langchain/core/utils/stream";
import { turnToBegin } from "../run/breathe.ts";
import { RunFeed } from "../stream/events/feed.ts";
import { ModelEventsHandler } from "../stream/events/model-events.ts";
import type { GraphRunStream } from "../stream/events/run-stream.ts";
import { checkFactories, type TransformerFactory } from "../stream/events/transformer.ts";
import { LeavableStream } from "../stream/leaving.ts";
import { MessagesHandler } from "../stream/messages.ts";
import type { StreamChunk, StreamMode, StreamSink, Turn } from "../stream/modes.ts";
import { ToolsHandler } from "../stream/tools.ts";
import { abortSource, type AbortSource } from "../task/abort.ts";
import { type Following, runCall } from "./call.ts";
import type { StreamOptions } from "./options.ts";
import type { Call, CompiledSettings } from "./prepare.ts";
import { only, RunStream, shapeOf } from "./stream.ts";

/** Of the graphs that nodes call, these modes are shown whether asked for or not. */
const ALWAYS_NESTED: readonly StreamMode[] = ["custom"];

type Keys = Pick<Following, "outputKeys" | "bareKey">;

/** Makes a run, and a stream of its chunks, once there is one: what fails before that is the call's error. */
export async function streamChunks(
  settings: CompiledSettings,
  call: Call,
  input: unknown,
  options: StreamOptions | undefined,
  keys: Keys,
): Promise<IterableReadableStream<unknown>> {
  // streamEvents encodes by itself
  const encoded = options?.encoding === "text/event-stream" && !("version" in options);
  const plain = shapeOf(options, call.parent !== undefined ? ["values"] : settings.streamMode);
  // a page that shows its runs itself does without
  const text = encoded ? await import("./event-stream.ts") : undefined;
  const shape = { ...plain, encode: text?.eventEncoder(plain.subgraphs) };
  const stop = abortSource();
  const sink = new RunStream(shape, (reason) => stop.abort(reason));
  const nested = plain.subgraphs ? sink : only(sink, ALWAYS_NESTED);
  const push = (chunk: StreamChunk): void => sink.push(chunk);
  const handlers: BaseCallbackHandler[] = [];
  if (shape.modes.includes("messages")) handlers.push(new MessagesHandler(push));
  if (shape.modes.includes("tools")) handlers.push(new ToolsHandler(push));
  start(settings, call, input, { ...keys, sink, nested, handlers, turn: sink.turn }, stop);
  await sink.begun;
  if (text === undefined) return sink.readable;
  return new LeavableStream(text.eventSource(sink.readable), { highWaterMark: 0 });
}

/**
 * Makes a run, and a run stream of it.
 *
 * @throws GraphError INVALID_TRANSFORMER, before anything runs
 */
export function streamRun(
  settings: CompiledSettings,
  call: Call,
  input: unknown,
  transformers: readonly TransformerFactory[] | undefined,
  keys: Keys,
): GraphRunStream {
  const own = transformers ?? [];
  checkFactories(own);
  const stop = new AbortController();
  const sink = new RunFeed([...(settings.streamTransformers ?? []), ...own], stop);
  const push = (chunk: StreamChunk): void => sink.push(chunk);
  const handlers = [new ModelEventsHandler(push), new ToolsHandler(push)];
  start(settings, call, input, { ...keys, sink, nested: sink, handlers, turn: oneTurn }, stop);
  return sink.stream;
}

const oneTurn: Turn = (asked) => (asked === 0 ? Promise.resolve() : undefined);

interface Streamed extends Keys {
  readonly sink: StreamSink & { end(): void; fail(error: unknown): void };
  readonly nested: StreamSink;
  readonly handlers: BaseCallbackHandler[];
  readonly turn: Turn;
}

/** The run goes on by itself until it ends, or until its reader or its caller stops it. */
function start(
  settings: CompiledSettings,
  call: Call,
  input: unknown,
  { sink, handlers, ...following }: Streamed,
  stop: AbortSource,
): void {
  const { signal: outer } = call.config;
  const forward = (): void => stop.abort(outer?.reason);
  if (outer?.aborted) forward();
  outer?.addEventListener("abort", forward, { once: true });
  const config = { ...call.config, signal: stop.signal };
  const all: Following = {
    ...following,
    sink,
    isNode: false,
    listener: undefined,
    handlers: handlers.length === 0 ? undefined : handlers,
  };
  turnToBegin()
    .then(() => runCall(settings, { ...call, config }, input, all))
    .then(
      () => sink.end(),
      (error: unknown) => sink.fail(error),
    )
    .finally(() => outer?.removeEventListener("abort", forward));
}
