import type { LateId } from "@skein/checkpointer";
import { nodePath, taskNamespace } from "../ids/namespace.ts";
import { PULL, PUSH } from "../ids/names.ts";
import { callTaskId, handlerTaskId, pullTaskId, pushTaskId } from "../ids/task-id.ts";
import type { ProgramNode, Write } from "../program/program.ts";
import type { TimeoutPolicy } from "../program/timeout-policy.ts";

export type TaskPath =
  | readonly [typeof PULL, string]
  | readonly [typeof PUSH, number]
  /** The n-th task that another task called. */
  | readonly [typeof PUSH, caller: TaskPath, n: number, called: true]
  /** The error handler of a task that failed. */
  | readonly [typeof PUSH, failed: string, handler: string, called: false];

/** A task that failed for good, and what it threw. */
export interface Failure {
  readonly task: Task;
  readonly error: unknown;
}

const NONE: readonly Write[] = [];
/** One for all Sends: a step has 10,000. */
const SENT: readonly string[] = [PUSH];

/** Where a step stands. */
interface Place {
  readonly step: number;
  readonly checkpointId: string;
  readonly namespace: string;
}

/** The id of a triggered task, a hash that is made when somebody reads it. Keeps no input and no writes alive. */
class PullId implements LateId {
  readonly #place: Place;
  readonly #node: string;
  readonly #trigger: string;

  constructor(place: Place, node: string, trigger: string) {
    this.#place = place;
    this.#node = node;
    this.#trigger = trigger;
  }
  get text(): string {
    const { checkpointId, step, namespace } = this.#place;
    return pullTaskId(checkpointId, nodePath(namespace, this.#node), step, this.#node, this.#trigger);
  }
}

interface Origin {
  readonly trigger?: string;
  readonly index?: number;
  readonly caller?: Task | undefined;
  readonly failure?: Failure | undefined;
  readonly timeout?: TimeoutPolicy | undefined;
}

/**
 * A node to run in a step, and then what it contributes to the step. Its id is a hash and costs more
 * than a step may: it is made when a saver, a stream, a namespace or the node itself asks for it.
 */
export class Task {
  readonly node: ProgramNode;
  input: unknown;
  /** The channel that woke it, or undefined for a Send. */
  readonly trigger: string | undefined;
  /**
   * Index among the step's Sends, or among the tasks that `caller` called; -1 for a triggered node,
   * -2 for an error handler.
   */
  readonly index: number;
  /** Filled when the outcome is known; a task with writes is not run again (I6). */
  writes: readonly Write[] = NONE;
  /** The same writes as the node made them, before channels prepared them. */
  raw: readonly Write[] = NONE;
  /** Its writes are in the store, or were loaded from it; without a store: they were shown. */
  recorded = false;
  /** Shared by the tasks of a step. */
  readonly #place: Place;
  /** What few tasks have. */
  readonly #origin: Origin | undefined;
  #id: string | undefined;
  #namespace: string | undefined;

  constructor(node: ProgramNode, input: unknown, origin: Origin, place: Place) {
    this.node = node;
    this.input = input;
    const { trigger, index, caller, failure, timeout } = origin;
    this.trigger = trigger;
    this.index = index ?? (failure === undefined ? -1 : HANDLER);
    const isPlain = caller === undefined && failure === undefined && timeout === undefined;
    this.#origin = isPlain ? undefined : { caller, failure, timeout };
    this.#place = place;
  }
  /** The task that called it, if one did. */
  get caller(): Task | undefined {
    return this.#origin?.caller;
  }
  /** For an error handler: what it is to handle. */
  get failure(): Failure | undefined {
    return this.#origin?.failure;
  }
  get timeout(): TimeoutPolicy | undefined {
    return this.#origin?.timeout ?? this.node.timeout;
  }
  get step(): number {
    return this.#place.step;
  }
  get checkpointId(): string {
    return this.#place.checkpointId;
  }
  /** Namespace of the graph; of a called task or an error handler, that of the other task. */
  get graph(): string {
    return this.#place.namespace;
  }
  get name(): string {
    return this.node.name;
  }
  get id(): string {
    return (this.#id ??= this.#makeId());
  }
  /** The id for a saver, which may never read it. */
  get lateId(): string | LateId {
    if (this.#id !== undefined || this.trigger === undefined) return this.id;
    return new PullId(this.#place, this.node.name, this.trigger);
  }
  #makeId(): string {
    const { checkpointId, step, node, trigger, caller, failure } = this;
    const path = nodePath(this.graph, node.name);
    if (failure !== undefined) return handlerTaskId(checkpointId, path, step, node.name, failure.task.id);
    if (trigger !== undefined) return pullTaskId(checkpointId, path, step, node.name, trigger);
    return caller === undefined
      ? pushTaskId(checkpointId, path, step, node.name, this.index)
      : callTaskId(checkpointId, path, step, node.name, caller.path, this.index);
  }
  /** Namespace of graphs that the task calls. */
  get namespace(): string {
    return (this.#namespace ??= taskNamespace(this.graph, this.node.name, this.id));
  }
  get triggers(): readonly string[] {
    return this.trigger === undefined ? SENT : [this.trigger];
  }
  get path(): TaskPath {
    if (this.failure !== undefined) return [PUSH, this.failure.task.node.name, this.node.name, false];
    if (this.trigger !== undefined) return [PULL, this.node.name];
    return this.caller === undefined ? [PUSH, this.index] : [PUSH, this.caller.path, this.index, true];
  }
}

/** Index of an error handler. */
const HANDLER = -2;

/** The order in which updates apply (I2): triggered nodes by name, then Sends by index, then error handlers by the name of the node that failed. */
export function inTaskOrder(a: Task, b: Task): number {
  if (a.index < 0 && b.index < 0) {
    if (a.index !== b.index) return b.index - a.index;
    const [nameA, nameB] = [nameOf(a), nameOf(b)];
    return nameA < nameB ? -1 : nameA > nameB ? 1 : 0;
  }
  if (a.index === HANDLER || b.index === HANDLER) return a.index === HANDLER ? 1 : -1;
  return a.index - b.index;
}

export function isInTaskOrder(tasks: readonly Task[]): boolean {
  for (let at = 1; at < tasks.length; at += 1) {
    if (inTaskOrder(tasks[at - 1] as Task, tasks[at] as Task) > 0) return false;
  }
  return true;
}

function nameOf({ failure, node }: Task): string {
  return failure === undefined ? node.name : failure.task.node.name;
}

/** The error handler of a task, as a task of the same step; undefined when it has none. */
export function handlerOf(failure: Failure, nodes: ReadonlyMap<string, ProgramNode>): Task | undefined {
  const { task } = failure;
  const node = task.node.errorHandler === undefined ? undefined : nodes.get(task.node.errorHandler);
  if (node === undefined) return undefined;
  const { step, checkpointId, namespace } = task;
  return new Task(node, task.input, { failure }, { step, checkpointId, namespace });
}

/** The checkpoint of the graph around a task, also under the names of the tasks that it belongs to. */
export function checkpointsAround({ caller, failure, graph, checkpointId }: Task): Record<string, string> {
  const owner = caller ?? failure?.task;
  return { ...(owner && checkpointsAround(owner)), [graph]: checkpointId };
}
