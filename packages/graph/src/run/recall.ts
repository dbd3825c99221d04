import { unlessAborted } from "./abort.ts";
import { START } from "../ids/names.ts";
import { CheckpointClock } from "../ids/checkpoint-id.ts";
import type { Program } from "../program/program.ts";
import type { StepWrites } from "./handback.ts";
import { writesBetween } from "./writes-between.ts";
import { openAt, snapshotOf } from "./open.ts";
import type { Run } from "./run.ts";
import type { Session, Stored } from "./storage.ts";

/**
 * Reads what earlier calls of an interrupted graph wrote for its caller: checkpoint by checkpoint, back
 * to the one that took its input.
 */
export async function recallWrites(run: Run): Promise<void> {
  const { handback, session, options } = run;
  if (handback === undefined || session?.stored === undefined || options.saver === undefined) return;
  const { program, saver, signal } = options;
  const steps: StepWrites[] = [];
  let [newer, stored] = [session, session.stored];
  // LangGraph stores some as their own parents: docs/decisions/2026-11-23-durability-exit.md
  const passed = new Set<string | undefined>();
  while (!tookInput(program, newer, stored)) {
    const { parentId: checkpointId } = stored;
    passed.add(stored.id);
    const opened =
      checkpointId && !passed.has(checkpointId)
        ? await unlessAborted(openAt(saver, program, { ...session.address, checkpointId }, {}), signal)
        : undefined;
    if (opened?.stored === undefined) return handback.lost();
    steps.push(writesBetween(opened, newer, program, handback.keys));
    [newer, stored] = [opened, opened.stored];
  }
  for (const step of steps.toReversed()) handback.addStored(step);
}

/** Whether the graph began with the checkpoint, or with one of which it is a copy. */
function tookInput(program: Program, session: Session, { metadata }: Stored): boolean {
  if (metadata.source !== "fork") return metadata.source === "input";
  return snapshotOf(program, session, new CheckpointClock()).slot(START)?.channel.isAvailable() === true;
}
