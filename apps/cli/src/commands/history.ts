import { EXIT } from "../errors.ts";
import type { CommonOptions } from "../options.ts";
import { openStore, requireThread } from "../database.ts";
import { label, when } from "../ui/format.ts";
import { createOutput } from "../ui/output.ts";
import { table } from "../ui/table.ts";

export interface HistoryOptions extends CommonOptions {
  readonly limit: number;
}

interface CheckpointRow {
  readonly id: string;
  readonly parent: string | null;
  readonly step: number | null;
  readonly source: string | null;
  /** ISO 8601. */
  readonly time: string | null;
  /** Of the context. */
  readonly messages: number;
  readonly next: readonly string[];
}

/** What a reader of the list could not guess: where the head is, and where a branch begins. */
function remark(
  { id, parent }: CheckpointRow,
  headId: string | undefined,
  below: string | undefined,
): string {
  const head = id === headId ? "head" : "";
  const branch = parent !== null && below !== undefined && parent !== below ? `from ${parent}` : "";
  return [head, branch].filter(Boolean).join(", ");
}

/** The checkpoints of a thread, newest first. */
export async function history(thread: string, options: HistoryOptions): Promise<number> {
  const store = await openStore(options.db, "read");
  try {
    await requireThread(store, thread, options.db);
    const { readingAgent } = await import("../agent.ts");
    const agent = await readingAgent(store);
    const { limit } = options;
    const checkpoints: CheckpointRow[] = [];
    for await (const state of agent.getStateHistory({ configurable: { thread_id: thread } }, { limit })) {
      const id = String(state.config.configurable?.["checkpoint_id"]);
      checkpoints.push({
        id,
        parent: (state.parentConfig?.configurable?.["checkpoint_id"] as string | undefined) ?? null,
        step: state.metadata?.step ?? null,
        source: state.metadata?.source ?? null,
        time: state.createdAt ?? null,
        messages: ((state.values as { messages?: unknown[] }).messages ?? []).length,
        next: [...new Set([...state.next, ...(await store.awaited(thread, id))])],
      });
    }
    // undo and a switch of branches make an older one the head
    const headId = (await store.saver.checkpoints(thread)).find(({ isHead }) => isHead)?.id;
    const output = createOutput(options.json);
    output.data(checkpoints);
    const rows = checkpoints.map((checkpoint, index) => [
      label(checkpoint.id),
      String(checkpoint.step ?? ""),
      String(checkpoint.source ?? ""),
      when(checkpoint.time ?? undefined),
      String(checkpoint.messages),
      label(checkpoint.next.join(", ")) || "-",
      label(remark(checkpoint, headId, checkpoints[index + 1]?.id)),
    ]);
    output.line(table(["checkpoint", "step", "source", "time (UTC)", "context", "next", ""], rows));
    if (rows.length === limit) output.line(`These are the latest ${limit}; --limit shows more.`);
    return EXIT.ok;
  } finally {
    await store.close();
  }
}
