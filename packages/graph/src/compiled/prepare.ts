import { mergeConfigs, type RunnableConfig } from "@langchain/core/runnables";
import type { CallbackManagerForChainRun } from "@langchain/core/callbacks/manager";
import type { BaseCache, BaseCheckpointSaver as Saver, BaseStore } from "@langchain/langgraph-checkpoint";
import { GraphError } from "@skein/errors";
import { checkpointsAround } from "../engine/task.ts";
import { START } from "../ids/names.ts";
import { callNamespace, statefulNamespace } from "../ids/namespace.ts";
import type { Program } from "../program/program.ts";
import { inheritedBy, type RunOptions, storedAround } from "../run/run.ts";
import { joinedStore } from "../run/joined-store.ts";
import type { Durability } from "../run/journal.ts";
import type { TransformerFactory } from "../stream/events/transformer.ts";
import { ambientConfig } from "../task/ambient.ts";
import { asRecord, listeners, serialized } from "../task/callbacks.ts";
import {
  type ChunkWriter,
  foreignTask,
  isOwnWriter,
  type LangGraphRunnableConfig,
  type ServerInfo,
  TASK,
} from "../task/config.ts";
import { RunControl } from "../task/run-control.ts";
import type { TaskRuntime } from "../task/runtime.ts";
import type { StreamMode } from "../stream/modes.ts";
import { checkCall, checkOptions, checkRecursionLimit, onConflictOf } from "./check-call.ts";
import type { CallOptions } from "./options.ts";
import { saverOf } from "./saver-of.ts";
import { showIn } from "./shown-metadata.ts";
import { threadIdOf } from "./thread-id.ts";

/** Most steps of a run that is given no limit. */
export const RECURSION_LIMIT = 25;

/** What a graph was compiled with. */
export interface CompiledSettings {
  readonly program: Program;
  /** `true`: keep its own state from call to call, in the caller's saver. `false`: never store. */
  readonly checkpointer: Saver | boolean | undefined;
  readonly store: BaseStore | undefined;
  readonly cache?: BaseCache | undefined;
  readonly interruptBefore: readonly string[] | "*";
  readonly interruptAfter: readonly string[] | "*";
  readonly name: string | undefined;
  readonly debug?: boolean | undefined;
  /** Modes of a stream whose call names none. Default: "updates". */
  readonly streamMode?: readonly StreamMode[] | undefined;
  /** In milliseconds. */
  readonly stepTimeout?: number | undefined;
  /** What runs that are followed as event streams are shown through. */
  readonly streamTransformers?: readonly TransformerFactory[] | undefined;
  /** Set by `withConfig`. */
  readonly config: RunnableConfig | undefined;
  readonly parseContext: ((context: unknown, configurable: unknown) => unknown) | undefined;
  /** What nodes find as `config.interrupt`, where it is not `interrupt` itself. */
  readonly interrupt?: unknown;
}

/** A call, with everything merged that plays a part in it, but not yet a run. */
export interface Call {
  readonly config: CallOptions & LangGraphRunnableConfig;
  readonly configurable: Readonly<Record<PropertyKey, unknown>>;
  readonly parent: TaskRuntime | undefined;
}

/**
 * Merges the call's options with `withConfig` and, within a node, with what the node has: as on
 * LangGraph, what a call names stands in place of what the node has, and `withConfig` adds to it.
 */
export function mergeCall(settings: CompiledSettings, options: CallOptions | undefined): Call {
  const given = (options ?? {}) as CallOptions & LangGraphRunnableConfig;
  checkOptions(given);
  const ambient = ambientConfig();
  let config = ambient === undefined ? given : inheriting(ambient, given, settings.config?.recursionLimit);
  if (settings.config !== undefined) config = mergeConfigs(settings.config, config as never) as typeof given;
  const configurable = (config.configurable ?? {}) as Record<PropertyKey, unknown>;
  return { config, configurable, parent: configurable[TASK] as TaskRuntime | undefined };
}

/** A nested call inherits neither the name nor the id of the node's own run. */
function inheriting<Given extends LangGraphRunnableConfig>(
  ambient: LangGraphRunnableConfig,
  given: Given,
  recursionLimit: number | undefined,
): Given {
  const { runId: _id, runName: _name, executionInfo: _info, writer: _writer, ...rest } = ambient;
  const config: Record<string, unknown> = rest;
  if (recursionLimit !== undefined) config["recursionLimit"] = recursionLimit;
  for (const [key, value] of Object.entries(given)) if (value !== undefined) config[key] = value;
  config["configurable"] = { ...ambient.configurable, ...given.configurable };
  return config as Given;
}

/** A call's options as they are now: whoever called may use the object again before the run begins. */
export function kept<Options extends CallOptions | undefined>(options: Options): Options {
  if (typeof options !== "object" || options === null) return options;
  const { configurable } = options as RunnableConfig;
  if (typeof configurable !== "object" || configurable === null) return { ...options };
  return { ...options, configurable: { ...configurable } };
}

/** What a run's options are but for what follows it, which is made when they are known. */
export type PreparedOptions = Omit<RunOptions, "listener" | "callbacks" | "nested" | "isNode" | "signal">;

export interface Prepared {
  readonly options: PreparedOptions;
  readonly signal: AbortSignal | undefined;
  /** Tells callbacks that the run begins; undefined when nobody listens. */
  readonly announce: (() => Promise<CallbackManagerForChainRun>) | undefined;
}

/** Callbacks that the call adds to those of its config. */
export type ExtraHandlers = NonNullable<RunnableConfig["callbacks"]> | undefined;

/** A call as a run wants it: defaults filled in, its thread and namespace known. */
export function prepareRun(
  settings: CompiledSettings,
  call: Call,
  input: unknown,
  extra: {
    readonly outputKeys: readonly string[];
    readonly bareKey: string | undefined;
    readonly writer: ChunkWriter;
    readonly handlers: ExtraHandlers;
  },
): Prepared {
  const { config, configurable, parent } = call;
  const { program } = settings;
  const recursionLimit = config.recursionLimit ?? RECURSION_LIMIT;
  checkRecursionLimit(recursionLimit);
  checkCall(config);
  const place = placeOf(settings, call);
  const context =
    settings.parseContext === undefined
      ? config.context
      : settings.parseContext(config.context, configurable);
  const metadata = metadataOf(config, configurable);
  const tags = config.tags ?? [];
  const callbacks = withHandlers(config.callbacks, extra.handlers);
  const manager = listeners(callbacks, tags, metadata, configurable, context);
  const caller = inheritedBy(parent);
  const runId = config.runId as string | undefined;
  const given = config.store ?? settings.store ?? caller?.options.store;
  const store = given && joinedStore(given);
  const taker = takerOf(config.writer ?? undefined, caller?.options);
  const control = config.control ?? caller?.options.control ?? new RunControl();
  return {
    options: {
      program,
      input,
      config: {
        name: config.runName,
        tags,
        metadata,
        configurable: configurable as Record<string, unknown>,
        members: withoutUndefined({
          recursionLimit,
          maxConcurrency: config.maxConcurrency,
          context,
          store,
          cache: config.cache,
          interrupt: settings.interrupt,
          serverInfo: config.serverInfo ?? serverInfoOf(config.metadata, configurable),
          control,
          writer: taker === caller?.options.taker ? extra.writer : taker,
          heartbeat: config.heartbeat,
        }),
      },
      // one by one, not spread: see docs/decisions/2026-11-22-garbage-of-a-run.md
      namespace: place.namespace,
      threadId: place.threadId,
      checkpointId: place.checkpointId,
      parents: place.parents,
      saver: place.saver,
      store,
      cache: config.cache ?? settings.cache,
      control,
      durability: durabilityOf(config) ?? caller?.options.durability ?? "async",
      onConflict: onConflictOf(config.onConflict, configurable) ?? "fail",
      recursionLimit,
      maxConcurrency: config.maxConcurrency ?? Number.POSITIVE_INFINITY,
      interruptBefore: config.interruptBefore ?? settings.interruptBefore,
      interruptAfter: config.interruptAfter ?? settings.interruptAfter,
      outputKeys: extra.outputKeys,
      bareKey: extra.bareKey,
      runId,
      taker,
      parent,
    } satisfies PreparedOptions & { durability: Durability },
    signal: config.signal,
    announce:
      manager &&
      (() =>
        manager.handleChainStart(
          serialized("langgraph", "pregel", program.nodes.has(START) ? "CompiledStateGraph" : "LangGraph"),
          asRecord(input, "input"),
          runId,
          undefined,
          undefined,
          undefined,
          config.runName ?? settings.name ?? program.name,
        )),
  };
}

/** Who was given to take custom chunks: with this call, or with one that it is made in. */
function takerOf(given: ChunkWriter | undefined, above: RunOptions | undefined): ChunkWriter | undefined {
  const isHandedOn = given === undefined || given === above?.config.members["writer"] || isOwnWriter(given);
  return isHandedOn ? above?.taker : given;
}

/** `checkpointDuring` is what LangGraph called it first. */
function durabilityOf({ durability, checkpointDuring }: CallOptions): Durability | undefined {
  if (checkpointDuring === undefined) return durability;
  if (durability === undefined) return checkpointDuring ? "async" : "exit";
  throw new GraphError(
    "INVALID_CONFIGURATION",
    'Pass "durability" or its older name "checkpointDuring", not both.',
  );
}

function withHandlers(
  callbacks: RunnableConfig["callbacks"],
  extra: ExtraHandlers,
): RunnableConfig["callbacks"] {
  if (extra === undefined) return callbacks;
  return callbacks === undefined ? extra : mergeConfigs({ callbacks: extra }, { callbacks }).callbacks;
}

/** Where the run stands: its saver, thread, namespace and checkpoint. */
function placeOf(
  settings: CompiledSettings,
  { configurable, parent }: Call,
): Pick<RunOptions, "saver" | "threadId" | "namespace" | "checkpointId" | "parents"> {
  const caller = inheritedBy(parent);
  const foreign = foreignTask(configurable, parent);
  // a memory of its own is kept where the graphs around keep theirs, also below one that keeps nothing
  const around = settings.checkpointer === true ? storedAround(parent) : caller;
  const above = foreign === undefined ? around?.options.saver : configurable["__pregel_checkpointer"];
  const saver = saverOf(settings.checkpointer, above as Saver | undefined);
  const threadId = threadIdOf(configurable);
  if (saver !== undefined && threadId === undefined) {
    throw new GraphError(
      "MISSING_THREAD_ID",
      "A graph with a checkpointer needs to know its thread. Pass {configurable: {thread_id: ...}}.",
    );
  }
  const map = (configurable["checkpoint_map"] ?? {}) as Record<string, string>;
  if (foreign !== undefined) {
    // its state is beside that of the graph that calls it
    const called = callNamespace(String(configurable["checkpoint_ns"]), foreign.subgraphCounter++);
    const namespace = settings.checkpointer === true ? statefulNamespace(called) : called;
    return { saver, threadId, namespace, checkpointId: map[namespace], parents: map };
  }
  if (parent === undefined || caller === undefined) {
    // a namespace from a subgraph's config names a state, not a place to run
    const nested = typeof configurable["checkpoint_ns"] === "string" && configurable["checkpoint_ns"] !== "";
    // empty where a caller has none: the newest
    const requested = (configurable["checkpoint_id"] as string | null | undefined) || undefined;
    const checkpointId = nested ? map[""] : requested;
    return { saver, threadId, namespace: "", checkpointId, parents: map };
  }
  // the task's own, or another by whose name the caller keeps a memory
  const named = (configurable["checkpoint_ns"] as string | null | undefined) || parent.task.namespace;
  const called = callNamespace(named, parent.calls++);
  const namespace = settings.checkpointer === true ? statefulNamespace(called) : called;
  const parents = { ...caller.options.parents, ...checkpointsAround(parent.task) };
  return { saver, threadId, namespace, checkpointId: map[namespace], parents };
}

function metadataOf(
  { metadata: given, timeout }: RunnableConfig,
  configurable: Readonly<Record<PropertyKey, unknown>>,
): Record<string, unknown> {
  const metadata: Record<string, unknown> = { ls_integration: "langgraph", ...given };
  if (timeout !== undefined) metadata["timeoutMs"] ??= timeout;
  return showIn(metadata, configurable);
}

/** A copy with the members that are there: nodes list what they find in their config. */
function withoutUndefined(given: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const members: Record<string, unknown> = {};
  for (const key in given) if (given[key] !== undefined) members[key] = given[key];
  return members;
}

/** What a LangGraph server says about itself in a config. */
function serverInfoOf(
  metadata: Readonly<Record<string, unknown>> | null | undefined,
  configurable: Readonly<Record<PropertyKey, unknown>>,
): ServerInfo | undefined {
  const assistant = configurable["assistant_id"] ?? metadata?.["assistant_id"];
  const graph = configurable["graph_id"] ?? metadata?.["graph_id"];
  const given = configurable["langgraph_auth_user"];
  const isUser = typeof given === "object" && given !== null && "identity" in given;
  if (assistant === undefined && graph === undefined && !isUser) return undefined;
  const user = isUser ? (given as Record<string, unknown>) : undefined;
  return { assistantId: String(assistant ?? ""), graphId: String(graph ?? ""), user };
}
