import { BadInput, EXIT } from "../errors.ts";
import type { CommonOptions } from "../options.ts";
import { changeThread } from "../thread.ts";
import { bytes, label, plural } from "../ui/format.ts";
import { createOutput } from "../ui/output.ts";

export interface PruneCommandOptions extends CommonOptions {
  readonly keepLast?: number;
  readonly keepTurns: boolean;
  readonly maxAgeDays?: number;
}

const DAY = 86_400_000;

/** Removes checkpoints that no option keeps. */
export async function prune(thread: string, options: PruneCommandOptions): Promise<number> {
  const { keepLast, keepTurns, maxAgeDays } = options;
  if (keepLast === undefined && !keepTurns && maxAgeDays === undefined) {
    throw new BadInput(
      "Say what stays: --keep-last <n>, --keep-turns or --max-age-days <n>. Nothing was changed.",
    );
  }
  const { report, before, after } = await changeThread(thread, options, async (store) => {
    const stored = await store.bytesOf(thread);
    const pruned = await store.saver.prune(thread, {
      ...(keepLast === undefined ? {} : { keepLast }),
      keepTurnBoundaries: keepTurns,
      ...(maxAgeDays === undefined ? {} : { maxAge: maxAgeDays * DAY }),
    });
    return { report: pruned, before: stored, after: await store.bytesOf(thread) };
  });
  const output = createOutput(options.json);
  output.data({ thread, ...report, before, after });
  output.line(
    `Removed ${plural(report.checkpointsRemoved, "checkpoint")} and ${plural(report.itemsRemoved, "item")} of thread ${label(thread)}; ` +
      `${plural(report.checkpointsKept, "checkpoint")} ${report.checkpointsKept === 1 ? "stays" : "stay"}. It takes ${bytes(after)} instead of ${bytes(before)}.`,
  );
  return EXIT.ok;
}
