import type { BaseMessage } from "@langchain/core/messages";
import type { StreamMode } from "../stream/modes.ts";
import type { StateSnapshot } from "./state-snapshot.ts";

/** What each mode carries. */
interface Payloads<S, Updates, Custom> {
  values: S;
  updates: Updates;
  messages: [BaseMessage, Fields];
  custom: Custom;
  checkpoints: StateSnapshot<S>;
  tasks: Fields;
  debug: Fields;
  tools: Fields;
}

// oxlint-disable-next-line typescript/no-explicit-any -- what is in them depends on the event
type Fields = Record<string, any>;

type Tagged<M extends StreamMode, P extends Record<StreamMode, unknown>> = { [K in M]: [K, P[K]] }[M];
type Located<M extends StreamMode, P extends Record<StreamMode, unknown>> = {
  [K in M]: [string[], K, P[K]];
}[M];

/** An element of a stream: with its mode if several were asked for, with its namespace if `subgraphs`. */
export type StreamOutput<
  Mode extends StreamMode | StreamMode[] | undefined,
  Subgraphs extends boolean,
  S,
  Updates,
  // oxlint-disable-next-line typescript/no-explicit-any -- whatever nodes write
  Custom = any,
> = Mode extends readonly StreamMode[]
  ? Subgraphs extends true
    ? Located<Mode[number], Payloads<S, Updates, Custom>>
    : Tagged<Mode[number], Payloads<S, Updates, Custom>>
  : Payloads<S, Updates, Custom>[Mode extends StreamMode ? Mode : "updates"] extends infer P
    ? Subgraphs extends true
      ? [string[], P]
      : P
    : never;
