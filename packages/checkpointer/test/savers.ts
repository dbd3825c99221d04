import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MemorySaver } from "../src/memory/index.ts";
import type { PostgresSaver } from "../src/postgres/index.ts";
import { SqliteSaver } from "../src/sqlite/index.ts";
import { openPostgres } from "./support/postgres.ts";

export type Saver = MemorySaver | SqliteSaver | PostgresSaver;

export interface SaverKind {
  readonly name: string;
  /** A saver of its own, and the same storage opened once more. */
  open(): { saver: Saver; reopen(): Saver; close(): Promise<void> };
}

/** The savers that answer with values. */
export const SAVERS: readonly SaverKind[] = [
  {
    name: "MemorySaver",
    open() {
      const saver = new MemorySaver();
      return { saver, reopen: () => saver, close: async () => {} };
    },
  },
  {
    name: "SqliteSaver",
    open() {
      const folder = mkdtempSync(join(tmpdir(), "skein-checkpointer-"));
      const opened: SqliteSaver[] = [];
      const reopen = () => {
        const saver = SqliteSaver.fromConnString(join(folder, "threads.db"));
        opened.push(saver);
        return saver;
      };
      return {
        saver: reopen(),
        reopen,
        async close() {
          for (const saver of opened) await saver.close();
          rmSync(folder, { recursive: true });
        },
      };
    },
  },
];

/** All savers, for tests of what they share: answers have to be awaited. */
export const ALL_SAVERS: readonly SaverKind[] = [...SAVERS, { name: "PostgresSaver", open: openPostgres }];
