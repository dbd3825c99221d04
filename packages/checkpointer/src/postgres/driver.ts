import { GraphError, shown } from "@skein/errors";
import { loadDriver } from "../core/driver.ts";

/** What we use of a `pg` pool. */
export interface PostgresPool {
  query(query: PostgresQuery): Promise<PostgresResult>;
  connect(): Promise<PostgresClient>;
  end(): Promise<void>;
  /** Whether somebody has called `end`. */
  readonly ending?: boolean;
  on(event: "error", listener: (error: Error) => void): unknown;
  removeListener?(event: "error", listener: (error: Error) => void): unknown;
}

/** What we use of a connection of the pool. */
export interface PostgresClient {
  query(query: PostgresQuery): Promise<PostgresResult>;
  /** @param error - the connection is thrown away */
  release(error?: Error | boolean): void;
  on(event: "error", listener: (error: Error) => void): unknown;
  removeListener(event: "error", listener: (error: Error) => void): unknown;
}

/** A statement as `pg` takes it, whose rows are arrays of what the parsers make. */
export interface PostgresQuery {
  /** Prepared under this name once per connection. */
  name?: string;
  text: string;
  values?: unknown[];
  rowMode: "array";
  types: { getTypeParser(oid: number): (text: string) => unknown };
}

/** What we use of what `pg` answers. */
export interface PostgresResult {
  readonly rows: unknown[][];
  /** Of a statement that changes rows, how many it did. */
  readonly rowCount: number | null;
}

interface PoolConfig {
  readonly connectionString: string;
  readonly connectionTimeoutMillis: number;
  readonly allowExitOnIdle: boolean;
  /** Called with a connection before it is used for the first time. */
  readonly verify: (client: PostgresClient, done: () => void) => Promise<void>;
}

/** Milliseconds that a connection may take to be made. */
const CONNECT_MS = 10_000;

/** @throws GraphError INVALID_CONFIGURATION for what is no pool */
export function requirePool(of: string, pool: unknown): void {
  const methods: readonly unknown[] = ["query", "connect", "on"].map(
    (name) => (pool as Record<string, unknown> | null | undefined)?.[name],
  );
  const isEither = methods.every((method) => typeof method === "function");
  // a single client has the same ones, and cannot be shared by runs
  if (isEither && !("escapeLiteral" in (pool as object))) return;
  throw new GraphError(
    "INVALID_CONFIGURATION",
    `${of} takes a pool of the package "pg", not ${shown(pool)}. fromConnString takes a URL.`,
  );
}

/** The schemes that `pg` is told of, and the path of a socket. Without any it connects as its environment says. */
const URL_OF_POSTGRES = /^(?:(?:postgres|postgresql|pg|socket):|\/|$)/i;

/** @throws GraphError INVALID_CONFIGURATION for what `pg` would take for the name of a database */
export function requireUrl(url: unknown): void {
  if (typeof url !== "string" || !URL_OF_POSTGRES.test(url)) throw noUrl();
}

/** Makes a pool with the package `pg`, which is loaded here and not before. */
export function openPool(url: string): PostgresPool {
  requireUrl(url);
  const driver = loadDriver<{ readonly Pool: new (config: PoolConfig) => PostgresPool }>("pg", {
    by: "PostgresSaver.fromConnString",
    or: "pass a pool to the constructor",
  });
  try {
    return new driver.Pool({
      connectionString: url,
      connectionTimeoutMillis: CONNECT_MS,
      allowExitOnIdle: true,
      verify: prepareConnection,
    });
  } catch (cause) {
    throw noUrl(cause);
  }
}

const ENDED = new WeakMap<PostgresPool, Promise<void>>();

/** Savers may share a pool, which rejects whoever ends it again. */
export function endPool(pool: PostgresPool): Promise<void> {
  const ended = ENDED.get(pool) ?? (pool.ending === true ? Promise.resolve() : pool.end());
  ENDED.set(pool, ended);
  // the next one tries again
  ended.catch(() => ENDED.delete(pool));
  return ended;
}

function noUrl(cause?: unknown): GraphError {
  return new GraphError(
    "INVALID_CONFIGURATION",
    "The connection string is no PostgreSQL URL. It looks like postgres://user:password@host:5432/database.",
    { cause },
  );
}

const SETTINGS = "SET lock_timeout = '5s'; SET default_transaction_isolation = 'read committed'";

/**
 * A limit for statements that wait for a whole table before they can set one themselves, and the isolation
 * that functions of the schema need: each statement sees what was committed before it. A pool that was given
 * keeps its own, which are its program's.
 */
async function prepareConnection(client: PostgresClient, done: () => void): Promise<void> {
  // the pool listens to a connection only before and after this; whoever uses it next is told that it broke
  client.on("error", () => {});
  try {
    await client.query({ text: SETTINGS, rowMode: "array", types: TYPES });
  } catch {
    // the first query tells
  }
  done();
}

/** Row values as they are used here, whatever parsers a program has set for its own queries. */
export const TYPES: PostgresQuery["types"] = { getTypeParser: (oid) => PARSERS.get(oid) ?? same };

const same = (text: string): string => text;
/** By the ids of int8, int2, int4, and bool. Every integer that is stored is a safe one. */
const PARSERS = new Map<number, (text: string) => unknown>([
  [20, Number],
  [21, Number],
  [23, Number],
  [16, (text) => text === "t"],
]);

/** SQLSTATE, or the code of a failed system call. */
export function errorCode(error: unknown): string {
  const code: unknown = (error as { code?: unknown } | undefined)?.code;
  return typeof code === "string" ? code : "";
}

/** SQLSTATE where a lock was waited for as long as `lock_timeout` allows. */
export const LOCK_TIMEOUT = "55P03";

/** Two transactions were in each other's way, and this one was undone. */
export function isUndone(error: unknown): boolean {
  return ["40001", "40P01"].includes(errorCode(error));
}

/** An ordinal, a lane or a sequence number was not free, or two transactions were in each other's way. */
export function isTaken(error: unknown): boolean {
  return errorCode(error) === "23505" || isUndone(error);
}

/** A text of more than a billion bytes. */
export function isTooLong(error: unknown): boolean {
  return errorCode(error) === "54000";
}

/** What an error of the driver means for the caller; other errors as they are. */
export function explained(error: unknown): unknown {
  if (!(error instanceof Error) || GraphError.is(error)) return error;
  const code = errorCode(error);
  const told = MEANINGS.find(([pattern]) => pattern.test(`${code} ${error.message}`));
  if (told === undefined) return error;
  const [, kind, advice] = told;
  return new GraphError(kind, `The PostgreSQL database ${advice} (${error.message || code})`, {
    cause: error,
    details: { postgres: code },
  });
}

type Kind = "INVALID_INPUT" | "STORAGE_CORRUPT" | "STORAGE_UNAVAILABLE";

const MEANINGS: readonly (readonly [RegExp, Kind, string])[] = [
  [
    /^54000 index row/,
    "INVALID_INPUT",
    "takes no ids of more than about 2,600 bytes: of tenants, threads, namespaces, checkpoints or tasks. Nothing was stored. Give shorter ones.",
  ],
  [/^XX00[12] /, "STORAGE_CORRUPT", "is damaged. Restore it from a backup."],
  [
    /^(42P01|42703|42883|3F000) /,
    "STORAGE_CORRUPT",
    "has lost a table, a column or a function that setup() made, or the whole schema. Nothing was changed. Restore it from a backup.",
  ],
  [/^53100 /, "STORAGE_UNAVAILABLE", "does not fit on its disk any more. Free some space and run again."],
  [
    /^53300 |timeout exceeded when trying to connect|remaining connection slots/,
    "STORAGE_UNAVAILABLE",
    "has no free connection. Use a smaller pool, raise max_connections, or try again.",
  ],
  [
    /^55P03 /,
    "STORAGE_UNAVAILABLE",
    "kept a lock of another transaction for more than 5 seconds. Nothing was changed. End that transaction, or try again.",
  ],
  [
    /^(40001|40P01) /,
    "STORAGE_UNAVAILABLE",
    "had two transactions in each other's way. Nothing was changed. Try again; give a pool of yours connections with default_transaction_isolation = 'read committed'.",
  ],
  [
    /after calling end/,
    "STORAGE_UNAVAILABLE",
    "was left: its pool was ended, by the program or by another saver that has it. Everything that was acknowledged is stored. Close a saver when everything that uses its pool has ended.",
  ],
  [
    /^57014 /,
    "STORAGE_UNAVAILABLE",
    "ended a statement that took longer than statement_timeout allows, or that somebody cancelled. Nothing of it was stored. Raise the limit, or try again.",
  ],
  [
    /^42P0[67] /,
    "STORAGE_UNAVAILABLE",
    "got a schema or table of the same name from somebody else at the same time. Nothing was changed. Try again.",
  ],
  [
    /^25006 /,
    "STORAGE_UNAVAILABLE",
    "cannot be written to: it is a replica, or its transactions are read-only. Give the URL of one that can.",
  ],
  [
    /^42501 /,
    "STORAGE_UNAVAILABLE",
    "does not allow this. Let its owner call setup() once, and grant this user USAGE on the schema, EXECUTE on its functions and all rights on its tables.",
  ],
  [
    /^(28|3D)\w{3} /,
    "STORAGE_UNAVAILABLE",
    "refuses the connection. Check user, password and database of the URL.",
  ],
  [
    /^(08\w{3}|57P0\d|ECONN\w+|EPIPE|ENOTFOUND|EAI_\w+|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOENT) |Connection terminated|connection error|not queryable|Client was closed/i,
    "STORAGE_UNAVAILABLE",
    "cannot be reached, or the connection to it was lost. Everything that was acknowledged is stored. Run again when it is back.",
  ],
];
