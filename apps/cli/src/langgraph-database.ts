import { stat } from "node:fs/promises";
import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { BadInput } from "./errors.ts";

export interface LangGraphDatabase {
  readonly saver: BaseCheckpointSaver;
  threads(): string[];
  /** Does something that reads the database. @throws BadInput when it is damaged */
  read<Result>(body: () => Promise<Result>): Promise<Result>;
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
  const db = new Database(path);
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
    // libsql has better-sqlite3's interface
    saver: new SqliteSaver(db as never),
    threads() {
      const sql = "SELECT DISTINCT thread_id FROM checkpoints ORDER BY thread_id";
      return (db.prepare(sql).all() as { thread_id: string }[]).map(({ thread_id }) => thread_id);
    },
    async read(body) {
      try {
        return await body();
      } catch (error) {
        throw explained(
          path,
          error,
          "Threads that were copied before stay; of the others nothing was stored.",
        );
      }
    },
    close: () => void db.close(),
  };
}

function explained(path: string, error: unknown, left: string): unknown {
  const code = String((error as { code?: unknown }).code);
  if (code.startsWith("SQLITE_NOTADB"))
    return new BadInput(`${path} is no SQLite database. ${left}`, { cause: error });
  if (!code.startsWith("SQLITE_CORRUPT")) return error;
  return new BadInput(
    `${path} is damaged. ${left} Restore it from a backup, or recover what can be read with \`sqlite3 FILE .recover\`.`,
    { cause: error },
  );
}
