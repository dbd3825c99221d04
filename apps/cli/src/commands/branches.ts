import { branches as branchesOf, deleteBranch, switchBranch } from "@skein/checkpointer";
import { EXIT } from "../errors.ts";
import { namedCheckpoint } from "../fork.ts";
import type { CommonOptions } from "../options.ts";
import { changeThread, readThread } from "../thread.ts";
import { plural, when } from "../ui/format.ts";
import { chatCommand } from "../ui/invocation.ts";
import { createOutput } from "../ui/output.ts";
import { table } from "../ui/table.ts";

export interface BranchesOptions extends CommonOptions {
  readonly switch?: string;
  readonly delete?: string;
}

/** Lists the branches of a thread; switches to one, or deletes one. */
export async function branches(thread: string, options: BranchesOptions): Promise<number> {
  if (options.switch !== undefined) return switchTo(thread, options.switch, options);
  if (options.delete !== undefined) return remove(thread, options.delete, options);
  const found = await readThread(thread, options, ({ saver }) => branchesOf(saver, thread));
  const output = createOutput(options.json);
  output.data(found);
  const rows = found.map(({ tip, from, length, ts, isCurrent }) => [
    tip,
    from ?? "-",
    String(length),
    when(ts),
    isCurrent ? "current" : "",
  ]);
  output.line(table(["tip", "from", "own checkpoints", "time (UTC)", ""], rows));
  return EXIT.ok;
}

async function switchTo(thread: string, named: string, options: CommonOptions): Promise<number> {
  const head = await changeThread(thread, options, async ({ saver }) => {
    const tips = (await branchesOf(saver, thread)).map(({ tip }) => tip);
    return switchBranch(saver, thread, namedCheckpoint(tips, thread, named, options.db));
  });
  const output = createOutput(options.json);
  output.data({ thread, head: head.id });
  output.line(`The head of thread ${thread} is now ${head.id}. Go on with:`);
  output.line(`  ${chatCommand(thread, options)}`);
  return EXIT.ok;
}

async function remove(thread: string, named: string, options: CommonOptions): Promise<number> {
  const report = await changeThread(thread, options, async ({ saver }) => {
    const tips = (await branchesOf(saver, thread)).map(({ tip }) => tip);
    return deleteBranch(saver, thread, namedCheckpoint(tips, thread, named, options.db));
  });
  const output = createOutput(options.json);
  output.data({ thread, ...report });
  output.line(
    `Removed ${plural(report.checkpointsRemoved, "checkpoint")} and ${plural(report.itemsRemoved, "item")} of thread ${thread}.`,
  );
  return EXIT.ok;
}
