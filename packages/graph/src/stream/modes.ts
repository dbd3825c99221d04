/** What a stream may carry. */
export type StreamMode =
  | "values"
  | "updates"
  | "messages"
  | "custom"
  | "checkpoints"
  | "tasks"
  | "debug"
  | "tools";

/** A piece of a stream: where it comes from (none for the root graph), its mode, what it says. */
export type StreamChunk = readonly [namespace: readonly string[], mode: StreamMode, payload: unknown];

/** Whether to wait for a reader. @param asked - how often it was asked before */
export type Turn = (asked: number) => Promise<void> | undefined;

/** Takes the chunks of some modes. */
export interface StreamSink {
  readonly modes: ReadonlySet<StreamMode>;
  /** Wants to know which checkpoint a state is, in a chunk of mode "checkpoints" before it. */
  readonly envelopes?: boolean;
  /** Hears where the run stands that it follows, before its first chunk. */
  begin?(namespace: readonly string[]): void;
  push(chunk: StreamChunk): void;
  /** Of a stream that is read while runs fill it. */
  readonly turn?: Turn;
}
