import { summaryDerivations } from "@skein/middleware/summarization";
import { BadInput, EXIT } from "../errors.ts";
import type { CommonOptions } from "../options.ts";
import { changeThread } from "../thread.ts";
import { label } from "../ui/format.ts";
import { commandLine } from "../ui/invocation.ts";
import { createOutput } from "../ui/output.ts";

export interface EraseOptions extends CommonOptions {
  readonly thread: boolean;
  readonly text: readonly string[];
}

/** Erases a message with the summaries made of it, or the whole thread, and cleans the files of the database. */
export async function erase(
  thread: string,
  message: string | undefined,
  options: EraseOptions,
): Promise<number> {
  if ((message === undefined) !== options.thread) {
    throw new BadInput(
      "Give the id of a message, or --thread to delete the whole thread. Nothing was changed.",
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
    await saver.cleanUp();
  });
  return EXIT.ok;
}
