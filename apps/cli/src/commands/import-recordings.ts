import type { SystemPolicy } from "@skein/context";
import { readingAgent } from "../agent.ts";
import { openStore, prepareStore } from "../database.ts";
import { BadInput, EXIT } from "../errors.ts";
import { requireNewId } from "../input.ts";
import type { CommonOptions } from "../options.ts";
import type { ConversationFormat } from "../replay/formats.ts";
import { freeId, readRecordings } from "../replay/read-recordings.ts";
import { label, plural } from "../ui/format.ts";
import { chatCommand } from "../ui/invocation.ts";
import { createOutput } from "../ui/output.ts";

/** Stores every conversation of a file as a thread of its own. Its system messages are handled as a policy says. */
export async function importRecordings(
  file: string,
  options: CommonOptions & {
    readonly as?: string;
    readonly system?: SystemPolicy;
    readonly format?: ConversationFormat;
  },
): Promise<number> {
  const recorded = await readRecordings(file, options.format);
  const { as, system: systemMessages = "external" } = options;
  if (as !== undefined && recorded.length > 1)
    throw new BadInput(`--as names one thread, and ${file} holds ${recorded.length} conversations.`);
  if (as !== undefined) requireNewId(as, "--as");
  await prepareStore(options.db);
  const store = await openStore(options.db, "write");
  const output = createOutput(options.json);
  try {
    const agent = await readingAgent(store);
    const taken = new Set((await store.threads()).map(({ id }) => id));
    for (const { id, messages } of recorded) {
      const thread = freeId(as ?? id, taken);
      const config = { configurable: { thread_id: thread } };
      const { added, prompts, systemPrompt } = await agent.importMessages(config, messages, {
        systemMessages,
      });
      output.data({ thread, messages: added, prompts: prompts.length, systemPrompt: systemPrompt ?? null });
      const left = prompts.length === 0 ? "" : `, ${plural(prompts.length, "system prompt")} left out of it`;
      output.line(`Stored thread ${label(thread)}: ${plural(added, "message")}${left}. Go on with:`);
      output.line(`  ${chatCommand(thread, options)}`);
    }
    return EXIT.ok;
  } finally {
    await store.close();
  }
}
