import type { SqliteSaver } from "@skein/checkpointer/sqlite";
import { summaryDerivations } from "@skein/middleware/summarization";
import { BadInput, EndedHalfway, EXIT } from "../errors.ts";
import type { CommonOptions } from "../options.ts";
import { changeDatabase, changeThread } from "../thread.ts";
import { label } from "../ui/format.ts";
import { commandLine } from "../ui/invocation.ts";
import { createOutput } from "../ui/output.ts";

export interface EraseOptions extends CommonOptions {
  readonly thread: boolean;
  /** Only of what was erased before, when the files could not be cleaned. */
  readonly cleanUp: boolean;
  readonly text: readonly string[];
}

/** Erases a message with the summaries made of it, or the whole thread, and cleans the files of the database. */
export async function erase(
  thread: string | undefined,
  message: string | undefined,
  options: EraseOptions,
): Promise<number> {
  if (options.cleanUp) return cleanFiles(thread, options);
  if (thread === undefined || (message === undefined) !== options.thread) {
    throw new BadInput(
      "Give the id of a thread and the id of a message, or --thread to delete the whole thread. Nothing was changed.",
    );
  }
  const output = createOutput(options.json);
  await changeThread(thread, options, async ({ saver }) => {
    if (message === undefined) {
      await saver.deleteThread(thread);
      output.data({ thread, deleted: true });
      output.line(`Deleted thread ${label(thread)}. Copies of it stay.`);
    } else {
      const report = await saver.eraseMessage({ configurable: { thread_id: thread } }, message, {
        derived: summaryDerivations(),
        texts: options.text,
      });
      if (report.threads.length === 0) {
        throw new BadInput(
          `Thread "${thread}" has no message "${message}". Its messages: ${commandLine(["show", thread, "--json"], options.db)}`,
        );
      }
      output.data({ thread, message, ...report });
      output.line(
        `Erased message ${label(message)} in ${report.threads.map(label).join(", ")}; a tombstone keeps its place.`,
      );
    }
    await cleanUp(saver, options);
  });
  return EXIT.ok;
}

async function cleanFiles(thread: string | undefined, options: EraseOptions): Promise<number> {
  if (thread !== undefined)
    throw new BadInput("--clean-up is for the whole database, and takes no thread. Nothing was changed.");
  await changeDatabase(options, ({ saver }) => saver.cleanUp());
  const output = createOutput(options.json);
  output.data({ cleaned: true });
  output.line("Cleaned the files: nothing of what was erased is left in them.");
  return EXIT.ok;
}

/** @throws EndedHalfway, because something was erased by then */
async function cleanUp(saver: SqliteSaver, { db }: EraseOptions): Promise<void> {
  try {
    await saver.cleanUp();
  } catch (error) {
    const again = commandLine(["erase", "--clean-up"], db);
    throw new EndedHalfway(
      error,
      `It is erased, but the files may still hold it. Clean them with: ${again}.`,
    );
  }
}
