import { savingOptions } from "../core/given.ts";
import { ItemLogSaver } from "../core/saver.ts";
import type { SaverOptions } from "../core/saver-options.ts";
import { PostgresBackend } from "./backend.ts";
import { Connection } from "./connection.ts";
import { openPool, type PostgresPool, requirePool } from "./driver.ts";
import { quotedSchema } from "./schema.ts";

export type { SaverOptions } from "../core/saver-options.ts";
export type { ListThreadsOptions } from "../verbs/threads.ts";
export type { PostgresClient, PostgresPool, PostgresQuery, PostgresResult } from "./driver.ts";

/** Where the tables are, beside what all savers take. */
export interface PostgresSaverOptions extends SaverOptions {
  /**
   * Schema of the tables, which is created if it is not there. Letters, digits, "_" and "-".
   * Default: "skein".
   */
  readonly schema?: string;
}

/**
 * Keeps checkpoints in a PostgreSQL database (14 or later). Each message is stored once; a turn of
 * a long thread costs what a turn of a short one costs; a superstep of one task is one round trip.
 * What was acknowledged survives a crash of the program and of the server, as far as the server's
 * own settings (`fsync`, `synchronous_commit`) let it.
 *
 * @example
 * const checkpointer = PostgresSaver.fromConnString("postgres://user:secret@localhost:5432/app");
 * const graph = builder.compile({ checkpointer });
 */
export class PostgresSaver extends ItemLogSaver {
  readonly #connection: Connection;

  /**
   * @param pool - a pool of the package `pg`; `close` ends it. The tables are made on first use. How long a
   *   step waits for somebody who locks a whole table is the pool's `lock_timeout`; default: without end.
   * @param options - programs for LangGraph's saver have them in the third place, behind a serializer
   * @throws GraphError INVALID_CONFIGURATION for a schema that is no plain name, or a serializer
   */
  constructor(
    pool: PostgresPool,
    options?: PostgresSaverOptions | null,
    behind?: PostgresSaverOptions | null,
  ) {
    requirePool("new PostgresSaver()", pool);
    const given = { ...savingOptions(options), ...savingOptions(behind) };
    const schema = given.schema ?? "skein";
    quotedSchema(schema);
    const connection = new Connection(pool, schema);
    super(new PostgresBackend(connection, given.tenant ?? ""), given);
    this.#connection = connection;
  }

  /**
   * Connects with the package `pg`, when something is first asked for.
   *
   * @param url - postgres://user:password@host:port/database
   */
  static fromConnString(url: string, options?: PostgresSaverOptions): PostgresSaver {
    return new PostgresSaver(openPool(url), options);
  }

  /**
   * Creates or migrates the tables, which the first use does as well.
   *
   * @throws GraphError STORAGE_NEWER or STORAGE_UNAVAILABLE; nothing was changed then
   */
  async setup(): Promise<void> {
    await this.#connection.setup(true);
  }

  /** Gives back what runs of this saver still hold, and ends the pool. */
  async close(): Promise<void> {
    try {
      await this.releaseAll();
    } finally {
      await this.#connection.close();
    }
  }
}
