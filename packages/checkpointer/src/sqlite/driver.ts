import { GraphError, shown } from "@skein/errors";
import { loadDriver } from "../core/driver.ts";

/** What we use of better-sqlite3's interface, which libsql has, too. */
export interface SqliteDatabase {
  prepare(sql: string): SqliteStatement;
  exec(sql: string): unknown;
  close(): unknown;
  readonly open?: boolean;
  readonly inTransaction?: boolean;
}

/** What we use of a prepared statement. */
export interface SqliteStatement {
  run(...parameters: unknown[]): { readonly changes: number; readonly lastInsertRowid: number | bigint };
  get(...parameters: unknown[]): unknown;
  all(...parameters: unknown[]): unknown[];
  /** Rows as arrays. */
  raw(toggle?: boolean): SqliteStatement;
  /** Integers as bigints, which a caller may have made the default of a database. */
  safeIntegers?(toggle: boolean): unknown;
}

/** @throws GraphError INVALID_CONFIGURATION for what is no open database */
export function requireDatabase(of: string, db: unknown): void {
  if (typeof (db as Partial<SqliteDatabase> | null | undefined)?.prepare === "function") return;
  throw new GraphError(
    "INVALID_CONFIGURATION",
    `${of} takes an open database of better-sqlite3 or libsql, not ${shown(db)}. fromConnString takes a path.`,
  );
}

/** Libsql would ask a server, which answers to none of the statements that are sent here. */
const ADDRESS = /^(https?|wss?|libsql):/i;

/** @throws GraphError INVALID_CONFIGURATION for what libsql takes for something else than a file, or ends the process for */
export function requirePath(path: unknown): void {
  const isPath = typeof path === "string" && path !== "" && !path.includes("\0") && !ADDRESS.test(path);
  if (isPath) return;
  throw new GraphError(
    "INVALID_CONFIGURATION",
    `The path of a database is that of a file, or ":memory:", not ${shown(path)}.`,
  );
}

/**
 * Opens a database file with libsql, which is loaded here and not before.
 *
 * @param address - its path, or a URI of it
 * @param path - how errors name it
 */
export function openDatabase(address: string, path: string = address): SqliteDatabase {
  const Database = loadDriver<new (address: string) => SqliteDatabase>("libsql", {
    by: "SqliteSaver.fromConnString",
    or: "pass an open better-sqlite3 database to the constructor",
  });
  return guarded(path, () => new Database(address));
}

/** Undoes the open transaction, whatever has become of it: why it failed is told, and not that it has ended. */
export function rollBack(db: SqliteDatabase): void {
  try {
    db.exec("ROLLBACK");
  } catch {
    // a full disk has ended the transaction already
  }
}

interface DriverError extends Error {
  readonly code?: unknown;
}

/** Runs a call of the driver and says what its error means for the caller. */
export function guarded<T>(path: string, call: () => T): T {
  try {
    return call();
  } catch (error) {
    throw explained(path, error);
  }
}

/** Message of the trigger that refuses a commit; see `schema.ts`. */
export const CONFLICT = "skein: the head has moved or the claim was lost";

export function isConflict(error: unknown): boolean {
  return error instanceof Error && error.message.includes(CONFLICT);
}

export function isTaken(error: unknown): boolean {
  return error instanceof Error && /UNIQUE constraint failed/.test(error.message);
}

/** A text of more than a billion bytes, or what the database was told to be the most. */
export function isTooLong(error: unknown): boolean {
  return error instanceof Error && /string or blob too big/.test(error.message);
}

/** Somebody else kept the database for longer than the driver waits. */
export function isLocked(error: unknown): boolean {
  return error instanceof Error && /^SQLITE_(BUSY|LOCKED)/.test(String((error as DriverError).code));
}

export function explained(path: string, error: unknown): unknown {
  if (!(error instanceof Error) || GraphError.is(error)) return error;
  const code = String((error as DriverError).code ?? "");
  const text = `${code} ${error.message}`;
  const told = MEANINGS.find(([pattern]) => pattern.test(text));
  if (told === undefined) return error;
  const [, kind, advice] = told;
  return new GraphError(kind, `The database "${path}" ${advice}`, {
    cause: error,
    details: { path, sqlite: code },
  });
}

/** By the code of an error, or by SQLite's own words: a message may name paths, tables and views as well. */
const MEANINGS: readonly (readonly [RegExp, "STORAGE_CORRUPT" | "STORAGE_UNAVAILABLE", string])[] = [
  [
    /SQLITE_CANTOPEN|unable to open/i,
    "STORAGE_UNAVAILABLE",
    "cannot be opened. Check that the folder exists, that the path is no folder, and that you may read and write it.",
  ],
  [
    /SQLITE_NOTADB|not a database|file is encrypted/i,
    "STORAGE_CORRUPT",
    "is not a SQLite database. Nothing was changed. Give another path, or restore the file from a backup.",
  ],
  [
    /SQLITE_CORRUPT|is malformed/i,
    "STORAGE_CORRUPT",
    "is damaged. Nothing was changed. Restore it from a backup, or recover what can be read with `sqlite3 FILE .recover`.",
  ],
  [
    /connection is not open/i,
    "STORAGE_UNAVAILABLE",
    "was closed. Close a saver when everything that uses its database has ended, or open another one.",
  ],
  [
    /SQLITE_BUSY|SQLITE_LOCKED|is locked/i,
    "STORAGE_UNAVAILABLE",
    "was locked by another process for more than 5 seconds. Nothing was changed. End the process that holds it, or try again.",
  ],
  [
    /SQLITE_READONLY|a readonly database/i,
    "STORAGE_UNAVAILABLE",
    "cannot be written to. Check the permissions of the file and of its folder (SQLite writes files beside it).",
  ],
  [
    /SQLITE_FULL|disk is full/i,
    "STORAGE_UNAVAILABLE",
    "does not fit on its disk any more. Free some space and run again.",
  ],
  [
    /SQLITE_IOERR|disk I\/O/i,
    "STORAGE_UNAVAILABLE",
    "could not be read or written. Check the disk, then run again.",
  ],
];
