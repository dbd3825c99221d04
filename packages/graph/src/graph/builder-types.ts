import type { RunnableInterface } from "@langchain/core/runnables";
import type { Awaitable } from "@skein/checkpointer";
import type { CommandInstance } from "../program/command.ts";
import type { RetryPolicy } from "../program/program.ts";
import type { Send, TimeoutPolicy } from "../program/send.ts";
import type { LangGraphRunnableConfig } from "../task/config.ts";

/** Options of a node. */
export interface NodeOptions<Nodes extends string = string> {
  /** Which keys it gets, as a state definition of its own. Default: the whole state. */
  input?: unknown;
  retryPolicy?: RetryPolicy;
  /** Limits of an attempt; a number of milliseconds limits it as a whole. */
  timeout?: number | TimeoutPolicy;
  /** Nodes that it goes to by returning Commands. */
  ends?: readonly Nodes[];
  /** Run when everything else is done. */
  defer?: boolean;
  /** Shown in streams and traces. */
  metadata?: Record<string, unknown>;
  /** Graphs that it calls, where the graph cannot see them by itself. */
  subgraphs?: readonly unknown[];
}

export type NodeReturn<U, Nodes extends string> =
  | U
  | CommandInstance<unknown, U, Nodes>
  | readonly (U | CommandInstance<unknown, U, Nodes>)[]
  | null
  | undefined
  | void;

/** A function of the state; or a Runnable, such as another compiled graph. */
export type NodeLike<S, U, Context extends Record<string, unknown>, Nodes extends string> =
  | ((state: S, config: LangGraphRunnableConfig<Context>) => Awaitable<NodeReturn<U, Nodes>>)
  | RunnableInterface<S, NodeReturn<U, Nodes>>
  | SubgraphNode;

/** A compiled graph of any state: it reads and writes the keys that it shares with this one. */
export interface SubgraphNode {
  readonly lg_is_pregel: true;
}

export type Route<N extends string> = N | Send<N>;
/** Chooses where to go next. */
export type Router<S, N extends string, Context extends Record<string, unknown>> = (
  state: S,
  config: LangGraphRunnableConfig<Context>,
) => Awaitable<Route<N> | readonly Route<N>[]>;
