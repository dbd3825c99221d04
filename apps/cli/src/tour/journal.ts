import { closeSync, existsSync, openSync, readFileSync, writeSync } from "node:fs";
import { createHash } from "node:crypto";
import { toRecorded } from "@skein/context";
import type { BaseMessage } from "@langchain/core/messages";

/**
 * What a worker was told is done, kept apart from the database that it checks. One JSON object a
 * line, appended with a single write each: a line that a SIGKILL finds half-written is the last one,
 * and was not yet acknowledged to anybody.
 */
export type JournalEntry =
  /** A message that the stream reported; its checkpoint or its task's writes are on disk. */
  | { readonly type: "message"; readonly id: string; readonly hash: string; readonly callId?: string }
  | { readonly type: "tool-start"; readonly callId: string; readonly pid: number }
  | { readonly type: "tool-end"; readonly callId: string; readonly pid: number }
  /** Tokens of one request, and what the same request would have had with the whole history. */
  | { readonly type: "request"; readonly sent: number; readonly whole: number }
  | { readonly type: "compaction"; readonly messages: number };

export interface Journal {
  append(entry: JournalEntry): void;
  close(): void;
}

export function openJournal(path: string): Journal {
  const file = openSync(path, "a");
  return {
    append: (entry) => {
      writeSync(file, `${JSON.stringify(entry)}\n`);
    },
    close: () => closeSync(file),
  };
}

export function readJournal(path: string): JournalEntry[] {
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, "utf8").split("\n");
  lines.pop(); // empty, or the line that the kill cut off
  return lines.map((line) => JSON.parse(line) as JournalEntry);
}

/** Of everything that a reader of the history sees of a message. */
export function contentHash(message: BaseMessage): string {
  return createHash("sha256")
    .update(JSON.stringify(toRecorded(message)))
    .digest("hex")
    .slice(0, 16);
}
