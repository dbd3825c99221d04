import { GraphError } from "@skein/errors";
import type { Connection } from "../../sqlite/connection.ts";

/** Version of the store's tables. A database of a greater one is left alone. */
const FORMAT = 1;

/** Stands beside the savers' tables: one file may hold threads and items. */
const TABLES = [
  // ids are never given twice: they are the order in which items came to be
  `CREATE TABLE store_items (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    ns BLOB NOT NULL,
    key BLOB NOT NULL,
    value TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    ttl INTEGER,
    expires_at INTEGER,
    UNIQUE (ns, key)
  )`,
  "CREATE INDEX store_items_expiry ON store_items (expires_at) WHERE expires_at IS NOT NULL",
  // rowid is the item's id; terms are made by `search/`, so that ASCII blanks part them
  "CREATE VIRTUAL TABLE store_text USING fts5 (terms, content='', contentless_delete=1, tokenize='ascii')",
  `CREATE TABLE store_vectors (
    item INTEGER NOT NULL, n INTEGER NOT NULL, vector BLOB NOT NULL, PRIMARY KEY (item, n)
  ) WITHOUT ROWID`,
  // whatever removes an item removes what it was found by
  `CREATE TRIGGER store_items_removed AFTER DELETE ON store_items BEGIN
    DELETE FROM store_text WHERE rowid = OLD.id;
    DELETE FROM store_vectors WHERE item = OLD.id;
  END`,
];

/**
 * Makes the store's tables where there are none. Safe to call from several processes at once.
 *
 * @throws GraphError STORAGE_NEWER for tables of a later version; nothing is changed then
 */
export function setupStoreSchema(connection: Connection): void {
  connection.setup();
  if (stored(connection)) return;
  connection.transaction(() => {
    // another process may have been faster
    if (stored(connection)) return;
    for (const table of TABLES) connection.run(table);
    connection.run("INSERT INTO meta VALUES ('store_format', ?)", String(FORMAT));
  });
}

function stored(connection: Connection): boolean {
  const row = connection.get<[string]>("SELECT value FROM meta WHERE key = 'store_format'");
  if (row === undefined) return false;
  const format = Number(row[0]);
  if (format <= FORMAT) return true;
  throw new GraphError(
    "STORAGE_NEWER",
    `The store in the database "${connection.path}" has format ${format}; this version of @skein/checkpointer reads formats up to ${FORMAT}. Nothing was changed. Update @skein/checkpointer, or give another path.`,
    { details: { path: connection.path, format, supported: FORMAT } },
  );
}
