import Database from "libsql";
import { Pool } from "pg";
import {
  PostgresSaver,
  type PostgresClient,
  type PostgresPool,
  type PostgresQuery,
} from "@skein/checkpointer/postgres";
import { SqliteSaver, type SqliteDatabase, type SqliteStatement } from "@skein/checkpointer/sqlite";

/** Counts the moments at which a driver could be cut off, and calls `strike` at one of them. */
export class Boundaries {
  passed = 0;
  readonly #at: number | undefined;
  readonly #strike: () => void;

  constructor(at: number | undefined, strike: () => void) {
    this.#at = at;
    this.#strike = strike;
  }

  pass(): void {
    if (this.passed === this.#at) this.#strike();
    this.passed += 1;
  }
}

/** Processes of a server that serve connections: when the server is killed they go on until they notice. */
export type Served = Set<number>;

const processOf = (client: unknown): number => (client as { processID: number }).processID;

/** A saver on a store as the worker is given it, with boundaries around every call of its driver. */
export function openCounted(
  store: string,
  boundaries: Boundaries,
  served: Served,
): SqliteSaver | PostgresSaver {
  const [url, schema] = store.split("#") as [string, string | undefined];
  if (schema === undefined) return new SqliteSaver(countedDatabase(store, boundaries));
  return new PostgresSaver(countedPool(url, boundaries, served), { schema });
}

/** A boundary before every call and one behind it. */
function countedDatabase(path: string, boundaries: Boundaries): SqliteDatabase {
  const counted = <T>(call: () => T): T => {
    boundaries.pass();
    const result = call();
    boundaries.pass();
    return result;
  };
  const countedStatement = (statement: SqliteStatement): SqliteStatement => ({
    run: (...parameters) => counted(() => statement.run(...parameters)),
    get: (...parameters) => counted(() => statement.get(...parameters)),
    all: (...parameters) => counted(() => statement.all(...parameters)),
    raw(toggle) {
      statement.raw(toggle);
      return this;
    },
  });
  const db = new Database(path) as unknown as SqliteDatabase;
  return {
    prepare: (sql) => countedStatement(db.prepare(sql)),
    exec: (sql) => counted(() => db.exec(sql)),
    close: () => db.close(),
  };
}

/** A boundary before every query, one when it is sent and not answered yet, and one behind it. */
function countedPool(connectionString: string, boundaries: Boundaries, served: Served): PostgresPool {
  const counted =
    (target: Pick<PostgresClient, "query">): PostgresClient["query"] =>
    async (query: PostgresQuery) => {
      boundaries.pass();
      const answer = target.query(query);
      answer.catch(() => {});
      await new Promise(setImmediate);
      boundaries.pass();
      const result = await answer;
      boundaries.pass();
      return result;
    };
  const connections = new Pool({ connectionString, allowExitOnIdle: true });
  connections.on("connect", (client) => served.add(processOf(client)));
  connections.on("remove", (client) => served.delete(processOf(client)));
  const pool = connections as unknown as PostgresPool;
  return {
    query: counted(pool),
    async connect() {
      const client = await pool.connect();
      return {
        query: counted(client),
        release: (error) => client.release(error),
        on: (event, listener) => client.on(event, listener),
        removeListener: (event, listener) => client.removeListener(event, listener),
      };
    },
    end: () => pool.end(),
    on: (event, listener) => pool.on(event, listener),
  };
}
