import { GraphError } from "@skein/errors";
import type { Namespace, ProtocolEvent } from "./protocol.ts";

/** Puts events of its own into a run's stream. To be used while an event is processed. */
export interface StreamEmitter {
  push(namespace: Namespace, event: ProtocolEvent): void;
}

/**
 * Reads the events of a run and makes something of them that is easier to read. One belongs to one
 * run: what is registered is a function that makes one.
 *
 * @example
 * const countTokens = (): StreamTransformer<{ tokens: StreamChannel<number> }> => {
 *   const tokens = StreamChannel.local<number>();
 *   return {
 *     init: () => ({ tokens }),
 *     process({ method }) {
 *       if (method === "messages") tokens.push(1);
 *       return true;
 *     },
 *   };
 * };
 */
export interface StreamTransformer<Projection = unknown> {
  /**
   * What readers of the run find in `run.extensions`. Channels in it end with the run; a channel with a
   * name and a promise are events of the run, too.
   */
  init(): Projection;
  /** Gets the means to put events of its own into the stream. */
  onRegister?(emitter: StreamEmitter): void;
  /**
   * Sees each event, its own ones included; false keeps it out of the run's events. A promise keeps it,
   * whatever it resolves to; one that rejects fails the run, as an error that is thrown does.
   */
  process(event: ProtocolEvent): boolean;
  /** The run has ended, or waits. Events end when a promise that it returns is settled. */
  finalize?(): void | PromiseLike<void>;
  /** The run has failed. */
  fail?(error: unknown): void;
}

/** A transformer of a library: its projection stands on the run itself, as in `run.toolCalls`. */
export interface NativeStreamTransformer<Projection = unknown> extends StreamTransformer<Projection> {
  readonly __native: true;
}

/** Whether the projection of a transformer stands on the run itself. */
export function isNativeTransformer(
  transformer: StreamTransformer<unknown>,
): transformer is NativeStreamTransformer {
  return (transformer as Partial<NativeStreamTransformer> | null | undefined)?.__native === true;
}

/** What is registered: makes a transformer for one run. */
// oxlint-disable-next-line typescript/no-explicit-any -- of any projection
export type TransformerFactory = () => StreamTransformer<any>;

/** What `run.extensions` has of a list of transformers. */
export type InferExtensions<Factories> = Factories extends readonly []
  ? Record<string, never>
  : Factories extends readonly [
        () => StreamTransformer<infer Projection>,
        ...infer Rest extends readonly TransformerFactory[],
      ]
    ? Rest extends readonly []
      ? Projection
      : Projection & InferExtensions<Rest>
    : Record<string, unknown>;

/** @throws GraphError INVALID_TRANSFORMER for a list that is none of factories */
export function checkFactories(factories: unknown): asserts factories is readonly TransformerFactory[] {
  if (!Array.isArray(factories)) {
    throw invalid("Stream transformers are given as a list of functions that make one.");
  }
  for (const [at, factory] of factories.entries()) {
    if (typeof factory === "function") continue;
    throw invalid(
      `Stream transformer ${at} is no function. Give what makes a transformer, not one: each run gets its own.`,
    );
  }
}

/** @throws GraphError INVALID_TRANSFORMER for what a factory made that is no transformer */
export function checkTransformer(made: unknown, at: number): asserts made is StreamTransformer {
  const { init, process } = (made ?? {}) as Partial<StreamTransformer>;
  if (typeof init === "function" && typeof process === "function") return;
  throw invalid(`What stream transformer ${at} makes lacks init() or process(event).`);
}

export function invalid(message: string): GraphError {
  return new GraphError("INVALID_TRANSFORMER", message);
}
