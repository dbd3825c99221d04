import { pushTo } from "../channels/push-to.ts";
import { ERROR, ERROR_SOURCE, INTERRUPT, RESUME, SCHEDULED } from "../ids/names.ts";
import type { Write } from "../program/program.ts";
import type { Run } from "./run.ts";

type Pending = Run["pending"];

/** Pending writes of a task that say nothing of whether it finished. */
export const NO_OUTPUT: ReadonlySet<string> = new Set([ERROR, INTERRUPT, RESUME, SCHEDULED, ERROR_SOURCE]);

/** The same where a task counts as ended that failed and whose error handler took over. */
export const NO_END: ReadonlySet<string> = new Set(
  [...NO_OUTPUT].filter((channel) => channel !== ERROR_SOURCE),
);

/** Those of tasks that have not finished. */
export function unfinished(pending: Pending): Pending {
  const finished = new Set(pending.filter(([, channel]) => !NO_OUTPUT.has(channel)).map(([task]) => task));
  return pending.filter(([task]) => !finished.has(task));
}

/**
 * Pending writes by the id of their task.
 *
 * @param passedOver - channels that are left out. Default: none
 */
export function writesByTask(
  pending: Pending,
  passedOver: ReadonlySet<string> = new Set(),
): Map<string, Write[]> {
  const byTask = new Map<string, Write[]>();
  for (const [task, channel, value] of pending) {
    if (!passedOver.has(channel)) pushTo(byTask, task, [channel, value]);
  }
  return byTask;
}
