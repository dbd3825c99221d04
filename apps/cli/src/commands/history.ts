import { readingAgent } from "../agent.ts";
import { EXIT } from "../errors.ts";
import type { CommonOptions } from "../program.ts";
import { openStore, requireThread } from "../store.ts";
import { when } from "../ui/format.ts";
import { createOutput } from "../ui/output.ts";
import { table } from "../ui/table.ts";

export interface HistoryOptions extends CommonOptions {
  readonly limit?: number;
}

/** The checkpoints of a thread, newest first. */
export async function history(thread: string, options: HistoryOptions): Promise<number> {
  const store = await openStore(options.db, "read");
  try {
    await requireThread(store, thread);
    const agent = await readingAgent(store);
    const limit = options.limit === undefined ? {} : { limit: options.limit };
    const checkpoints = [];
    for await (const state of agent.getStateHistory({ configurable: { thread_id: thread } }, limit)) {
      checkpoints.push({
        id: String(state.config.configurable?.["checkpoint_id"]),
        parent: (state.parentConfig?.configurable?.["checkpoint_id"] as string | undefined) ?? null,
        step: state.metadata?.step ?? null,
        source: state.metadata?.source ?? null,
        time: state.createdAt ?? null,
        messages: ((state.values as { messages?: unknown[] }).messages ?? []).length,
        next: state.next,
      });
    }
    const output = createOutput(options.json);
    output.data(checkpoints);
    const rows = checkpoints.map((checkpoint, index) => [
      checkpoint.id + (index === 0 ? " (head)" : ""),
      String(checkpoint.step ?? ""),
      String(checkpoint.source ?? ""),
      when(checkpoint.time ?? undefined),
      String(checkpoint.messages),
      checkpoint.next.join(", ") || "-",
    ]);
    output.line(table(["checkpoint", "step", "source", "time (UTC)", "context", "next"], rows));
    return EXIT.ok;
  } finally {
    await store.close();
  }
}
