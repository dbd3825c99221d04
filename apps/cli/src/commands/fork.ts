import { EXIT } from "../errors.ts";
import { checkpointOf, forkThread } from "../fork.ts";
import { requireNewId } from "../input.ts";
import type { CommonOptions } from "../options.ts";
import { changeThread } from "../thread.ts";
import { label } from "../ui/format.ts";
import { chatCommand } from "../ui/invocation.ts";
import { createOutput } from "../ui/output.ts";

export interface ForkOptions extends CommonOptions {
  readonly to?: string;
}

/** Makes an earlier checkpoint the head of its thread, or of a copy; what came after it stays as a branch. */
export async function fork(thread: string, checkpoint: string, options: ForkOptions): Promise<number> {
  const { to } = options;
  if (to !== undefined) requireNewId(to, "--to");
  const output = createOutput(options.json);
  await changeThread(thread, options, async (store) => {
    if (to !== undefined) {
      const head = await checkpointOf(store.saver, thread, checkpoint, options.db);
      await store.saver.copyThread(thread, to);
      await store.saver.moveHead(to, head);
      output.data({ thread: to, head, forkedFrom: head, copyOf: thread });
      output.line(
        `Thread ${label(to)} is a copy of ${label(thread)} that stands at ${label(head)}. Go on with:`,
      );
      output.line(`  ${chatCommand(to, options)}`);
      return;
    }
    const { readingAgent } = await import("../agent.ts");
    const agent = await readingAgent(store);
    const result = await forkThread(agent, store.saver, thread, checkpoint, options.db);
    output.data({ thread, ...result });
    output.line(
      `The head of thread ${label(thread)} is now ${label(result.head)}, a branch from ${label(result.forkedFrom)}.`,
    );
    output.line(`What came after it stays, up to ${label(result.before)}. Go on with:`);
    output.line(`  ${chatCommand(thread, options)}`);
  });
  return EXIT.ok;
}
