import { checkpointsAround, type Task } from "../engine/task.ts";
import {
  ownWriter,
  SCRATCHPAD,
  SEND,
  TASK,
  type ExecutionInfo,
  type LangGraphRunnableConfig,
} from "./config.ts";
import { onDemand } from "./config-on-demand.ts";
import { interruptTask } from "./interrupt.ts";
import { send } from "./own-keys.ts";
import type { ConfigBase, RunScope, TaskRuntime } from "./runtime.ts";

/**
 * The caller's part of a config, once a run (see `ConfigBase`). Members that tasks set come before
 * those of the caller, which cannot be known: the other way round costs V8 8 us an object, not 0.2.
 */
export function configBase(given: {
  readonly tags: readonly string[];
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly configurable: Readonly<Record<string, unknown>>;
  readonly members: Readonly<Record<string, unknown>>;
  readonly namespace: string;
}): ConfigBase {
  const configurable: Record<PropertyKey, unknown> = {
    checkpoint_ns: undefined,
    checkpoint_id: undefined,
    checkpoint_map: undefined,
    [TASK]: undefined,
    [SCRATCHPAD]: undefined,
    [SEND]: undefined,
    ...given.configurable,
  };
  configurable["checkpoint_ns"] = given.namespace;
  configurable["checkpoint_id"] = undefined;
  configurable[SEND] = send;
  return {
    config: {
      tags: given.tags,
      metadata: undefined,
      configurable: undefined,
      callbacks: undefined,
      executionInfo: undefined,
      signal: undefined,
      interrupt: undefined,
      ...given.members,
    },
    configurable,
    metadata: {
      langgraph_step: 0,
      langgraph_node: "",
      langgraph_triggers: undefined,
      langgraph_path: undefined,
      langgraph_checkpoint_ns: "",
      checkpoint_ns: "",
      ...given.metadata,
    },
  };
}

/**
 * A node's second argument. It is made when it is looked at, unless callbacks are told of it or the
 * node names a second argument: who does looks at it.
 */
export function taskConfig(runtime: TaskRuntime): LangGraphRunnableConfig {
  const { callbacks } = runtime.scope;
  const isLookedAt = callbacks !== undefined || runtime.task.node.action.length > 1;
  return isLookedAt ? makeConfig(runtime) : onDemand(runtime, makeConfig);
}

/** Copies of templates: no merging per task. */
function makeConfig(runtime: TaskRuntime): LangGraphRunnableConfig {
  const { task, scope } = runtime;
  const base = scope.base();
  const configurable = { ...base.configurable } as Record<PropertyKey, unknown>;
  configurable["checkpoint_ns"] = task.namespace;
  configurable["checkpoint_map"] = {
    ...(base.configurable["checkpoint_map"] as object),
    ...checkpointsAround(task),
  };
  configurable[TASK] = runtime;
  configurable[SCRATCHPAD] = runtime;
  const config = { ...base.config } as LangGraphRunnableConfig;
  // the caller's list is not for nodes to add to
  config.tags = [...(config.tags as string[])];
  config.metadata = metadataOf(task, scope);
  config.configurable = configurable;
  config.signal = scope.abort.signal;
  // named first: see docs/decisions/2026-11-22-garbage-of-a-run.md
  const interrupt: typeof config.interrupt = (value, options) => interruptTask(runtime, value, options);
  config.interrupt ??= interrupt;
  config.executionInfo = executionInfo(runtime);
  // what a called task or an error handler writes stands at the task that it belongs to
  if (task.graph !== scope.namespace) {
    config.writer = ownWriter((chunk) => scope.write(chunk, task.graph));
  }
  const { limits } = scope;
  if (limits !== undefined) config.heartbeat = () => limits.touch();
  return config;
}

function metadataOf(task: Task, scope: RunScope): Record<string, unknown> {
  const metadata = { ...scope.base().metadata };
  metadata["langgraph_step"] = task.step;
  metadata["langgraph_node"] = task.node.name;
  metadata["langgraph_triggers"] = [...task.triggers];
  metadata["langgraph_path"] = task.path;
  metadata["langgraph_checkpoint_ns"] = task.namespace;
  metadata["checkpoint_ns"] = task.namespace;
  return task.node.metadata === undefined ? metadata : { ...metadata, ...task.node.metadata };
}

function executionInfo({ task, scope, attempt, first }: TaskRuntime): ExecutionInfo {
  return {
    checkpointId: task.checkpointId,
    checkpointNs: task.namespace,
    taskId: task.id,
    threadId: scope.threadId,
    runId: scope.runId,
    nodeAttempt: attempt,
    nodeFirstAttemptTime: first,
  };
}
