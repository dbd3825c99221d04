import { GraphError, thrownMessage } from "@skein/errors";
import { isLocked, type SqliteDatabase } from "./driver.ts";

/** Version of the tables. A database of a greater one is left alone. */
export const FORMAT = 3;

/** Tables and views of the present format. */
const OURS = new Set([
  "meta",
  "names",
  "threads",
  "namespaces",
  "lanes",
  "items",
  "checkpoints",
  "writes",
  "commit_step",
  "heads",
]);

/** @throws GraphError STORAGE_UNAVAILABLE for a database with tables, none of which are ours */
export function refuseStrangers(db: SqliteDatabase, path: string): void {
  const tables = namesIn(db).filter((name) => !name.startsWith("sqlite_"));
  // with ours among them, another process has made them since somebody looked
  if (tables.length === 0 || tables.some((name) => OURS.has(name))) return;
  throw new GraphError(
    "STORAGE_UNAVAILABLE",
    `The database "${path}" belongs to another program: it has ${tables.length} tables (${tables.slice(0, 3).join(", ")} ...) and none of ours. Nothing was changed. ` +
      "Give another path, or pass {alongside: true} to make ours in this database, too.",
    // for who words the advice in another way: what would allow it
    { details: { path, tables, option: "alongside" } },
  );
}

/** What came with a format after the first. */
const SINCE: Readonly<Record<string, number>> = { names: 2, heads: 3 };

const isOf = (format: number, name: string): boolean => (SINCE[name] ?? 1) <= format;

const missing = (names: readonly string[], format: number): string[] =>
  [...OURS].filter((name) => isOf(format, name) && !names.includes(name));

function namesIn(db: SqliteDatabase): string[] {
  const names = db.prepare("SELECT name FROM sqlite_master WHERE type IN ('table', 'view')").raw().all();
  return (names as [string][]).map(([name]) => name);
}

/** One statement, for a thread waits for it: fails where there is no table `meta`. */
const FORMAT_AND_TABLES = `SELECT (SELECT value FROM meta WHERE key = 'format'), (SELECT count(*) FROM sqlite_master
  WHERE type IN ('table', 'view') AND name IN (${[...OURS].map((name) => `'${name}'`).join(", ")}))`;

/** Whether a database has the present format and all tables; false, too, where there is no table to tell. */
function isPresent(db: SqliteDatabase): boolean {
  try {
    const [[format, tables] = []] = db.prepare(FORMAT_AND_TABLES).raw().all() as unknown[][];
    return Number(format) === FORMAT && Number(tables) === OURS.size;
  } catch (error) {
    // it has been waited for
    if (isLocked(error)) throw error;
    return false;
  }
}

/** The format of a database; undefined for one that has none of our tables. Reads only. */
export function storedFormat(db: SqliteDatabase, path: string): number | undefined {
  if (isPresent(db)) return FORMAT;
  const found = namesIn(db).filter((name) => OURS.has(name));
  if (found.length === 0) return undefined;
  const value = found.includes("meta") && found.includes("namespaces") ? formatRow(db) : undefined;
  if (value === undefined || value < 1) throw foreignTables(path, found);
  if (value > FORMAT) throw newerFormat(path, value);
  const strangers = found.filter((name) => !isOf(value, name));
  if (strangers.length === 0 && missing(found, value).length === 0) return value;
  // looked at again: another process may have brought the format up to date since
  if (isPresent(db)) return FORMAT;
  if (strangers.length > 0) throw foreignTables(path, strangers);
  const lost = missing(namesIn(db), value);
  if (lost.length > 0) throw lostTables(path, lost);
  return value;
}

function formatRow(db: SqliteDatabase): number | undefined {
  const row = db.prepare("SELECT value FROM meta WHERE key = 'format'").raw().get() as [string] | undefined;
  const format = Number(row?.[0]);
  return Number.isInteger(format) ? format : undefined;
}

/** @throws GraphError STORAGE_UNAVAILABLE for a format that would have to be migrated, which reading may not do */
export function refuseOlder(path: string, format: number): void {
  if (format === FORMAT) return;
  throw new GraphError(
    "STORAGE_UNAVAILABLE",
    `The database "${path}" has format ${format}, and format ${FORMAT} is read. Open it once without readOnly: that brings it to the present format.`,
    { details: { path, format, supported: FORMAT } },
  );
}

/** @param error - of a driver, from a migration that was undone */
export function notMigrated(path: string, format: number, error: unknown): GraphError {
  return new GraphError(
    "STORAGE_UNAVAILABLE",
    `The database "${path}" has format ${format} and could not be brought to format ${FORMAT}: ${thrownMessage(error)}. Nothing was changed. ` +
      "Where a view of another program is in the way, drop it and open the database again.",
    { cause: error, details: { path, format, supported: FORMAT } },
  );
}

function lostTables(path: string, tables: readonly string[]): GraphError {
  return new GraphError(
    "STORAGE_CORRUPT",
    `The database "${path}" has lost tables or views that we made (${tables.join(", ")}). Nothing was changed. Restore it from a backup.`,
    { details: { path, tables } },
  );
}

function newerFormat(path: string, format: number): GraphError {
  return new GraphError(
    "STORAGE_NEWER",
    `The database "${path}" has format ${format}; this version of @skein/checkpointer reads formats up to ${FORMAT}. Nothing was changed. Update @skein/checkpointer, or give another path.`,
    { details: { path, format, supported: FORMAT } },
  );
}

function foreignTables(path: string, tables: readonly string[]): GraphError {
  return new GraphError(
    "STORAGE_UNAVAILABLE",
    `The database "${path}" has tables of another program under names that are needed here (${tables.join(", ")}). Nothing was changed. ` +
      "Give another path. (LangGraph's SqliteSaver has such tables; its threads are copied from there by migrateThread, or skein migrate.)",
    { details: { path, tables } },
  );
}
