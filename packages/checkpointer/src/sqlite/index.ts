import { existsSync } from "node:fs";
import { GraphError } from "@skein/errors";
import { ItemLogSaver, type SaverOptions } from "../core/saver.ts";
import { SqliteBackend } from "./backend.ts";
import { Connection } from "./connection.ts";
import { openDatabase, type SqliteDatabase } from "./driver.ts";

export type { ListThreadsOptions, SaverOptions } from "../core/saver.ts";
export type { SqliteDatabase, SqliteStatement } from "./driver.ts";

export interface SqliteSaverOptions extends SaverOptions {
  /**
   * Only read: never creates a file or a table. A file that does not exist is
   * STORAGE_UNAVAILABLE. Default: false.
   */
  readonly readOnly?: boolean;
}

/**
 * Keeps checkpoints in a SQLite database. Each message is stored once; a turn of a long thread
 * costs what a turn of a short one costs. The database runs in WAL mode with synchronous=NORMAL:
 * a crash of the process loses nothing that was committed, a power cut may lose the last commits,
 * never the consistency of the file.
 *
 * @example
 * const checkpointer = SqliteSaver.fromConnString("threads.db");
 * const graph = builder.compile({ checkpointer });
 */
export class SqliteSaver extends ItemLogSaver {
  readonly #connection: Connection;

  /**
   * @param db - an open database of better-sqlite3 or libsql. Tables are made on first use.
   */
  constructor(db: SqliteDatabase, options: SqliteSaverOptions = {}) {
    const name: unknown = (db as { name?: unknown }).name;
    const path = typeof name === "string" && name !== "" ? name : "(an open database)";
    const connection = new Connection(db, { path, readOnly: options.readOnly === true });
    super(new SqliteBackend(connection, options.tenant ?? ""), options);
    this.#connection = connection;
  }

  /**
   * Opens a file, or ":memory:", with the package `libsql`.
   *
   * @throws GraphError STORAGE_UNAVAILABLE when it cannot be opened
   */
  static fromConnString(path: string, options: SqliteSaverOptions = {}): SqliteSaver {
    if (options.readOnly === true && !existsSync(path)) throw noSuchFile(path);
    const db = openDatabase(path);
    (db as { name?: string }).name = path;
    return new SqliteSaver(db, options);
  }

  /**
   * Creates or migrates the tables, which the first use does as well.
   *
   * @throws GraphError STORAGE_NEWER, STORAGE_CORRUPT or STORAGE_UNAVAILABLE; nothing was changed then
   */
  setup(): void {
    this.#connection.setup();
  }

  /** Gives back what runs of this saver still hold, and closes the database. */
  async close(): Promise<void> {
    await this.releaseAll();
    this.#connection.close();
  }
}

function noSuchFile(path: string): GraphError {
  return new GraphError(
    "STORAGE_UNAVAILABLE",
    `There is no database at "${path}". Check the path; a run that writes creates the file.`,
    { details: { path } },
  );
}
