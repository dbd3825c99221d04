import type { IterableReadableStream } from "@langchain/core/utils/stream";
import { nextTurn } from "../run/breathe.ts";
import { LeavableStream } from "../stream/leaving.ts";
import type { StreamChunk, StreamMode, StreamSink, Turn } from "../stream/modes.ts";
import type { GraphDefaults, StreamOptions } from "./options.ts";

/** What an element of a stream looks like: with its mode, with its namespace, both or neither. */
export interface StreamShape {
  readonly modes: readonly StreamMode[];
  readonly single: boolean;
  readonly subgraphs: boolean;
  /** A state is preceded by what tells its checkpoint. */
  readonly envelopes?: boolean;
  /** As text, made when it is shown: what is changed later is shown as it was. */
  readonly encode?: ((chunk: StreamChunk) => Uint8Array) | undefined;
}

/** Gives each chunk the shape that the caller asked for. */
export function shaped([namespace, mode, payload]: StreamChunk, shape: StreamShape): unknown {
  if (shape.subgraphs) return shape.single ? [namespace, payload] : [namespace, mode, payload];
  return shape.single ? payload : [mode, payload];
}

/** How often the microtasks of a reader go first. One that takes each chunk at once comes back after three. */
const PATIENCE = 8;
const AT_ONCE = Promise.resolve();

/** Somebody who waits for a chunk. */
interface Waiting {
  readonly resolve: (result: IteratorResult<unknown>) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * A stream that a run fills, and that stops the run when its reader goes away. An error comes after
 * all chunks that were pushed before it, however slowly they are read.
 */
export class RunStream implements StreamSink {
  readonly modes: ReadonlySet<StreamMode>;
  readonly envelopes: boolean;
  readonly readable: IterableReadableStream<unknown>;
  /** Resolves with the first chunk, or when there is none; rejects for a run that failed before it. */
  readonly begun: Promise<void>;
  readonly turn: Turn = (asked) => {
    if (this.#waited || !this.#hasChunks) {
      return asked < PATIENCE && this.#waiting.length === 0 ? AT_ONCE : undefined;
    }
    this.#waited = true;
    // whoever waits for the stream is to read its first chunk before the run is told to have ended
    return nextTurn();
  };
  #hasChunks = false;
  #waited = false;
  readonly #shape: StreamShape;
  #chunks: unknown[] = [];
  /** How many of them were read. */
  #read = 0;
  #end: "open" | "ended" | { readonly error: unknown } = "open";
  /** In the order in which they asked. Not empty only while there are no chunks. */
  #waiting: Waiting[] = [];
  /** When the run has ended, whatever its reader waits for. */
  readonly #over: Promise<void>;
  #begin!: () => void;
  #isOver!: () => void;
  #refuse!: (error: unknown) => void;

  constructor(shape: StreamShape, cancel: (reason: unknown) => void) {
    this.modes = new Set(shape.modes);
    const { modes } = this;
    this.envelopes = shape.envelopes === true && modes.has("values") && !modes.has("checkpoints");
    this.#shape = shape;
    this.begun = new Promise((resolve, reject) => {
      this.#begin = resolve;
      this.#refuse = reject;
    });
    this.#over = new Promise((resolve) => {
      this.#isOver = resolve;
    });
    // not by `fromReadableStream`, which tells the run nothing when its reader leaves
    this.readable = new ChunkStream(
      () => this.#take(),
      (reason) => {
        this.#chunks = [];
        this.#read = 0;
        this.#finish("ended");
        cancel(reason);
        // who leaves may go on with the thread
        return this.#over;
      },
    );
  }
  push(chunk: StreamChunk): void {
    if (this.#end !== "open") return;
    this.#hasChunks = true;
    this.#begin();
    const value = this.#shape.encode === undefined ? shaped(chunk, this.#shape) : this.#encoded(chunk);
    if (value === undefined) return;
    const waiting = this.#waiting.shift();
    if (waiting === undefined) this.#chunks.push(value);
    else waiting.resolve({ done: false, value });
  }
  /** What JSON cannot say ends the stream, and not the task that showed it. */
  #encoded(chunk: StreamChunk): Uint8Array | undefined {
    try {
      return this.#shape.encode?.(chunk);
    } catch (error) {
      this.#finish({ error });
      return undefined;
    }
  }
  end(): void {
    this.#isOver();
    this.#finish("ended");
  }
  fail(error: unknown): void {
    this.#isOver();
    this.#finish({ error });
  }
  #finish(end: "ended" | { readonly error: unknown }): void {
    if (this.#end !== "open") return;
    this.#end = end;
    if (end === "ended") this.#begin();
    else this.#refuse(end.error);
    for (const { resolve, reject } of this.#waiting) {
      if (end === "ended") resolve(DONE);
      else reject(end.error);
    }
    this.#waiting = [];
  }
  #take(): Promise<IteratorResult<unknown>> {
    if (this.#read < this.#chunks.length) {
      const value = this.#chunks[this.#read++];
      if (this.#read === this.#chunks.length) {
        this.#chunks = [];
        this.#read = 0;
      }
      return Promise.resolve({ done: false, value });
    }
    const end = this.#end;
    if (end === "ended") return Promise.resolve(DONE);
    if (end !== "open") return Promise.reject(end.error);
    return new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }));
  }
}

/** The web stream below. */
interface Under {
  controller: ReadableStreamDefaultController<unknown> | undefined;
  over: boolean;
}

const DONE: IteratorResult<unknown> = { done: true, value: undefined };

/**
 * LangChain's stream over a queue. Whoever iterates gets chunks from the queue: through the machinery
 * of web streams each one takes four promises more. Readers, pipes and tees go through that.
 */
class ChunkStream extends LeavableStream<unknown> {
  readonly #take: () => Promise<IteratorResult<unknown>>;
  readonly #under: Under;

  constructor(take: () => Promise<IteratorResult<unknown>>, cancel: (reason: unknown) => Promise<void>) {
    const under: Under = { controller: undefined, over: false };
    super(
      {
        start: (controller) => {
          under.controller = controller;
        },
        pull: async (controller) => {
          const { done, value } = await take();
          if (done) controller.close();
          else controller.enqueue(value);
        },
        cancel: (reason) => {
          under.over = true;
          return cancel(reason);
        },
      },
      { highWaterMark: 0 },
    );
    this.#take = take;
    this.#under = under;
  }
  override async next(): Promise<IteratorResult<unknown>> {
    this.ensureReader();
    try {
      const result = await this.#take();
      if (result.done) this.#ended((controller) => controller.close());
      return result;
    } catch (error) {
      this.#ended((controller) => controller.error(error));
      throw error;
    }
  }
  /** Leaves the stream closed, or broken, and free for another reader. */
  #ended(end: (controller: ReadableStreamDefaultController<unknown>) => void): void {
    const { controller, over } = this.#under;
    if (over || !this.locked) return;
    this.#under.over = true;
    // broken, it would tell the reader, too, who knows already
    this.reader.closed.catch(() => {});
    if (controller !== undefined) end(controller);
    this.reader.releaseLock();
  }
}

/** Only some modes of a sink: what a call of a graph shows of the graphs that its nodes call. */
export function only(sink: StreamSink, modes: readonly StreamMode[]): StreamSink {
  return { modes: new Set(modes.filter((mode) => sink.modes.has(mode))), push: (chunk) => sink.push(chunk) };
}

/** A call's options, with what of `withConfig` only streams look at. */
export function withDefaults<Options extends StreamOptions>(
  options: Options | undefined,
  defaults: GraphDefaults | undefined,
): Options | undefined {
  const { streamMode, outputKeys } = defaults ?? {};
  if (streamMode === undefined && outputKeys === undefined) return options;
  return {
    ...(options as Options),
    streamMode: options?.streamMode ?? streamMode,
    outputKeys: options?.outputKeys ?? outputKeys,
  };
}

/** How a call wants its stream. @param modes - those of a call that names none. Default: "updates" */
export function shapeOf(
  options: StreamOptions | undefined,
  modes: readonly StreamMode[] = ["updates"],
): StreamShape {
  const mode = options?.streamMode;
  return {
    modes: mode ? (Array.isArray(mode) ? mode : [mode]) : modes,
    single: !Array.isArray(mode),
    // as LangGraph takes it: anything that is true
    subgraphs: Boolean(options?.subgraphs),
    // events of versions 1 and 2, as servers of LangGraph ask for them
    envelopes: Boolean(options?.subgraphs) && "version" in (options as object),
  };
}
