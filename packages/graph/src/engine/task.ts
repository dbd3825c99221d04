import { nodePath, taskNamespace } from "../ids/namespace.ts";
import { PULL, PUSH } from "../ids/names.ts";
import { pullTaskId, pushTaskId } from "../ids/task-id.ts";
import type { ProgramNode, Write } from "../program/program.ts";
import type { TimeoutPolicy } from "../program/send.ts";

export type TaskPath = readonly [typeof PULL, string] | readonly [typeof PUSH, number];

/**
 * A node to run in a step. Its id is a hash and costs more than a step may: it is made when a
 * saver, a stream, a namespace or the node itself asks for it.
 */
export class Task {
  readonly node: ProgramNode;
  input: unknown;
  /** The channel that woke it, or undefined for a Send. */
  readonly trigger: string | undefined;
  /** Index among the step's Sends; -1 for a triggered node. */
  readonly index: number;
  readonly step: number;
  readonly checkpointId: string;
  /** Namespace of the graph. */
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
    origin: { trigger?: string; index?: number; timeout?: TimeoutPolicy | undefined },
    place: { step: number; checkpointId: string; namespace: string },
  ) {
    this.node = node;
    this.input = input;
    this.trigger = origin.trigger;
    this.index = origin.index ?? -1;
    this.timeout = origin.timeout ?? node.timeout;
    this.step = place.step;
    this.checkpointId = place.checkpointId;
    this.graph = place.namespace;
  }
  get id(): string {
    if (this.#id !== undefined) return this.#id;
    const { checkpointId, step, node } = this;
    const path = nodePath(this.graph, node.name);
    this.#id =
      this.trigger === undefined
        ? pushTaskId(checkpointId, path, step, node.name, this.index)
        : pullTaskId(checkpointId, path, step, node.name, this.trigger);
    return this.#id;
  }
  /** Namespace of graphs that the task calls. */
  get namespace(): string {
    return (this.#namespace ??= taskNamespace(this.graph, this.node.name, this.id));
  }
  get triggers(): string[] {
    return [this.trigger ?? PUSH];
  }
  get path(): TaskPath {
    return this.trigger === undefined ? [PUSH, this.index] : [PULL, this.node.name];
  }
}

/** The order in which updates apply (I2): triggered nodes by name, then Sends by index. */
export function inTaskOrder(a: Task, b: Task): number {
  if (a.index < 0 && b.index < 0) return a.node.name < b.node.name ? -1 : a.node.name > b.node.name ? 1 : 0;
  return a.index - b.index;
}
