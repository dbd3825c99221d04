import { EXIT } from "../errors.ts";
import type { CommonOptions } from "../options.ts";
import { openStore } from "../database.ts";
import { bytes, count, label, when } from "../ui/format.ts";
import { createOutput } from "../ui/output.ts";
import { table } from "../ui/table.ts";

/** All threads of the database, the latest first. */
export async function threads(options: CommonOptions): Promise<number> {
  const store = await openStore(options.db, "read");
  const output = createOutput(options.json);
  try {
    const found = await store.threads();
    output.data(found);
    const rows = found.map((thread) => [
      label(thread.id),
      when(thread.updatedAt),
      count(thread.checkpoints),
      count(thread.messages),
      bytes(thread.bytes),
    ]);
    output.line(
      rows.length === 0
        ? "There are no threads yet."
        : table(["thread", "last change (UTC)", "checkpoints", "messages", "stored"], rows),
    );
    return EXIT.ok;
  } finally {
    await store.close();
  }
}
