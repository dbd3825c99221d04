import { nodePath, taskNamespace } from "../ids/namespace.ts";
import { PULL, PUSH } from "../ids/names.ts";
import { callTaskId, pullTaskId, pushTaskId } from "../ids/task-id.ts";
import type { ProgramNode, Write } from "../program/program.ts";
import type { TimeoutPolicy } from "../program/send.ts";

export type TaskPath =
  | readonly [typeof PULL, string]
  | readonly [typeof PUSH, number]
  /** The n-th task that another task called. */
  | readonly [typeof PUSH, caller: TaskPath, n: number, called: true];

/**
 * A node to run in a step. Its id is a hash and costs more than a step may: it is made when a
 * saver, a stream, a namespace or the node itself asks for it.
 */
export class Task {
  readonly node: ProgramNode;
  input: unknown;
  /** The channel that woke it, or undefined for a Send. */
  readonly trigger: string | undefined;
  /** Index among the step's Sends, or among the tasks that `caller` called; -1 for a triggered node. */
  readonly index: number;
  /** The task that called it, if one did. */
  readonly caller: Task | undefined;
  readonly step: number;
  readonly checkpointId: string;
  /** Namespace of the graph; of a called task, that of its caller. */
  readonly graph: string;
  readonly timeout: TimeoutPolicy | undefined;
  /** Filled when the outcome is known; a task with writes is not run again (I6). */
  writes: readonly Write[] = [];
  /** The same writes as the node made them, before channels prepared them. */
  raw: readonly Write[] = [];
  /** Its writes are in the store, or were loaded from it; without a store: they were shown. */
  recorded = false;
  #id: string | undefined;
  #namespace: string | undefined;

  constructor(
    node: ProgramNode,
    input: unknown,
    origin: { trigger?: string; index?: number; caller?: Task; timeout?: TimeoutPolicy | undefined },
    place: { step: number; checkpointId: string; namespace: string },
  ) {
    this.node = node;
    this.input = input;
    this.trigger = origin.trigger;
    this.index = origin.index ?? -1;
    this.caller = origin.caller;
    this.timeout = origin.timeout ?? node.timeout;
    this.step = place.step;
    this.checkpointId = place.checkpointId;
    this.graph = place.namespace;
  }
  get id(): string {
    if (this.#id !== undefined) return this.#id;
    return (this.#id = this.#makeId());
  }
  #makeId(): string {
    const { checkpointId, step, node, trigger, caller } = this;
    const path = nodePath(this.graph, node.name);
    if (trigger !== undefined) return pullTaskId(checkpointId, path, step, node.name, trigger);
    return caller === undefined
      ? pushTaskId(checkpointId, path, step, node.name, this.index)
      : callTaskId(checkpointId, path, step, node.name, caller.path, this.index);
  }
  /** Namespace of graphs that the task calls. */
  get namespace(): string {
    return (this.#namespace ??= taskNamespace(this.graph, this.node.name, this.id));
  }
  get triggers(): string[] {
    return [this.trigger ?? PUSH];
  }
  get path(): TaskPath {
    if (this.trigger !== undefined) return [PULL, this.node.name];
    return this.caller === undefined ? [PUSH, this.index] : [PUSH, this.caller.path, this.index, true];
  }
}

/** The order in which updates apply (I2): triggered nodes by name, then Sends by index. */
export function inTaskOrder(a: Task, b: Task): number {
  if (a.index < 0 && b.index < 0) return a.node.name < b.node.name ? -1 : a.node.name > b.node.name ? 1 : 0;
  return a.index - b.index;
}
