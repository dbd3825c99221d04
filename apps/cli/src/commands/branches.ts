import { branches as branchesOf, deleteBranch, switchBranch } from "@skein/checkpointer";
import type { SqliteSaver } from "@skein/checkpointer/sqlite";
import { BadInput, EXIT } from "../errors.ts";
import { checkpointOf, namedCheckpoint } from "../fork.ts";
import type { CommonOptions } from "../options.ts";
import { changeThread, readThread } from "../thread.ts";
import { label, plural, when } from "../ui/format.ts";
import { chatCommand, commandLine } from "../ui/invocation.ts";
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
    label(tip),
    label(from ?? "-"),
    String(length),
    when(ts),
    isCurrent ? "current" : "",
  ]);
  output.line(table(["tip", "from", "own checkpoints", "time (UTC)", ""], rows));
  return EXIT.ok;
}

async function switchTo(thread: string, named: string, options: CommonOptions): Promise<number> {
  const head = await changeThread(thread, options, async ({ saver }) => {
    return switchBranch(saver, thread, await tipOf(saver, thread, named, options.db));
  });
  const output = createOutput(options.json);
  output.data({ thread, head: head.id });
  output.line(`The head of thread ${label(thread)} is now ${label(head.id)}. Go on with:`);
  output.line(`  ${chatCommand(thread, options)}`);
  return EXIT.ok;
}

async function remove(thread: string, named: string, options: CommonOptions): Promise<number> {
  const report = await changeThread(thread, options, async ({ saver }) => {
    return deleteBranch(saver, thread, await tipOf(saver, thread, named, options.db));
  });
  const output = createOutput(options.json);
  output.data({ thread, ...report });
  output.line(
    `Removed ${plural(report.checkpointsRemoved, "checkpoint")} and ${plural(report.itemsRemoved, "item")} of thread ${label(thread)}.`,
  );
  return EXIT.ok;
}

/** The tip with an id or a part of one. @throws BadInput if there is none, or several */
async function tipOf(saver: SqliteSaver, thread: string, named: string, db: string): Promise<string> {
  const tips = (await branchesOf(saver, thread)).map(({ tip }) => tip);
  if (named !== "" && tips.some((tip) => tip.includes(named)))
    return namedCheckpoint(tips, thread, named, db);
  const other = await checkpointOf(saver, thread, named, db);
  throw new BadInput(
    `Checkpoint "${other}" of thread "${thread}" is not the tip of a branch. The tips: ${commandLine(["branches", thread], db)}`,
  );
}
