import { type BaseChannel, valueOf } from "../channels/base.ts";
import { unlessAborted } from "./abort.ts";
import { START } from "../ids/names.ts";
import { CheckpointClock } from "../ids/checkpoint-id.ts";
import type { Program } from "../program/program.ts";
import type { StepWrites } from "./handback.ts";
import { writesBetween } from "./writes-between.ts";
import { openAt, snapshotOf } from "./open.ts";
import { inheritedBy, type Run } from "./run.ts";
import type { Session, Stored } from "./storage.ts";

type Values = Readonly<Record<string, unknown>>;

/**
 * Reads what earlier calls of an interrupted graph wrote for its caller: checkpoint by checkpoint, back
 * to the one that took its input.
 */
export async function recallWrites(run: Run): Promise<void> {
  const { handback, session, options } = run;
  if (!handback || !session?.stored || !options.saver) return;
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
    if (!opened?.stored) {
      handback.began(heldByCaller(run, handback.keys));
      return handback.lost();
    }
    steps.push(writesBetween(opened, newer, program, handback.keys));
    [newer, stored] = [opened, opened.stored];
  }
  handback.began(valueOf(inputOf(program, newer)) as Values | undefined);
  for (const step of steps.toReversed()) handback.addStored(step);
}

/**
 * What the caller's checkpoint has, and so gave when its node was first called; answers since then are no part
 * of it. Undefined for what a Send carries, which no answer changes.
 */
function heldByCaller({ options: { parent } }: Run, keys: ReadonlySet<string>): Values | undefined {
  const caller = inheritedBy(parent);
  const trigger = parent?.task.trigger;
  if (caller === undefined || trigger === undefined) return undefined;
  // begun by a command, which may have brought some of what it gave
  if (caller.session?.stored?.pendingWrites.some(([, channel]) => channel === trigger)) return undefined;
  const values: Record<string, unknown> = {};
  for (const key of keys) {
    const definition = caller.options.program.channels.get(key);
    values[key] = valueOf(definition && caller.session?.restore(key, definition));
  }
  return values;
}

/** Whether the graph began with the checkpoint, or with one of which it is a copy. */
function tookInput(program: Program, session: Session, { metadata }: Stored): boolean {
  if (metadata.source !== "fork") return metadata.source === "input";
  return valueOf(inputOf(program, session)) !== undefined;
}

function inputOf(program: Program, session: Session): BaseChannel | undefined {
  return snapshotOf(program, session, new CheckpointClock()).slot(START)?.channel;
}
