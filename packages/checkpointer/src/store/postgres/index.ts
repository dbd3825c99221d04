import { Connection } from "../../postgres/connection.ts";
import { openPool, type PostgresPool, requirePool, requireUrl } from "../../postgres/driver.ts";
import { quotedSchema } from "../../postgres/schema.ts";
import { RowStore } from "../core/store.ts";
import type { StoreOptions } from "../core/types.ts";
import { PostgresStoreBackend } from "./backend.ts";

export type { PostgresClient, PostgresPool, PostgresQuery, PostgresResult } from "../../postgres/driver.ts";

/** Where the tables are, beside what all stores take. */
export interface PostgresStoreOptions extends StoreOptions {
  /**
   * Schema of the tables, which is created if it is not there; may be that of a `PostgresSaver`.
   * Letters, digits, "_" and "-". Default: "skein".
   */
  readonly schema?: string;
}

/**
 * Keeps items in a PostgreSQL database (14 or later), for any number of processes. Search for words
 * uses the server's index; search by meaning compares with every vector below the namespace, in the
 * server, with pgvector where it has it.
 *
 * @example
 * const store = PostgresStore.fromConnString("postgres://user:secret@localhost:5432/app");
 * await store.put(["users", "ada"], "likes", { drink: "tea" });
 */
export class PostgresStore extends RowStore {
  /**
   * @param pool - a pool of the package `pg`, which `stop()` leaves open; or what makes one, which
   *   `stop()` ends. The tables are made on first use.
   * @throws GraphError INVALID_CONFIGURATION for a schema that is no plain name
   */
  constructor(pool: PostgresPool | (() => PostgresPool), given?: PostgresStoreOptions | null) {
    if (typeof pool !== "function") requirePool("new PostgresStore()", pool);
    const options = given ?? {};
    const schema = options.schema ?? "skein";
    quotedSchema(schema);
    const owned = typeof pool === "function";
    const connect = () => new Connection(typeof pool === "function" ? pool() : pool, schema);
    super(new PostgresStoreBackend({ connect, owned, embeds: options.index !== undefined }), options);
  }

  /**
   * Connects with the package `pg`, on first use. `stop()` ends the pool.
   *
   * @param url - postgres://user:password@host:port/database
   * @throws GraphError INVALID_CONFIGURATION for what is no such URL
   */
  static fromConnString(url: string, options?: PostgresStoreOptions | null): PostgresStore {
    requireUrl(url);
    return new PostgresStore(() => openPool(url), options);
  }
}
