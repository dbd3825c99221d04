import { GraphError, shown } from "@skein/errors";
import { hash53 } from "../core/hash.ts";
import { errorCode, LOCK_TIMEOUT, TYPES, type PostgresClient } from "./driver.ts";
import { functions } from "./functions.ts";
import { tables, toFormat2, toFormat3, toFormat4 } from "./tables.ts";

/** What makes each format out of the one before; the functions of the last one are made at the end. */
const MIGRATIONS: readonly ((schema: string) => string)[] = [toFormat2, toFormat3, toFormat4];

/** Whatever the server's default is: what waited for a lock has to see what the other one stored. */
export const BEGIN = "BEGIN ISOLATION LEVEL READ COMMITTED";

/** Version of the tables. A schema of a greater one is left alone. */
export const FORMAT = MIGRATIONS.length + 1;

/** From this format on migrations write no rows: giving up and trying again loses no work. */
const ROWS_STAY_FROM = 3;

const NAME = /^[A-Za-z_][A-Za-z0-9_-]{0,62}$/;

/** @throws GraphError INVALID_CONFIGURATION for a name that is not a plain one */
export function quotedSchema(name: string): string {
  if (typeof name === "string" && NAME.test(name) && !name.startsWith("pg_")) return `"${name}"`;
  throw new GraphError(
    "INVALID_CONFIGURATION",
    `${shown(name)} cannot be the schema of the checkpoints. Use letters, digits, "_" and "-", at most 63, not beginning with a digit or "pg_".`,
    { details: { schema: name } },
  );
}

/**
 * Brings a schema to the present format; does nothing to one that has it. Safe to call from several
 * processes at once.
 *
 * @throws GraphError STORAGE_NEWER for a schema of a later version, STORAGE_UNAVAILABLE for one that
 *   has tables of another program under our names, or whose tables somebody uses while they have to be
 *   changed. Nothing is changed then.
 */
export async function setupSchema(client: PostgresClient, schema: string): Promise<void> {
  const query = async (text: string, ...values: unknown[]) =>
    (await client.query({ text, values, rowMode: "array", types: TYPES })).rows;
  // one round trip where there is nothing to do; whatever else this finds is looked into below
  if ((await formatRow(query, schema)) === String(FORMAT)) return;
  await query(BEGIN);
  // others may be bringing a large database to this format
  await query("SET LOCAL lock_timeout = 0");
  // the schema's name decides who waits for whom; it is held until the transaction ends
  await query("SELECT pg_advisory_xact_lock($1)", hash53(`skein ${schema}`));
  // another process may have been faster
  const format = (await storedFormat(query, schema)) ?? 0;
  if (format === 0) await refuseOthers(query, schema);
  try {
    // whoever waits for a whole table has every run wait behind it
    if (format >= ROWS_STAY_FROM) await query("SET LOCAL lock_timeout = '5s'");
    await bringToFormat(query, schema, format);
  } catch (error) {
    throw errorCode(error) === LOCK_TIMEOUT ? tablesInUse(schema, format, error) : error;
  }
  await query("COMMIT");
}

async function bringToFormat(query: Query, schema: string, format: number): Promise<void> {
  const name = quotedSchema(schema);
  const changes = format === 0 ? [tables] : MIGRATIONS.slice(format - 1);
  for (const change of changes) await query(change(name));
  if (changes.length > 0) await query(functions(name));
  await query(
    `INSERT INTO ${name}.meta VALUES ('format', $1) ON CONFLICT (key) DO UPDATE SET value = excluded.value`,
    String(FORMAT),
  );
}

const TABLES_OF =
  "SELECT c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $1 AND c.relname = ANY ($2)";

type Query = (text: string, ...values: unknown[]) => Promise<unknown[][]>;

/** Undefined for a schema without our tables. */
async function storedFormat(query: Query, schema: string): Promise<number | undefined> {
  // not to_regclass: it may not see yet what another process made while its lock was waited for
  const [found] = await query(TABLES_OF, schema, ["meta"]);
  if (found === undefined) return undefined;
  const value = await formatRow(query, schema);
  const format = Number(value);
  if (!Number.isSafeInteger(format) || format < 1) throw foreignTables(schema, ["meta"]);
  if (format > FORMAT) throw newerFormat(schema, format);
  return format;
}

/** No such schema, no such table, or a table of that name with other columns. */
const NOT_OURS = new Set(["3F000", "42P01", "42703"]);

async function formatRow(query: Query, schema: string): Promise<unknown> {
  try {
    const [row] = await query(`SELECT value FROM ${quotedSchema(schema)}.meta WHERE key = 'format'`);
    return row?.[0];
  } catch (error) {
    if (NOT_OURS.has(errorCode(error))) return undefined;
    throw error;
  }
}

async function refuseOthers(query: Query, schema: string): Promise<void> {
  const [encoding] = await query("SHOW server_encoding");
  if (encoding?.[0] !== "UTF8") {
    throw new GraphError(
      "STORAGE_UNAVAILABLE",
      `The PostgreSQL database has the encoding ${String(encoding?.[0])}, which cannot hold every text. Nothing was changed. Create one with ENCODING 'UTF8'.`,
    );
  }
  const [exists] = await query("SELECT 1 FROM pg_namespace WHERE nspname = $1", schema);
  // creating it, even if it is there, needs a right on the database that its owner may not have
  if (exists === undefined) await query(`CREATE SCHEMA ${quotedSchema(schema)}`);
  const names = [
    "threads",
    "namespaces",
    "heads",
    "lanes",
    "names",
    "items",
    "items_key",
    "checkpoints",
    "writes",
  ];
  const rows = await query(TABLES_OF, schema, names);
  if (rows.length > 0)
    throw foreignTables(
      schema,
      rows.map(([name]) => String(name)),
    );
}

function tablesInUse(schema: string, format: number, cause: unknown): GraphError {
  return new GraphError(
    "STORAGE_UNAVAILABLE",
    `setup() has to bring the schema "${schema}" of the PostgreSQL database from format ${format} to ${FORMAT}, and another transaction kept its lock on a table of it for more than 5 seconds: a pg_dump, say, or a session that is idle in a transaction (pg_stat_activity has them). Nothing was changed. End it, or let it end, and try again.`,
    { cause, details: { schema, format, postgres: LOCK_TIMEOUT } },
  );
}

function newerFormat(schema: string, format: number): GraphError {
  return new GraphError(
    "STORAGE_NEWER",
    `The schema "${schema}" has format ${format}; this version of @skein/checkpointer reads formats up to ${FORMAT}. Nothing was changed. Update @skein/checkpointer, or give another schema.`,
    { details: { schema, format, supported: FORMAT } },
  );
}

function foreignTables(schema: string, tables: readonly string[]): GraphError {
  return new GraphError(
    "STORAGE_UNAVAILABLE",
    `The schema "${schema}" has tables of another program under names that are needed here (${tables.join(", ")}). Nothing was changed. Give another schema.`,
    { details: { schema, tables } },
  );
}
