import type { RunnableInterface } from "@langchain/core/runnables";
import type { Awaitable } from "@skein/checkpointer";
import type { CommandInstance } from "../program/command.ts";
import type { NodeError } from "../errors/node-error.ts";
import type { END } from "../ids/names.ts";
import type { CachePolicy, RetryPolicy } from "../program/program.ts";
import type { Send } from "../program/send.ts";
import type { TimeoutPolicy } from "../program/timeout-policy.ts";
import type { LangGraphRunnableConfig, NodeConfig } from "../task/config.ts";

/**
 * Runs in the same step when a node has failed for good, with what that node was given. What it
 * returns counts like a node's result; a Command may lead elsewhere. The run goes on.
 */
// oxlint-disable-next-line typescript/no-explicit-any -- the input of whichever node failed, of whichever graph
export type ErrorHandler<S = any, U = any> = (
  state: S,
  error: NodeError,
  config: LangGraphRunnableConfig,
) => Awaitable<NodeReturn<U, string>>;

interface NodePolicies {
  /** When and how often a failed attempt is repeated. Default: never. */
  retryPolicy?: RetryPolicy;
  /** Use again what it wrote for an equal input; needs a `cache`. `true`: for good. Default: never. */
  cachePolicy?: CachePolicy | boolean;
  /** Limits of an attempt; a number of milliseconds limits it as a whole. Default: none. */
  timeout?: number | TimeoutPolicy;
}

interface Handled<S, U> {
  /**
   * Takes over when it has failed, after all its retries. The edges of the node are not followed then:
   * to go on, return a Command with `goto`. Default: the run fails.
   */
  errorHandler?: ErrorHandler<S, U>;
}

/** What may be said of a node, and with `setNodeDefaults` of all. */
// oxlint-disable-next-line typescript/no-explicit-any -- of whichever node failed
export interface NodePolicyOptions<S = any, U = any> extends NodePolicies, Handled<S, U> {}

/** What may be said of a node beside its policies. */
export interface AddNodeOptions<Nodes extends string = string> {
  /** Nodes that it goes to by returning Commands. */
  ends?: readonly Nodes[];
  /** Run when everything else is done. */
  defer?: boolean;
  /** Shown in streams and traces. */
  metadata?: Record<string, unknown>;
  /** Graphs that it calls, where the graph cannot see them by itself. */
  subgraphs?: readonly unknown[];
}

interface InputOption {
  /** Which keys it gets, as a state definition of its own. Default: the whole state. */
  input?: unknown;
}

/** Options of a node. */
export interface NodeOptions<Nodes extends string = string>
  extends AddNodeOptions<Nodes>, NodePolicyOptions, InputOption {}

/** The same of a node whose input and update are known. */
export type NodeOptionsOf<S, U> = AddNodeOptions & NodePolicies & InputOption & Handled<Uninferred<S>, U>;
/** What a handler takes does not say what its node takes. */
type Uninferred<S> = [S][S extends unknown ? 0 : never];

/** Of other keys it may be for the graph that called this one. */
// oxlint-disable-next-line typescript/no-explicit-any -- that graph's keys are not known here
type NodeCommand<U, Nodes extends string> = CommandInstance<unknown, U & Record<string, any>, Nodes>;

/** Keys that only inputs of other nodes have. What is no update does not pass for one: promises, lists, Commands. */
interface OtherKeys {
  // oxlint-disable-next-line typescript/no-explicit-any -- the graph's type does not tell them
  readonly [key: string]: any;
  readonly lg_name?: undefined;
  readonly then?: undefined;
  readonly [Symbol.iterator]?: undefined;
  readonly [Symbol.asyncIterator]?: undefined;
}
type Written<U, Nodes extends string> = U | (U & OtherKeys) | NodeCommand<U, Nodes> | Send;

export type NodeReturn<U, Nodes extends string> =
  | Written<U, Nodes>
  | readonly Written<U, Nodes>[]
  | null
  | undefined
  | void;

type Widen<V> = V extends string ? string : V extends number ? number : V;
/** An object in a variable, or of a function declared elsewhere, has `string` where its text has `"a"`. */
type Widened<U> = { [K in keyof U]: Widen<U[K]> };

/** What makes each key of the update, as of a `RunnableMap`. Types of the state would cost each node its share. */
interface StepsByKey {
  // oxlint-disable-next-line typescript/no-explicit-any -- the node's state and config
  readonly [key: string]: ((state: any, config: any) => unknown) | RunnableInterface;
}

/** A function of the state; or a Runnable, such as another compiled graph. */
export type NodeLike<S, U, Config, Nodes extends string> =
  | ((
      state: S,
      config: Config,
    ) => NodeReturn<U, Nodes> | Promise<NodeReturn<Widened<U>, Nodes>> | AsyncGenerator<NodeReturn<U, Nodes>>)
  | RunnableInterface<S, NodeReturn<U, Nodes>>
  | StepsByKey
  | SubgraphNode;

/** A compiled graph of any state: it reads and writes the keys that it shares with this one. */
export interface SubgraphNode {
  readonly lg_is_pregel: true;
}

export type Route<N extends string> = N | Send<N>;
/** Chooses where to go next. */
export type Router<S, N extends string, Context extends Record<string, unknown>> = (
  state: S,
  config: NodeConfig<Context>,
) => Awaitable<Route<N> | readonly Route<N>[]>;

/** What a {@link Router} may return, and the nodes it stands for. */
export type PathMap<N extends string> = Record<string, N | typeof END> | readonly (N | typeof END)[];
