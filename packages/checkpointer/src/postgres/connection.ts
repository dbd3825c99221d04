import { hash53 } from "../core/hash.ts";
import {
  explained,
  TYPES,
  type PostgresClient,
  type PostgresPool,
  type PostgresQuery,
  type PostgresResult,
} from "./driver.ts";
import { setupSchema } from "./schema.ts";

/** A query whose text is parsed and planned once per connection. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

/** @param text - every value in it is bound; only the quoted name of the schema is part of it */
export function statement(text: string): Statement {
  return { name: `skein_${hash53(text).toString(36)}`, text };
}

export type Run = <Row extends readonly unknown[]>(query: Statement, ...values: unknown[]) => Promise<Row[]>;

/** A pool whose schema is made ready by the first query. */
export class Connection {
  readonly schema: string;
  readonly #pool: PostgresPool;
  #setup: Promise<void> | undefined;
  #ready = false;

  constructor(pool: PostgresPool, schema: string) {
    this.#pool = pool;
    this.schema = schema;
    // a connection that breaks while idle is replaced by the pool; without a listener it would end the process
    pool.on("error", ignored);
  }

  /** @throws GraphError STORAGE_NEWER or STORAGE_UNAVAILABLE; nothing was changed then */
  async setup(): Promise<void> {
    if (this.#ready) return;
    this.#setup ??= this.#with((client) => setupSchema(client, this.schema));
    try {
      await this.#setup;
      this.#ready = true;
    } catch (error) {
      // the next call tries again
      this.#setup = undefined;
      throw error;
    }
  }

  /** Errors of the driver as they are; see `run`. */
  async query<Row extends readonly unknown[]>(query: Statement, values: readonly unknown[]): Promise<Row[]> {
    if (!this.#ready) await this.setup();
    return rows(this.#pool, query, values);
  }

  readonly run: Run = async (query, ...values) => {
    try {
      return await this.query(query, values);
    } catch (error) {
      throw explained(error);
    }
  };

  /** One transaction; `undefined` from the body rolls it back. */
  async transaction<T>(body: (run: Run) => Promise<T | undefined>): Promise<T | undefined> {
    if (!this.#ready) await this.setup();
    return this.#with(async (client) => {
      const run: Run = (query, ...values) => rows(client, query, values);
      await run(BEGIN);
      try {
        const result = await body(run);
        await run(result === undefined ? ROLLBACK : COMMIT);
        return result;
      } catch (error) {
        await run(ROLLBACK);
        throw error;
      }
    });
  }

  /** Statements that cannot stand in a transaction, one after the other. */
  async outside(texts: readonly string[]): Promise<void> {
    if (!this.#ready) await this.setup();
    await this.#with(async (client) => {
      for (const text of texts) await client.query({ text, rowMode: "array", types: TYPES });
    });
  }

  async #with<T>(use: (client: PostgresClient) => Promise<T>): Promise<T> {
    let client: PostgresClient | undefined;
    try {
      client = await this.#pool.connect();
      // a connection that breaks between two queries fails the next; without a listener it would end the process
      client.on("error", ignored);
      const result = await use(client);
      client.removeListener("error", ignored);
      client.release();
      return result;
    } catch (error) {
      client?.release(true);
      throw explained(error);
    }
  }

  async close(): Promise<void> {
    this.#ready = false;
    this.#setup = undefined;
    await this.#pool.end();
  }
}

const ignored = (): void => {};

const BEGIN = statement("BEGIN");
const COMMIT = statement("COMMIT");
const ROLLBACK = statement("ROLLBACK");

async function rows<Row extends readonly unknown[]>(
  to: { query(query: PostgresQuery): Promise<PostgresResult> },
  statement: Statement,
  values: readonly unknown[],
): Promise<Row[]> {
  const result = await to.query(new BoundQuery(statement, values as unknown[]));
  return result.rows as unknown as Row[];
}

/** The driver copies each query, own property by own property; what is always the same is inherited. */
class BoundQuery implements PostgresQuery {
  readonly statement: Statement;
  readonly values: unknown[];

  constructor(statement: Statement, values: unknown[]) {
    this.statement = statement;
    this.values = values;
  }
  get name(): string {
    return this.statement.name;
  }
  get text(): string {
    return this.statement.text;
  }
  get rowMode(): "array" {
    return "array";
  }
  get types(): PostgresQuery["types"] {
    return TYPES;
  }
}
