import type { RunnableConfig } from "@langchain/core/runnables";
import type { Snapshot } from "../engine/snapshot.ts";
import type { Task, TaskPath } from "../engine/task.ts";
import type { Interrupt } from "../errors/signals.ts";
import { taskNamespace } from "../ids/namespace.ts";
import { ERROR, INTERRUPT, RETURN } from "../ids/names.ts";
import type { Program, Write } from "../program/program.ts";
import { configOf } from "../run/config-of.ts";
import { questionsIn } from "../run/questions.ts";
import type { Run } from "../run/run.ts";
import { asShown } from "./as-shown.ts";
import type { CheckpointEnvelope } from "./events/convert.ts";
import { pushTo } from "../channels/push-to.ts";

/** The run's output as the caller asked for it; null for a bare key without a value. */
export function outputOf({ snapshot, options }: Run): unknown {
  return valuesOf(snapshot, options.outputKeys, options.bareKey);
}

/** Values of keys as an object; of the bare key its value alone. */
export function valuesOf(snapshot: Snapshot, keys: readonly string[], bareKey: string | undefined): unknown {
  const values = snapshot.read(keys);
  if (bareKey === undefined) return values;
  return Object.hasOwn(values, bareKey) ? values[bareKey] : null;
}

/** What a task wrote, as mode "updates" shows it: `{node: {key: value}}`, or `{node: value}`. */
export function updatesPayload(
  task: Task,
  writes: readonly Write[],
  { outputKeys, bareKey, program }: Pick<Run["options"], "outputKeys" | "bareKey" | "program">,
  cached: boolean,
): Record<string, unknown> {
  const isCall = task.caller !== undefined;
  const visible = writes.filter(([channel]) => (isCall ? channel === RETURN : outputKeys.includes(channel)));
  const shown = cached ? asShown(task, visible, program) : visible;
  const name = task.node.name;
  const value = bareKey === undefined && !isCall ? named(shown) : bare(shown);
  const payload: Record<string, unknown> = value === undefined ? {} : { [name]: value };
  if (cached) payload["__metadata__"] = { cached };
  return payload;
}

function bare(shown: readonly Write[]): unknown {
  return shown.length > 1 ? shown.map(([, written]) => written) : shown[0]?.[1];
}

function named(shown: readonly Write[]): unknown {
  const counts = new Set(shown.map(([channel]) => channel));
  // a key that was written twice (by several commands) cannot stand in one object
  return counts.size < shown.length
    ? shown.map(([channel, written]) => ({ [channel]: written }))
    : Object.fromEntries(shown);
}

/** Whether tasks wrote one of the keys. */
export function wroteAny(tasks: readonly Task[], keys: readonly string[]): boolean {
  return tasks.some((task) => task.writes.some(([channel]) => keys.includes(channel)));
}

export function taskPayload(task: Task, { options }: Run): Record<string, unknown> {
  const { metadata, tags } = options.config;
  return {
    id: task.id,
    name: task.node.name,
    input: task.input,
    triggers: [...task.triggers],
    interrupts: [],
    metadata: {
      ...Object.fromEntries(Object.entries(metadata).filter(([key]) => !BOOKKEEPING.has(key))),
      ...task.node.metadata,
      ...(tags.length > 0 && { tags }),
    },
  };
}

/** Members of the metadata that say where a task is; its other fields say it already. */
const BOOKKEEPING = new Set([
  "thread_id",
  "checkpoint_id",
  "checkpoint_ns",
  "checkpoint_map",
  "langgraph_step",
  "langgraph_node",
  "langgraph_triggers",
  "langgraph_path",
  "langgraph_checkpoint_ns",
]);

export function taskResultPayload(
  task: Task,
  writes: readonly Write[],
  keys: readonly string[],
): Record<string, unknown> {
  return {
    id: task.id,
    name: task.node.name,
    result: collect(writes.filter(([channel]) => keys.includes(channel))),
    interrupts: interruptsOf(writes),
  };
}

/** Writes as an object; a key written several times becomes `{$writes: [...]}`. */
export function collect(writes: readonly Write[]): Record<string, unknown> {
  const byKey = new Map<string, unknown[]>();
  for (const [key, value] of writes) pushTo(byKey, key, value);
  return Object.fromEntries(
    [...byKey].map(([key, values]) => [key, values.length === 1 ? values[0] : { $writes: values }]),
  );
}

export function interruptsOf(writes: readonly Write[]): Interrupt[] {
  return writes.flatMap(([channel, value]) => (channel === INTERRUPT ? questionsIn(value) : []));
}

/** A task as a checkpoint or a state shows it. */
export interface TaskDescription<State = unknown> {
  readonly id: string;
  readonly name: string;
  readonly path: TaskPath;
  readonly interrupts: Interrupt[];
  readonly error?: unknown;
  /** The state of a graph that the task calls, or the config to ask for it. */
  readonly state?: State | undefined;
  readonly result?: unknown;
}

/** @param pending - writes of all tasks of the step, as [task id, channel, value] */
export function describeTask<State>(
  task: Task,
  pending: readonly (readonly [string, string, unknown])[],
  program: Program,
  state: State | undefined,
): TaskDescription<State> {
  const own = pending.filter(([id]) => id === task.id).map(([, channel, value]): Write => [channel, value]);
  const error = own.find(([channel]) => channel === ERROR)?.[1];
  const interrupts = interruptsOf(own);
  const { visibleKeys: keys, bareKey } = program;
  const base = { id: task.id, name: task.node.name, path: task.path, interrupts };
  const visible = own.filter(([channel]) => keys.includes(channel));
  const shown = asShown(task, visible, program);
  const returned = own.find(([channel]) => channel === RETURN);
  const collected = bareKey === undefined && shown.length > 0 ? collect(shown) : shown[0]?.[1];
  const written = returned === undefined ? collected : returned[1];
  const result = error !== undefined || interrupts.length > 0 ? undefined : written;
  if (error !== undefined) return { ...base, error, result };
  return state === undefined ? { ...base, result } : { ...base, state, result };
}

/** What mode "checkpoints" shows when a state was stored and its next step is planned. */
export function checkpointPayload(run: Run, tasks: readonly Task[]): Record<string, unknown> {
  const { program, namespace, threadId } = run.options;
  const pending = run.pending as readonly (readonly [string, string, unknown])[];
  const { metadata, tags, name, configurable: given, members } = run.options.config;
  const { parents, isNode, callbacks, parent: caller } = run.options;
  // until the run ends, the checkpoint that it found is the newest that somebody can ask for
  const at =
    run.journal?.durability === "exit"
      ? run.session?.stored
      : { id: run.snapshot.checkpointId, parentId: run.parentId };
  // what callbacks are told of has its name there
  const nodeName = callbacks === undefined ? caller?.task.node.name : undefined;
  const { maxConcurrency } = members;
  const runName = isNode ? nodeName : name;
  const map = Object.keys(parents).length === 0 ? {} : { checkpoint_map: parents };
  const configurable = { ...given, thread_id: threadId, checkpoint_ns: namespace, ...map };
  const config = (id: string | undefined): Record<string, unknown> => ({
    configurable: id === undefined ? configurable : { ...configurable, checkpoint_id: id },
    metadata,
    ...(maxConcurrency === undefined ? {} : { max_concurrency: maxConcurrency }),
    recursion_limit: members["recursionLimit"],
    ...(runName === undefined ? {} : { run_name: runName }),
    tags,
  });
  return {
    config: config(at?.id),
    values: valuesOf(run.snapshot, program.visibleKeys, program.bareKey),
    metadata: run.metadata,
    next: tasks.map((task) => task.node.name),
    tasks: tasks.map((task) => describeTask(task, pending, program, nestedConfig(task, threadId, namespace))),
    parentConfig: parentConfig(run, at?.parentId, config),
  };
}

/** Which checkpoint the run's state is. */
export function envelopeOf({ snapshot, parentId, metadata }: Run): CheckpointEnvelope {
  const { step, source } = metadata;
  return {
    id: snapshot.checkpointId,
    ...(parentId === undefined ? {} : { parent_id: parentId }),
    step,
    source,
  };
}

/** Of a state that the run found rather than made, only its place is known. */
function parentConfig(
  run: Run,
  parent: string | undefined,
  config: (id: string) => Record<string, unknown>,
): unknown {
  if (parent === undefined) return undefined;
  if (parent !== run.session?.stored?.parentId) return config(parent);
  return configOf({ ...run.options, checkpointId: parent });
}

/** Where the state of a graph that the task calls is to be asked for. */
export function nestedConfig(
  task: Task,
  threadId: string | undefined,
  namespace: string,
): RunnableConfig | undefined {
  if (task.node.subgraphs.length === 0) return undefined;
  return configOf({
    threadId,
    namespace: taskNamespace(namespace, task.node.name, task.id),
    checkpointId: undefined,
  });
}
