import { handlerOf, type Task } from "../engine/task.ts";
import { ERROR, ERROR_SOURCE } from "../ids/names.ts";
import type { Write } from "../program/program.ts";
import { NO_OUTPUT, writesByTask } from "./pending.ts";
import type { Run } from "./run.ts";
import { failureWrites } from "./step.ts";

/**
 * What tasks of an interrupted step wrote counts; they are not run again (I6). Nor is a task whose
 * failure was being handled: its handler is.
 */
export function takeOver(run: Run): void {
  const failures = new Map<string, { message: string; name: string }>();
  for (const [task, channel] of run.pending)
    if (channel === ERROR_SOURCE) failures.set(task, storedError(run, task));
  if (failures.size > 0) run.tasks = withHandlers(run, failures);
  const byTask = writesByTask(run.pending, NO_OUTPUT);
  if (byTask.size === 0) return;
  for (const task of run.tasks) {
    const writes = byTask.get(task.id);
    if (writes === undefined) continue;
    take(task, writes);
    run.observer?.on({ type: "task-end", task, writes, cached: true }, run);
  }
}

function withHandlers(
  run: Run,
  failures: ReadonlyMap<string, { readonly message: string; readonly name: string }>,
): readonly Task[] {
  const handlers: Task[] = [];
  for (const task of run.tasks) {
    const stored = failures.get(task.id);
    if (stored === undefined) continue;
    const error = new Error(stored.message);
    error.name = stored.name;
    const handler = handlerOf({ task, error }, run.options.program.nodes);
    // a newer version of the graph may handle it no more
    if (handler === undefined) continue;
    take(task, failureWrites(task, stored));
    handlers.push(handler);
  }
  return [...run.tasks, ...handlers];
}

function take(task: Task, writes: readonly Write[]): void {
  task.writes = writes;
  task.raw = writes;
  task.recorded = true;
}

function storedError(run: Run, taskId: string): { message: string; name: string } {
  const write = run.pending.find(([task, channel]) => task === taskId && channel === ERROR);
  const { message, name } = (write?.[2] ?? {}) as { message?: unknown; name?: unknown };
  return { message: String(message ?? "unknown"), name: String(name ?? "Error") };
}
