import { GraphError } from "@skein/errors";
import type { Connection } from "./connection.ts";
import { forgetSamples } from "./sampling.ts";
import { quotedSchema } from "./schema.ts";
import { statement } from "./statement.ts";

const TABLES = ["writes", "checkpoints", "items", "names", "lanes", "namespaces", "threads"];

/**
 * Writes every table and index anew, those of a store too, without what was removed, and has the server forget
 * its samples of them. Nobody else can use them meanwhile.
 *
 * @throws GraphError STORAGE_UNAVAILABLE where one was not: the server passes over tables of others with a warning
 */
export async function writeAnew(db: Connection): Promise<void> {
  const schema = quotedSchema(db.schema);
  const hasStore = statement(`SELECT 1 FROM ${schema}.meta WHERE key = 'store_format'`);
  const tables = (await db.run(hasStore)).length > 0 ? [...TABLES, "store_items"] : TABLES;
  const before = await filesOf(db, schema, tables);
  let failure: unknown;
  try {
    await db.outside(
      tables.flatMap((table) => [forgetSamples(schema, table), `VACUUM (FULL) ${schema}.${table}`]),
    );
  } catch (error) {
    if (!isForbidden(error)) throw error;
    failure = error;
  }
  const after = await filesOf(db, schema, tables);
  const left = tables.filter((table) => before.get(table) === after.get(table));
  if (left.length > 0) throw notTheirOwner(db.schema, left, failure);
  if (failure !== undefined) throw failure;
}

/** The numbers of the files in which tables stand; a table that is written anew gets another. */
async function filesOf(
  db: Connection,
  schema: string,
  tables: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const query = statement(
    `SELECT relname, relfilenode::text FROM pg_class WHERE relnamespace = '${schema}'::regnamespace AND relname = ANY ($1)`,
  );
  return new Map(await db.run<readonly [string, string]>(query, tables));
}

const NOT_ALLOWED =
  "The user of this connection may not do it: call cleanUp() as the owner of the tables, as a superuser, or with the right MAINTAIN on them (PostgreSQL 17 or later).";
const SAMPLED =
  "The server has sampled columns of them, as earlier versions left it, and only the owner of a table has it stop: call cleanUp() as the owner, or as a superuser; the right MAINTAIN is not enough here.";

function isForbidden(error: unknown): boolean {
  return GraphError.is(error) && error.details["postgres"] === "42501";
}

/** @param cause - that the samples of a table could not be removed */
function notTheirOwner(schema: string, left: readonly string[], cause: unknown): GraphError {
  return new GraphError(
    "STORAGE_UNAVAILABLE",
    `cleanUp() has not written these tables of the PostgreSQL schema "${schema}" anew: ${left.join(", ")}. ` +
      "What was erased or deleted may still stand in their files. " +
      (cause === undefined ? NOT_ALLOWED : SAMPLED),
    { cause, details: { schema, tables: left } },
  );
}
