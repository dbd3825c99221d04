import { IterableReadableStream } from "@langchain/core/utils/stream";
import type { StreamChunk, StreamMode, StreamSink } from "../stream/modes.ts";

/** What an element of a stream looks like: with its mode, with its namespace, both or neither. */
export interface StreamShape {
  readonly modes: readonly StreamMode[];
  readonly single: boolean;
  readonly subgraphs: boolean;
}

/** Gives each chunk the shape that the caller asked for. */
export function shaped([namespace, mode, payload]: StreamChunk, shape: StreamShape): unknown {
  if (shape.subgraphs) return shape.single ? [namespace, payload] : [namespace, mode, payload];
  return shape.single ? payload : [mode, payload];
}

/** A stream that a run fills, and that stops the run when its reader goes away. */
export class RunStream implements StreamSink {
  readonly modes: ReadonlySet<StreamMode>;
  readonly readable: IterableReadableStream<unknown>;
  readonly #shape: StreamShape;
  #controller: ReadableStreamDefaultController<unknown> | undefined;
  #open = true;

  constructor(shape: StreamShape, cancel: (reason: unknown) => void) {
    this.modes = new Set(shape.modes);
    this.#shape = shape;
    // not wrapped by `fromReadableStream`, which tells the source nothing when its reader leaves
    this.readable = new IterableReadableStream<unknown>(
      {
        start: (controller) => {
          this.#controller = controller;
        },
        cancel: (reason: unknown) => {
          this.#open = false;
          cancel(reason);
        },
      },
      { highWaterMark: 0 },
    );
  }
  push(chunk: StreamChunk): void {
    if (this.#open) this.#controller?.enqueue(shaped(chunk, this.#shape));
  }
  end(): void {
    if (!this.#open) return;
    this.#open = false;
    this.#controller?.close();
  }
  fail(error: unknown): void {
    if (!this.#open) return;
    this.#open = false;
    this.#controller?.error(error);
  }
}

/** Only some modes of a sink: what a call of a graph shows of the graphs that its nodes call. */
export function only(sink: StreamSink, modes: readonly StreamMode[]): StreamSink {
  return { modes: new Set(modes.filter((mode) => sink.modes.has(mode))), push: (chunk) => sink.push(chunk) };
}
