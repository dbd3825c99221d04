import type { Awaitable } from "@skein/checkpointer";
import type { BaseChannel, Held } from "../channels/base.ts";
import type { Send } from "./send.ts";
import type { TimeoutPolicy } from "./timeout-policy.ts";

/** One write of a task: a channel and a value. */
export type Write = [channel: string, value: unknown];

/** The state that a step began with. */
export interface FreshState {
  /** Values as they would be after the given writes. */
  readFresh(keys: readonly string[], writes: readonly Write[]): Record<string, unknown>;
}

/** Reads a channel; "absent" when it has no value. */
export type ReadChannel = (channel: string) => Held;

/** Makes a node's input of channels; undefined when the node cannot run. */
export type InputReader = (read: ReadChannel) => unknown;

/** A function that chooses where to go. */
export interface Branch {
  readonly name: string;
  readonly choose: (state: Record<string, unknown>, config: unknown) => unknown;
  /** It is a runnable, which tells callbacks of its runs by itself. */
  readonly runnable: boolean;
  /** Names that `choose` may return, and the nodes they stand for. */
  readonly ends: ReadonlyMap<string, string> | undefined;
}

/** When and how often a failed attempt is repeated. Times in milliseconds. */
export interface RetryPolicy {
  /** Before the second attempt. Default: 500. */
  initialInterval?: number;
  /** Grows by this factor with every attempt. Default: 2. */
  backoffFactor?: number;
  /** Upper bound. Default: 128,000. */
  maxInterval?: number;
  /** Attempts in all. Default: 3. */
  maxAttempts?: number;
  /** Adds up to a second at random. Default: true. */
  jitter?: boolean;
  /** Which errors to retry. Default: all but cancellations and client errors. */
  // oxlint-disable-next-line typescript/no-explicit-any -- whatever nodes throw
  retryOn?: (error: any) => boolean;
  /** Report each retry on the console. Default: true. */
  logWarning?: boolean;
}

/** Whether and how long what a node wrote is used again for an equal input. Needs a `cache`. */
export interface CachePolicy {
  /** Makes the key of an input, which is the only argument in the list. Default: `JSON.stringify`. */
  keyFunc?: (args: unknown[]) => string;
  /** In seconds. Default: for as long as the cache keeps it. */
  ttl?: number;
}

export type NodeAction = (input: unknown, config: unknown) => unknown;

/** A node, compiled: what triggers it, what it reads, what it does, where its results go. */
export interface ProgramNode {
  readonly name: string;
  readonly triggers: readonly string[];
  /** Keys of the state that it gets, "start" for the virtual node that unpacks the input, or its own way. */
  readonly input: readonly string[] | "start" | InputReader;
  /** Those of its keys that are loaded only for it. */
  readonly lazyInput: readonly string[];
  readonly action: NodeAction;
  /** The runnable behind the action, where it may hold a subgraph. */
  readonly runnable: unknown;
  readonly subgraphs: readonly unknown[];
  /** Nodes after this one, by edges: the channel to write and the value. */
  readonly edges: readonly Write[];
  readonly branches: readonly Branch[];
  /** Keys that it may write. */
  readonly writable: ReadonlySet<string>;
  readonly retryPolicy: RetryPolicy | undefined;
  readonly timeout: TimeoutPolicy | undefined;
  readonly cachePolicy?: CachePolicy | undefined;
  /** The node that runs in the same step when this one has failed for good. */
  readonly errorHandler?: string | undefined;
  /** Runs for nodes that failed, and is never triggered. */
  readonly isErrorHandler?: boolean;
  readonly metadata: Readonly<Record<string, unknown>> | undefined;
  /** Left out of streams and traces. */
  readonly hidden: boolean;
  readonly ends: readonly string[] | undefined;
  /** What its return value writes, where that is a value of its own and no part of the state. */
  readonly conveys?: (returned: unknown, config: unknown) => Awaitable<Write[]>;
}

/** A graph, compiled. Shared by all runs and never changed by one (I9). */
export interface Program {
  readonly name: string;
  readonly nodes: ReadonlyMap<string, ProgramNode>;
  readonly channels: ReadonlyMap<string, BaseChannel>;
  /** Which nodes a channel wakes: a step looks only at what changed (I7). */
  readonly triggers: ReadonlyMap<string, readonly ProgramNode[]>;
  /** All keys of the state. */
  readonly stateKeys: readonly string[];
  /** Keys of the state that are shown without being named. */
  readonly visibleKeys: readonly string[];
  readonly outputKeys: readonly string[];
  /** The state is the value of this one channel, shown without an object around it. */
  readonly bareKey?: string | undefined;
  /** The same for the output. */
  readonly bareOutput?: string | undefined;
  /** What an input writes. Default: it writes all of it to START, for the node that unpacks it. */
  readonly takesInput?: (input: unknown) => Write[];
  /** The node that an update of a new thread is taken to come from. Default: START. */
  readonly inputNode?: string | undefined;
  /** Channels that savers of whole checkpoints get as their writes, if there are any. */
  readonly replayed?: readonly string[] | undefined;
  /** Channels that keep a log, and the channel that it is, if there are any. */
  readonly echoes?: readonly (readonly [name: string, log: string])[] | undefined;
  /** Channels that must be told when nothing else is left to run. */
  readonly deferred: readonly string[];
  /** Validates a write to a key. */
  readonly parse: ((key: string, value: unknown) => Awaitable<unknown>) | undefined;
  /** Keys that an input is taken to hold when it does not. */
  readonly inputDefaults: ReadonlyMap<string, () => Awaitable<unknown>>;
  /** Validates a key of an input. */
  readonly parseInput: ((key: string, value: unknown) => Awaitable<unknown>) | undefined;
}

/** Where a node may go: the name of a node, END, or a Send. */
export type Destination = string | Send;
