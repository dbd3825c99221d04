import type { Task } from "../engine/task.ts";
import { unlessAborted } from "./abort.ts";
import { openAt } from "./open.ts";
import { viewState } from "./read.ts";
import type { Run } from "./run.ts";

/**
 * Reads what earlier calls of an interrupted graph wrote for its caller: checkpoint by checkpoint, back
 * to the one that took its input.
 */
export async function recallWrites(run: Run): Promise<void> {
  const { handback, session, options } = run;
  if (handback === undefined || session?.stored === undefined || options.saver === undefined) return;
  const steps: { tasks: readonly Task[]; pending: Run["pending"] }[] = [];
  let newer = session.stored;
  // LangGraph stores some as their own parents: docs/decisions/2026-11-23-durability-exit.md
  const passed = new Set<string | undefined>();
  while (newer.metadata.source !== "input") {
    const { parentId: checkpointId } = newer;
    passed.add(newer.id);
    const opened =
      checkpointId && !passed.has(checkpointId)
        ? await unlessAborted(
            openAt(options.saver, options.program, { ...session.address, checkpointId }, {}),
            options.signal,
          )
        : undefined;
    if (opened?.stored === undefined) return handback.lost();
    const { tasks, pending } = viewState(options.program, opened, false);
    steps.push({ tasks, pending });
    newer = opened.stored;
  }
  for (const { tasks, pending } of steps.toReversed()) handback.addStored(tasks, pending);
}
