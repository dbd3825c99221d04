import { accessSync, constants, statSync } from "node:fs";
import { stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { BadInput } from "./errors.ts";

export interface LangGraphDatabase {
  readonly saver: BaseCheckpointSaver;
  threads(): string[];
  /** The newest checkpoint of each namespace of a thread. */
  newest(threadId: string): { readonly namespace: string; readonly id: string }[];
  /** Does something that reads a thread. @throws BadInput when it is damaged */
  read<Result>(threadId: string, body: () => Promise<Result>): Promise<Result>;
  close(): void;
}

/** Opens a database of LangGraph's SqliteSaver with the driver that this program has. */
export async function openLangGraph(path: string): Promise<LangGraphDatabase> {
  const info = await stat(path).catch(() => undefined);
  if (!info?.isFile()) throw new BadInput(`There is no database ${path} to migrate from.`);
  let SqliteSaver: typeof import("@langchain/langgraph-checkpoint-sqlite").SqliteSaver;
  try {
    ({ SqliteSaver } = await import("@langchain/langgraph-checkpoint-sqlite"));
  } catch (error) {
    throw new BadInput(
      "Migrating needs the package @langchain/langgraph-checkpoint-sqlite, which wrote that database. Install it: npm install @langchain/langgraph-checkpoint-sqlite",
      { cause: error },
    );
  }
  const { default: Database } = await import("libsql");
  const db = new Database(readable(path));
  try {
    const columns = db.prepare("PRAGMA table_info(checkpoints)").all() as { name: string }[];
    if (!columns.some(({ name }) => name === "parent_checkpoint_id")) {
      throw new BadInput(`${path} is no database of LangGraph's SqliteSaver. Nothing was changed.`);
    }
  } catch (error) {
    db.close();
    throw explained(path, error, "Nothing was changed.");
  }
  return {
    // libsql has better-sqlite3's interface; what makes tables, and the log, is left out: nothing is written
    saver: new SqliteSaver({ prepare: (sql: string) => db.prepare(sql), pragma() {}, exec() {} } as never),
    threads() {
      try {
        const sql = "SELECT DISTINCT thread_id FROM checkpoints ORDER BY thread_id";
        return (db.prepare(sql).all() as { thread_id: string }[]).map(({ thread_id }) => thread_id);
      } catch (error) {
        throw explained(path, error, "Nothing was changed.");
      }
    },
    newest(threadId) {
      const sql =
        "SELECT checkpoint_ns AS namespace, max(checkpoint_id) AS id FROM checkpoints WHERE thread_id = ? GROUP BY checkpoint_ns";
      return db.prepare(sql).all(threadId) as { namespace: string; id: string }[];
    },
    async read(threadId, body) {
      try {
        return await body();
      } catch (error) {
        const left = "Threads that were copied before stay; of the others nothing was stored.";
        throw explained(path, error, left, threadId);
      }
    },
    close: () => void db.close(),
  };
}

/** SQLite puts files beside a database that has a log, unless it is told that nobody writes to it. */
function readable(path: string): string {
  try {
    accessSync(dirname(resolve(path)), constants.W_OK);
    return path;
  } catch {
    if ((statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) === 0)
      return `${pathToFileURL(resolve(path)).href}?immutable=1`;
    throw new BadInput(
      `${path} has a log (${path}-wal) that can be read only where its folder may be written. Copy both to another folder.`,
    );
  }
}

function explained(path: string, error: unknown, left: string, threadId?: string): unknown {
  if (error instanceof SyntaxError && threadId !== undefined) {
    return new BadInput(
      `${path} is damaged: a checkpoint of thread "${threadId}" cannot be read (${error.message}). ${left} Name the threads to copy one by one, without this one.`,
      { cause: error },
    );
  }
  const code = String((error as { code?: unknown }).code);
  if (code.startsWith("SQLITE_NOTADB"))
    return new BadInput(`${path} is no SQLite database. ${left}`, { cause: error });
  if (!code.startsWith("SQLITE_CORRUPT")) return error;
  return new BadInput(
    `${path} is damaged. ${left} Restore it from a backup, or recover what can be read with \`sqlite3 FILE .recover\`.`,
    { cause: error },
  );
}
