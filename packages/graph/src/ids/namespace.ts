/**
 * Checkpoint namespaces: `""` is the root graph; a subgraph called by a task has
 * `node:taskId`, nested ones are joined with `|`; a second call within one task adds `|1`, and so
 * on. The only parser and printer of these paths.
 */

const SEPARATOR = "|";
const COUNTER = /^\d+$/;

/** Namespace of a task of `node` under a graph in `parent`. */
export function taskNamespace(parent: string, node: string, taskId: string): string {
  return parent === "" ? `${node}:${taskId}` : `${parent}${SEPARATOR}${node}:${taskId}`;
}

/** The name under which a task's id is hashed. */
export function nodePath(parent: string, node: string): string {
  return parent === "" ? node : `${parent}${SEPARATOR}${node}`;
}

/** Namespace of the n-th further graph that one task calls. */
export function callNamespace(task: string, nth: number): string {
  return nth === 0 ? task : `${task}${SEPARATOR}${nth}`;
}

/** Segments of a namespace; none for the root. */
export function segments(namespace: string): string[] {
  return namespace === "" ? [] : namespace.split(SEPARATOR);
}

/** Node names on the way to a namespace, without task ids and call counters. */
export function nodeNames(namespace: string): string[] {
  return segments(namespace)
    .filter((part) => !COUNTER.test(part))
    .map((part) => part.split(":", 1)[0] ?? part);
}

/** The namespace that keeps its state from call to call: task ids are left out. */
export function statefulNamespace(namespace: string): string {
  return segments(namespace)
    .map((part) => part.split(":", 1)[0] ?? part)
    .join(SEPARATOR);
}

/** Whether a graph keeps its state from call to call there: no task is named. */
export function isStateful(namespace: string): boolean {
  return !namespace.includes(":");
}

/** Namespace of the graph that called the graph to which `namespace` belongs. */
export function parentNamespace(namespace: string): string {
  const parts = segments(namespace);
  while (parts.length > 1 && COUNTER.test(parts.at(-1) ?? "")) parts.pop();
  return parts.slice(0, -1).join(SEPARATOR);
}
