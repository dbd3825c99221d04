import type { RunnableConfig } from "@langchain/core/runnables";
import type { BaseStore } from "@langchain/langgraph-checkpoint";
import type { JsonSchema } from "../state/json-schema.ts";
import type { StandardSchema } from "../state/standard.ts";
import type { RunControl } from "./run-control.ts";
import type { TaskRuntime } from "./runtime.ts";

/** Under this symbol a node's `configurable` carries its task, for nested graphs and `interrupt`. */
export const TASK: unique symbol = Symbol.for("skein.task") as never;

/** LangGraph's key for what a running task has; `langchain` reads `currentTaskInput` there. */
export const SCRATCHPAD = "__pregel_scratchpad";

/** LangGraph's keys for writing and reading the state by hand; `deepagents` and the SDK's `typedUi` do. */
export const SEND = "__pregel_send";
export const READ = "__pregel_read";

/** Whether a task of LangGraph.js is resumed, and with which answers by id. */
export const RESUMING = "__pregel_resuming";
export const ANSWERS = "__pregel_resume_map";

/** What a task of LangGraph.js has that a graph needs which its node calls. */
export interface ForeignTask {
  /** How many graphs it has called. */
  subgraphCounter: number;
  /** The answer that the call was resumed with, once. */
  consumeNullResume(): unknown;
}

/** The task of LangGraph.js whose node makes a call; undefined elsewhere. */
export function foreignTask(
  configurable: Readonly<Record<PropertyKey, unknown>>,
  parent: unknown,
): ForeignTask | undefined {
  return parent === undefined && READ in configurable
    ? (configurable[SCRATCHPAD] as ForeignTask | undefined)
    : undefined;
}

/** Facts about the attempt that is running. */
export interface ExecutionInfo {
  readonly checkpointId: string;
  readonly checkpointNs: string;
  readonly taskId: string;
  /** Undefined without a checkpointer. */
  readonly threadId?: string | undefined;
  readonly runId?: string | undefined;
  /** From 1. */
  readonly nodeAttempt: number;
  /** Start of the first attempt, in milliseconds since 1970. */
  readonly nodeFirstAttemptTime?: number | undefined;
}

export interface InterruptOptions<R = unknown> {
  /**
   * What the answer must look like: shown with the interrupt as `response_schema`, a JSON schema. A
   * zod schema (or another Standard Schema) also checks the answer; `interrupt` returns what it
   * makes of it, and an answer that does not fit is an error of the node. A JSON schema checks nothing.
   */
  readonly responseSchema?: StandardSchema<unknown, R> | JsonSchema;
}

/** Who runs the graph, where a server does. */
export interface ServerInfo {
  readonly assistantId: string;
  readonly graphId: string;
  /** The authenticated user, if any. */
  readonly user?: Readonly<Record<string, unknown>> | undefined;
}

// oxlint-disable-next-line typescript/no-explicit-any -- LangChain's own type of it; interfaces fit it, too
type Fields = Record<string, any>;
type Configurable<Context> = Context & Fields;

/** A member that a graph may declare itself, with its type where it does not. */
type Declared<Own, Usual> = unknown extends Own ? Usual : Own;
/** Stops the node until the run is resumed, and returns the answer. */
// oxlint-disable-next-line typescript/no-explicit-any -- whoever asks knows what is answered
type Interrupts = <I = unknown, R = any>(value: I, options?: InterruptOptions<R>) => R;

/**
 * What a node gets beside a LangChain config.
 *
 * @typeParam Interrupt - type of `interrupt`, for graphs that declare it: `new StateGraph({interrupt})`
 * @typeParam Writer - type of `writer`, likewise
 */
export interface Runtime<Context = Record<string, unknown>, Interrupt = unknown, Writer = unknown> {
  /** May have what the context's schema declares: programs that are older than `context` pass it here. */
  configurable?: Configurable<Context>;
  /** What the caller passed as `context`. */
  context?: Context;
  /** The store that the graph was compiled or called with. */
  store?: BaseStore;
  /** Sends a chunk to the stream mode "custom". */
  writer: Declared<Writer, (chunk: unknown) => void>;
  /** Stops the node until the run is resumed, and returns the answer; or what the graph declares. */
  interrupt: Declared<Interrupt, Interrupts>;
  /** Aborted when the run is cancelled or a sibling failed. */
  signal: AbortSignal;
  /** Says that the node makes progress; resets an idle timeout. */
  heartbeat?: () => void;
  executionInfo?: ExecutionInfo;
  /** Undefined unless the config says which assistant or graph of a server it is. */
  serverInfo?: ServerInfo;
  /** To ask that the run be stopped after this step, or to see whether somebody has. */
  control?: RunControl;
}

/** A config as nodes get it and hand it on. */
export interface LangGraphRunnableConfig<Context extends Fields = Fields>
  extends Omit<RunnableConfig, "store" | "signal" | "configurable">, Partial<Runtime<Context>> {}

/** A node's second argument: a config in which everything is there that only a run can give. */
export interface NodeConfig<
  Context extends Fields = Record<string, unknown>,
  Interrupt = unknown,
  Writer = unknown,
>
  extends Omit<RunnableConfig, "store" | "signal" | "configurable">, Runtime<Context, Interrupt, Writer> {}

/** Marks the writers that the engine makes, which a call is not *given* when a node hands its config on. */
const OWN_WRITER: unique symbol = Symbol("skein.writer");

export type ChunkWriter = (chunk: unknown) => void;

export function ownWriter(write: ChunkWriter): ChunkWriter {
  return Object.assign(write, { [OWN_WRITER]: true });
}

export function isOwnWriter(writer: ChunkWriter): boolean {
  return OWN_WRITER in writer;
}

/** The task that a config belongs to, if it comes from a node of ours. */
export function taskOf(config: { readonly configurable?: unknown } | undefined): TaskRuntime | undefined {
  const configurable = config?.configurable as { [TASK]?: TaskRuntime } | undefined;
  return configurable?.[TASK];
}
