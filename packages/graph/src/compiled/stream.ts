import { IterableReadableStream } from "@langchain/core/utils/stream";
import type { StreamChunk, StreamMode, StreamSink } from "../stream/modes.ts";
import type { StreamOptions } from "./options.ts";

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

/**
 * A stream that a run fills, and that stops the run when its reader goes away. An error comes after
 * all chunks that were pushed before it, however slowly they are read.
 */
export class RunStream implements StreamSink {
  readonly modes: ReadonlySet<StreamMode>;
  readonly readable: IterableReadableStream<unknown>;
  readonly #shape: StreamShape;
  #chunks: unknown[] = [];
  /** How many of them were read. */
  #read = 0;
  #end: "open" | "ended" | { readonly error: unknown } = "open";
  #wake: (() => void) | undefined;

  constructor(shape: StreamShape, cancel: (reason: unknown) => void) {
    this.modes = new Set(shape.modes);
    this.#shape = shape;
    // not by `fromReadableStream`, which tells the run nothing when its reader leaves
    this.readable = new IterableReadableStream<unknown>(
      {
        pull: (controller) => this.#pull(controller),
        cancel: (reason: unknown) => {
          this.#finish("ended");
          this.#chunks = [];
          this.#read = 0;
          cancel(reason);
        },
      },
      { highWaterMark: 0 },
    );
  }
  push(chunk: StreamChunk): void {
    if (this.#end !== "open") return;
    this.#chunks.push(shaped(chunk, this.#shape));
    this.#wake?.();
  }
  end(): void {
    this.#finish("ended");
  }
  fail(error: unknown): void {
    this.#finish({ error });
  }
  #finish(end: "ended" | { readonly error: unknown }): void {
    if (this.#end !== "open") return;
    this.#end = end;
    this.#wake?.();
  }
  async #pull(controller: ReadableStreamDefaultController<unknown>): Promise<void> {
    if (this.#read === this.#chunks.length && this.#end === "open") {
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
    const end = this.#end;
    if (this.#read < this.#chunks.length) {
      controller.enqueue(this.#chunks[this.#read++]);
      if (this.#read === this.#chunks.length) {
        this.#chunks = [];
        this.#read = 0;
      }
    } else if (end === "ended") controller.close();
    else if (end !== "open") controller.error(end.error);
  }
}

/** Only some modes of a sink: what a call of a graph shows of the graphs that its nodes call. */
export function only(sink: StreamSink, modes: readonly StreamMode[]): StreamSink {
  return { modes: new Set(modes.filter((mode) => sink.modes.has(mode))), push: (chunk) => sink.push(chunk) };
}

/** How a call wants its stream. @param modes - those of a call that names none. Default: "updates" */
export function shapeOf(
  options: StreamOptions | undefined,
  modes: readonly StreamMode[] = ["updates"],
): StreamShape {
  const mode = options?.streamMode;
  return {
    modes: mode === undefined ? modes : Array.isArray(mode) ? mode : [mode],
    single: !Array.isArray(mode),
    subgraphs: options?.subgraphs === true,
  };
}
