import { EXIT } from "../errors.ts";
import type { CommonOptions } from "../options.ts";
import { openStore, requireThread, requireWritable } from "../database.ts";
import { chatCommand } from "../ui/invocation.ts";
import { createOutput } from "../ui/output.ts";

/** Makes an earlier checkpoint the head of its thread; what came after it stays as a branch. */
export async function fork(thread: string, checkpoint: string, options: CommonOptions): Promise<number> {
  await requireWritable(options.db);
  const reading = await openStore(options.db, "read");
  try {
    await requireThread(reading, thread, options.db);
  } finally {
    await reading.close();
  }
  const { readingAgent } = await import("../agent.ts");
  const { forkThread } = await import("../fork.ts");
  const store = await openStore(options.db, "write");
  try {
    const result = await forkThread(await readingAgent(store), thread, checkpoint, options.db);
    const output = createOutput(options.json);
    output.data({ thread, ...result });
    output.line(`The head of thread ${thread} is now ${result.head}, a branch from ${result.forkedFrom}.`);
    output.line(`What came after it stays, up to ${result.before}. Go on with:`);
    output.line(`  ${chatCommand(thread, options)}`);
    return EXIT.ok;
  } finally {
    await store.close();
  }
}
