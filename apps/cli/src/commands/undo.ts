import { redo as redoTurns, undo as undoTurns } from "@skein/checkpointer";
import { EXIT } from "../errors.ts";
import type { CommonOptions } from "../options.ts";
import { changeThread } from "../thread.ts";
import { label, plural } from "../ui/format.ts";
import { chatCommand } from "../ui/invocation.ts";
import { createOutput } from "../ui/output.ts";

/** Takes turns of a thread back; they stay, and `redo` brings them again. */
export function undo(thread: string, turns: number, options: CommonOptions): Promise<number> {
  return travel(thread, turns, options, undoTurns);
}

/** Brings turns again that were taken back. */
export function redo(thread: string, turns: number, options: CommonOptions): Promise<number> {
  return travel(thread, turns, options, redoTurns);
}

async function travel(
  thread: string,
  turns: number,
  options: CommonOptions,
  go: typeof undoTurns,
): Promise<number> {
  const { head, messages } = await changeThread(thread, options, async (store) => {
    const { id } = await go(store.saver, thread, turns);
    return { head: id, messages: await store.historyLength(thread) };
  });
  const output = createOutput(options.json);
  output.data({ thread, head, messages });
  output.line(
    `The head of thread ${label(thread)} is now ${label(head)}, with ${plural(messages, "message")}. Go on with:`,
  );
  output.line(`  ${chatCommand(thread, options)}`);
  return EXIT.ok;
}
