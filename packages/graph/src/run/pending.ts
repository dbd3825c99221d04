import { Overwrite } from "../channels/overwrite.ts";
import { pushTo } from "../channels/push-to.ts";
import { apply } from "../engine/apply.ts";
import type { Snapshot } from "../engine/snapshot.ts";
import { ERROR, ERROR_SOURCE, INPUT, INTERRUPT, NULL_TASK_ID, RESUME, SCHEDULED } from "../ids/names.ts";
import type { Write } from "../program/program.ts";
import type { Run } from "./run.ts";

type Pending = Run["pending"];

/** Pending writes of a task that say nothing of whether it finished. */
export const NO_OUTPUT: ReadonlySet<string> = new Set([ERROR, INTERRUPT, RESUME, SCHEDULED, ERROR_SOURCE]);

/** The same where a task counts as ended that failed and whose error handler took over. */
export const NO_END: ReadonlySet<string> = new Set(
  [...NO_OUTPUT].filter((channel) => channel !== ERROR_SOURCE),
);

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

/** What commands wrote, in their order; among it what a later one wrote anew. */
export function writtenByCommands(pending: Pending): Write[] {
  return pending.filter(([task]) => task === NULL_TASK_ID).map(([, c, v]): Write => [c, v]);
}

/** Applies what commands wrote: that changes what it names, and what was to run before is to run all the same. */
export function applyCommand(snapshot: Snapshot, pending: Pending): void {
  const writes = writtenByCommands(pending);
  if (writes.length === 0) return;
  for (const some of inTurn(snapshot, writes)) apply(snapshot, [{ name: INPUT, triggers: [], writes: some }]);
  snapshot.updated = undefined;
}

/**
 * What stands of it: of a key that holds one value the last, and nothing before an Overwrite. What came after one
 * is a step of its own: within one, an Overwrite wins over its siblings.
 */
function inTurn(snapshot: Snapshot, writes: readonly Write[]): Write[][] {
  const anew = new Map<string, number>();
  for (const [at, [channel, value]] of writes.entries()) {
    const takesOne = snapshot.slot(channel)?.channel.takesOneWrite === true;
    if (takesOne || Overwrite.isInstance(value)) anew.set(channel, at);
  }
  const first = writes.filter(([channel], at) => at === (anew.get(channel) ?? at));
  const then = writes.filter(([channel], at) => at > (anew.get(channel) ?? at));
  return then.length === 0 ? [first] : [first, then];
}
