import type { Awaitable } from "@skein/checkpointer";
import { apply } from "../engine/apply.ts";
import { plan } from "../engine/plan.ts";
import type { Snapshot } from "../engine/snapshot.ts";
import { handlerOf, inTaskOrder, type Task } from "../engine/task.ts";
import { InvalidUpdateError } from "../errors/errors.ts";
import { CheckpointClock } from "../ids/checkpoint-id.ts";
import { ERROR_SOURCE } from "../ids/names.ts";
import type { Program, Write } from "../program/program.ts";
import { requireCheckpoint } from "./no-checkpoint.ts";
import { pendingOf, snapshotOf } from "./open.ts";
import { applyCommand } from "./commands.ts";
import { forAll } from "../channels/and-then.ts";
import { NO_END, NO_OUTPUT, writesByTask } from "./pending.ts";
import type { Run } from "./run.ts";
import type { Session } from "./storage.ts";

/** A stored state, opened for reading: its values and what it would do next. */
export interface StateView {
  readonly snapshot: Snapshot;
  readonly tasks: readonly Task[];
  readonly pending: Run["pending"];
}

/**
 * Opens a state for reading.
 *
 * @param withPending - show what finished tasks of the unfinished step wrote, as a resume would,
 *   unless it cannot be applied
 */
export function viewState(
  program: Program,
  session: Session,
  withPending: boolean,
  withCommands = true,
): StateView {
  requireCheckpoint(session);
  const snapshot = snapshotOf(program, session, new CheckpointClock());
  const pending = pendingOf(session, snapshot);
  try {
    if (withCommands) applyCommand(snapshot, pending);
  } catch (error) {
    // nor these, of a thread that another program wrote
    if (!(error instanceof InvalidUpdateError)) throw error;
    return viewState(program, session, withPending, false);
  }
  const tasks = plan(snapshot, session.address.namespace);
  if (withPending) {
    try {
      applyFinished(snapshot, tasks, writesByTask(pending, NO_OUTPUT));
    } catch {
      // they do not fit together: the state is what it was before the step, which is still to end
      return viewState(program, session, false, withCommands);
    }
  }
  return { snapshot, tasks, pending };
}

/** Tasks of a step, and the error handlers that took over from those of them that failed. */
export function withHandlers(
  program: Program,
  tasks: readonly Task[],
  pending: Run["pending"],
): readonly Task[] {
  const failed = new Set(pending.filter(([, channel]) => channel === ERROR_SOURCE).map(([id]) => id));
  if (failed.size === 0) return tasks;
  const handlers = tasks.map((task) =>
    failed.has(task.id) ? handlerOf({ task, error: undefined }, program.nodes) : undefined,
  );
  return [...tasks, ...handlers.filter((handler) => handler !== undefined)];
}

/**
 * Applies what finished tasks of a step wrote that an update ends. A task that failed and has an error
 * handler has run, whether or not that has finished.
 */
export function applyEnded(snapshot: Snapshot, tasks: readonly Task[], pending: Run["pending"]): void {
  const all = withHandlers(snapshot.program, tasks, pending);
  applyFinished(snapshot, all, writesByTask(pending, NO_END));
}

/** Applies what finished tasks of a step wrote that goes on; tasks that have not finished stay without writes. */
function applyFinished(
  snapshot: Snapshot,
  tasks: readonly Task[],
  byTask: ReadonlyMap<string, readonly Write[]>,
): void {
  const finished = tasks.filter(({ id }) => byTask.has(id)).toSorted(inTaskOrder);
  if (finished.length === 0) return;
  for (const task of finished) task.writes = byTask.get(task.id) ?? [];
  apply(
    snapshot,
    finished.map((task) => ({
      name: task.node.name,
      id: task.id,
      triggers: [...task.triggers],
      writes: task.writes,
      task,
    })),
    { goesOn: true },
  );
}

/** Loads hidden channels of the state, so that they can be read. */
export function materialise(snapshot: Snapshot, keys: readonly string[]): Awaitable<void> {
  return forAll(keys, (key) =>
    snapshot.program.channels.get(key)?.lazy ? snapshot.slot(key)?.channel.materialise() : undefined,
  );
}
