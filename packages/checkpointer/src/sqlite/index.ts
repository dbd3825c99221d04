import { accessSync, constants, existsSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { GraphError } from "@skein/errors";
import { savingOptions } from "../core/given.ts";
import { ItemLogSaver } from "../core/saver.ts";
import type { SaverOptions } from "../core/saver-options.ts";
import { SqliteBackend } from "./backend.ts";
import { Connection } from "./connection.ts";
import { openDatabase, requireDatabase, requirePath, type SqliteDatabase } from "./driver.ts";

export type { SaverOptions } from "../core/saver-options.ts";
export type { ListThreadsOptions } from "../verbs/threads.ts";
export type { SqliteDatabase, SqliteStatement } from "./driver.ts";

/** How the file is opened, beside what all savers take. */
export interface SqliteSaverOptions extends SaverOptions {
  /**
   * Only read: never creates a file or a table. A file that does not exist is
   * STORAGE_UNAVAILABLE. Default: false.
   */
  readonly readOnly?: boolean;
  /**
   * Make the tables also in a database that has tables of another program. Default: false for a
   * path, true for a database that was opened by the caller.
   */
  readonly alongside?: boolean;
}

/**
 * Keeps checkpoints in a SQLite database. Each message is stored once; a turn of a long thread
 * costs what a turn of a short one costs. The database runs in WAL mode with synchronous=NORMAL:
 * a crash of the process loses nothing that was committed, a power cut may lose the last commits,
 * never the consistency of the file.
 *
 * Within one process, open a file with one SQLite library only. Two (libsql here, better-sqlite3 or
 * node:sqlite elsewhere) do not know of each other's locks, and when one of them closes the file, POSIX
 * systems drop the locks of both: the file can be damaged. Pass the open database to the constructor, or
 * use another process.
 *
 * @example
 * const checkpointer = SqliteSaver.fromConnString("threads.db");
 * const graph = builder.compile({ checkpointer });
 */
export class SqliteSaver extends ItemLogSaver {
  readonly #connection: Connection;
  readonly #db: SqliteDatabase;
  readonly #options: SqliteSaverOptions;

  /**
   * @param db - an open database of better-sqlite3 or libsql. Tables are made on first use.
   */
  constructor(db: SqliteDatabase, given?: SqliteSaverOptions | null) {
    requireDatabase("new SqliteSaver()", db);
    const options = savingOptions(given);
    const name: unknown = (db as { name?: unknown }).name;
    const path = typeof name === "string" && name !== "" ? name : "(an open database)";
    const connection = new Connection(db, {
      path,
      readOnly: options.readOnly === true,
      alongside: options.alongside ?? true,
    });
    super(new SqliteBackend(connection, options.tenant ?? ""), options);
    this.#connection = connection;
    this.#db = db;
    this.#options = options;
  }

  /**
   * Opens a file, or ":memory:", with the package `libsql`.
   *
   * @throws GraphError INVALID_CONFIGURATION for what is no path, STORAGE_UNAVAILABLE when it cannot be opened
   */
  static fromConnString(path: string, given?: SqliteSaverOptions | null): SqliteSaver {
    requirePath(path);
    const options = savingOptions(given);
    if (options.readOnly === true && !existsSync(path)) throw noSuchFile(path);
    const db = openDatabase(options.readOnly === true ? readable(path) : path, path);
    (db as { name?: string }).name = path;
    return new SqliteSaver(db, { ...options, alongside: options.alongside ?? false });
  }

  /**
   * Reads the whole file and compares its parts. Opening a database reads only what it needs, so
   * damage elsewhere is noticed when somebody reads it; this tells before.
   *
   * @throws GraphError STORAGE_CORRUPT that says what is damaged
   */
  check(): void {
    this.#connection.check();
  }

  /**
   * A saver of another tenant over the same database: it sees and touches none of this one's
   * threads. Closing one closes the database.
   */
  forTenant(tenant: string): SqliteSaver {
    return new SqliteSaver(this.#db, { ...this.#options, tenant });
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
    try {
      await this.releaseAll();
    } finally {
      this.#connection.close();
    }
  }
}

/**
 * SQLite makes files beside a database even to read it. Where it may not, and the log holds nothing,
 * it is told that nobody writes.
 */
function readable(path: string): string {
  const folder = dirname(resolve(path));
  if (path === ":memory:" || mayWrite(folder) || existsSync(`${path}-shm`)) return path;
  const log = statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  if (log > 0) throw unreadableLog(path, folder);
  return `${pathToFileURL(resolve(path)).href}?immutable=1`;
}

function mayWrite(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function unreadableLog(path: string, folder: string): GraphError {
  return new GraphError(
    "STORAGE_UNAVAILABLE",
    `The database "${path}" has a log with steps that are not in the file yet, and "${folder}" may not be written to, which reading that log needs. Copy both files to a folder that may be written to, and read there.`,
    { details: { path, folder } },
  );
}

function noSuchFile(path: string): GraphError {
  return new GraphError(
    "STORAGE_UNAVAILABLE",
    `There is no database at "${path}". Check the path; a run that writes creates the file.`,
    { details: { path } },
  );
}
