import type { BaseMessage } from "@langchain/core/messages";
import type { StreamMode } from "../stream/modes.ts";
import type { StateSnapshot } from "./state-snapshot.ts";

/** What each mode carries. */
interface Payloads<S, U, N extends string> {
  values: S;
  updates: Record<N, U>;
  messages: [BaseMessage, Record<string, unknown>];
  custom: unknown;
  checkpoints: StateSnapshot<S>;
  tasks: Record<string, unknown>;
  debug: Record<string, unknown>;
  tools: Record<string, unknown>;
}

type Tagged<M extends StreamMode, S, U, N extends string> = { [K in M]: [K, Payloads<S, U, N>[K]] }[M];
type Located<M extends StreamMode, S, U, N extends string> = {
  [K in M]: [string[], K, Payloads<S, U, N>[K]];
}[M];

/** An element of a stream: with its mode if several were asked for, with its namespace if `subgraphs`. */
export type StreamOutput<
  Mode extends StreamMode | StreamMode[] | undefined,
  Subgraphs extends boolean,
  S,
  U,
  N extends string,
> = Mode extends readonly StreamMode[]
  ? Subgraphs extends true
    ? Located<Mode[number], S, U, N>
    : Tagged<Mode[number], S, U, N>
  : Payloads<S, U, N>[Mode extends StreamMode ? Mode : "updates"] extends infer P
    ? Subgraphs extends true
      ? [string[], P]
      : P
    : never;
