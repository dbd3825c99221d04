import {
  endPool,
  explained,
  isUndone,
  TYPES,
  type PostgresClient,
  type PostgresPool,
  type PostgresQuery,
  type PostgresResult,
} from "./driver.ts";
import type { CheckpointRow } from "../core/backend.ts";
import { StoredNames } from "./names.ts";
import { queriesOf, upkeepOf, type Queries } from "./queries.ts";
import type { StoredCheckpoint } from "./rows.ts";
import { BEGIN, quotedSchema, setupSchema } from "./schema.ts";
import { statement, type Run, type Statement } from "./statement.ts";

/** A pool whose schema is made ready by the first query. */
export class Connection {
  readonly schema: string;
  readonly queries: Queries;
  readonly names: StoredNames;
  readonly #pool: PostgresPool;
  #upkeep: ReturnType<typeof upkeepOf> | undefined;
  #setup: Promise<void> | undefined;
  #made: Promise<void> | undefined;
  #ended: Promise<void> | undefined;
  #ready = false;

  constructor(pool: PostgresPool, schema: string) {
    this.#pool = pool;
    this.schema = schema;
    this.queries = queriesOf(quotedSchema(schema));
    this.names = new StoredNames(this.queries, this.run);
    // a connection that breaks while idle is replaced by the pool; without a listener it would end the process
    pool.on("error", ignored);
  }

  /** Queries of verbs, which most processes call none of. */
  get upkeep(): ReturnType<typeof upkeepOf> {
    return (this.#upkeep ??= upkeepOf(quotedSchema(this.schema)));
  }

  /**
   * @param rehearses - the connection looks for a thread that there is not, and nothing waits for it: a new process
   *   of the server plans for milliseconds what opens one, while the program builds its graph
   * @throws GraphError STORAGE_NEWER or STORAGE_UNAVAILABLE; nothing was changed then
   */
  async setup(rehearses = false): Promise<void> {
    if (this.#ready) return;
    this.#setup ??= this.#make(rehearses);
    try {
      await this.#setup;
    } catch (error) {
      // the next call tries again
      this.#setup = undefined;
      throw error;
    }
  }

  #make(rehearses: boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      const made = this.#with(async (client) => {
        await setupSchema(client, this.schema);
        // sent before anybody goes on
        const rehearsal = rehearses ? rows(client, this.queries.find, NOBODY) : undefined;
        resolve();
        await rehearsal;
      });
      this.#made = made.catch(reject);
    });
  }

  async #begin(): Promise<void> {
    await this.setup();
    // for what comes meanwhile the pool would open another connection
    await this.#made;
    this.#ready = this.#ended === undefined;
  }

  /** Errors of the driver as they are; see `run`. */
  async query<Row extends readonly unknown[]>(query: Statement, values: readonly unknown[]): Promise<Row[]> {
    if (!this.#ready) await this.#begin();
    return rows(this.#pool, query, values);
  }

  /** How many rows a statement has stored or changed. Errors of the driver as they are. */
  change(query: Statement, values: readonly unknown[]): Promise<number> {
    if (this.#ready) return this.#pool.query(query.bind(values)).then(changed);
    return this.#begin().then(() => this.change(query, values));
  }

  readonly run: Run = async (query, ...values) => {
    for (let tries = 1; ; tries += 1) {
      try {
        return await this.query(query, values);
      } catch (error) {
        if (tries === TRIES || !isUndone(error)) throw explained(error);
      }
    }
  };

  /** Rows of checkpoints, behind whose columns stands which names there are. */
  async checkpointRows(query: Statement, ...values: unknown[]): Promise<CheckpointRow[]> {
    const rows = await this.run<readonly [...StoredCheckpoint, string]>(query, ...values);
    const known = await this.names.know(rows[0]?.at(-1) as string | undefined);
    return rows.map((row) => known.row(row as unknown as StoredCheckpoint));
  }

  /** One transaction; `undefined` from the body rolls it back. */
  async transaction<T>(body: (run: Run) => Promise<T | undefined>): Promise<T | undefined> {
    if (!this.#ready) await this.#begin();
    return this.#with(async (client) => {
      const run: Run = (query, ...values) => rows(client, query, values);
      await run(BEGIN_TRANSACTION);
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
    if (!this.#ready) await this.#begin();
    await this.#with(async (client) => {
      for (const text of [NO_LIMIT, ...texts]) await client.query({ text, rowMode: "array", types: TYPES });
    }, true);
  }

  /** @param isSpent - the connection is not to be used again */
  async #with<T>(use: (client: PostgresClient) => Promise<T>, isSpent = false): Promise<T> {
    let client: PostgresClient | undefined;
    try {
      client = await this.#pool.connect();
      // a connection that breaks between two queries fails the next; without a listener it would end the process
      client.on("error", ignored);
      const result = await use(client);
      client.removeListener("error", ignored);
      client.release(isSpent);
      return result;
    } catch (error) {
      client?.release(true);
      throw explained(error);
    }
  }

  async close(): Promise<void> {
    this.#ready = false;
    this.#setup = undefined;
    this.#made = undefined;
    await (this.#ended ??= endPool(this.#pool));
  }

  /** Leaves the pool to whoever opened it. The connection is not to be used again. */
  leave(): void {
    this.#pool.removeListener?.("error", ignored);
  }
}

const ignored = (): void => {};
/** No thread has an empty id. */
const NOBODY = ["", "", "", null, 0, null];
const changed = ({ rowCount }: PostgresResult): number => rowCount ?? 0;

/** How often a statement is sent of which others were in the way. */
const TRIES = 5;

/** Whoever writes tables anew waits for runs as long as it takes. */
const NO_LIMIT = "SET lock_timeout = 0";
const BEGIN_TRANSACTION = statement(BEGIN);
const COMMIT = statement("COMMIT");
const ROLLBACK = statement("ROLLBACK");

async function rows<Row extends readonly unknown[]>(
  to: { query(query: PostgresQuery): Promise<PostgresResult> },
  statement: Statement,
  values: readonly unknown[],
): Promise<Row[]> {
  const result = await to.query(statement.bind(values));
  return result.rows as unknown as Row[];
}
