import { Connection } from "../../sqlite/connection.ts";
import { openDatabase, requireDatabase, requirePath, type SqliteDatabase } from "../../sqlite/driver.ts";
import { storingOptions } from "../core/given.ts";
import { RowStore } from "../core/store.ts";
import type { StoreOptions } from "../core/types.ts";
import { SqliteStoreBackend } from "./backend.ts";

export type { SqliteDatabase, SqliteStatement } from "../../sqlite/driver.ts";

/** Where the tables may be made, beside what all stores take. */
export interface SqliteStoreOptions extends StoreOptions {
  /**
   * Make the tables also in a database that has tables of another program. Default: false for a
   * path, true for a database that was opened by the caller.
   */
  readonly alongside?: boolean;
}

/**
 * Keeps items in a SQLite database, which may be that of a `SqliteSaver`. Several processes may
 * use one file. Search for words is by SQLite's FTS5; search by meaning compares with every vector
 * below the namespace, in this process.
 *
 * @example
 * const store = SqliteStore.fromConnString("memory.db", { ttl: { defaultTtl: 60 * 24 * 30 } });
 * await store.put(["users", "ada"], "likes", { drink: "tea" });
 */
export class SqliteStore extends RowStore {
  /**
   * @param db - an open database of better-sqlite3 or libsql, with SQLite 3.43 or later, which
   *   `stop()` leaves open; or what opens one, which `stop()` closes. Tables are made on first use.
   */
  constructor(db: SqliteDatabase | (() => SqliteDatabase), options?: SqliteStoreOptions | null) {
    if (typeof db !== "function") requireDatabase("new SqliteStore()", db);
    const opens = typeof db === "function";
    const alongside = options?.alongside ?? true;
    const connect = () => connectionOf(opens ? db() : db, alongside);
    super(new SqliteStoreBackend(connect, opens), options);
  }

  /**
   * Opens a file, or ":memory:", with the package `libsql`, on first use.
   *
   * @throws GraphError INVALID_CONFIGURATION for what is no path; the first use: STORAGE_UNAVAILABLE, STORAGE_CORRUPT or STORAGE_NEWER
   */
  static fromConnString(path: string, given?: SqliteStoreOptions | null): SqliteStore {
    requirePath(path);
    const options: SqliteStoreOptions = storingOptions(given);
    const open = () => Object.assign(openDatabase(path), { name: path });
    return new SqliteStore(open, { ...options, alongside: options.alongside ?? false });
  }
}

function connectionOf(db: SqliteDatabase, alongside: boolean): Connection {
  const name: unknown = (db as { name?: unknown }).name;
  const path = typeof name === "string" && name !== "" ? name : "(an open database)";
  return new Connection(db, { path, readOnly: false, alongside });
}
