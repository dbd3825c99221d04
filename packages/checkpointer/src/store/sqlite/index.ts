import { Connection } from "../../sqlite/connection.ts";
import { openDatabase, requireDatabase, type SqliteDatabase } from "../../sqlite/driver.ts";
import { RowStore } from "../core/store.ts";
import type { StoreOptions } from "../core/types.ts";
import { SqliteStoreBackend } from "./backend.ts";

export type { SqliteDatabase, SqliteStatement } from "../../sqlite/driver.ts";

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
  constructor(db: SqliteDatabase | (() => SqliteDatabase), options?: StoreOptions | null) {
    if (typeof db !== "function") requireDatabase("new SqliteStore()", db);
    const opens = typeof db === "function";
    const connect = () => connectionOf(opens ? db() : db);
    super(new SqliteStoreBackend(connect, opens), options);
  }

  /**
   * Opens a file, or ":memory:", with the package `libsql`, on first use.
   *
   * @throws nothing; the first use: GraphError STORAGE_UNAVAILABLE, STORAGE_CORRUPT or STORAGE_NEWER
   */
  static fromConnString(path: string, options?: StoreOptions | null): SqliteStore {
    return new SqliteStore(() => Object.assign(openDatabase(path), { name: path }), options);
  }
}

function connectionOf(db: SqliteDatabase): Connection {
  const name: unknown = (db as { name?: unknown }).name;
  const path = typeof name === "string" && name !== "" ? name : "(an open database)";
  return new Connection(db, { path, readOnly: false });
}
