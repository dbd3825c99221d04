import { CONFLICT, explained, isLocked, rollBack, type SqliteDatabase } from "./driver.ts";
import { FORMAT, notMigrated, refuseStrangers, storedFormat } from "./format.ts";
import { HEADS, HEADS_OF_FORMAT_2 } from "./heads.ts";

/** Items that the common commit carries; a bigger one is a transaction. */
export const INLINE_ITEMS = 2;

/** What every step brings, and most bring nothing else. A value that is bound costs as much as one that is stored. */
const PLAIN_COLUMNS =
  "tid, epoch, generation, nsid, seq, cid, parent, base, ts, metadata, manifest, writes, release".split(", ");
const MOVED_COLUMNS = ["parent_cid", "moved_lane", "moved_ord", "moved"];
const itemColumns = (count: number): string[] =>
  Array.from({ length: count }, (_, i) => [`lane${i}`, `ord${i}`, `key${i}`, `body${i}`]).flat();
const STEP_COLUMNS: readonly string[] = [...PLAIN_COLUMNS, ...MOVED_COLUMNS, ...itemColumns(INLINE_ITEMS)];

/**
 * Pages that the log may have before SQLite folds it into the file, which waits for the disk. A
 * step with items writes about five; with SQLite's own 1,000 every second run of 100 steps would wait.
 */
const LOG_PAGES = 4000;

/**
 * The common commit as one statement: see `TRIGGER`. Binds a plain step, then its items, then the id of a
 * parent that is not stored and the value that was moved.
 *
 * @param moves - whether it binds the last of these
 * @param steps - how many of the same form it stores
 */
export function insertSteps(items: number, moves: boolean, steps: 1 | 2): string {
  const form = items + (INLINE_ITEMS + 1) * (moves ? 1 : 0);
  return INSERTS[steps][form] as string;
}

const INSERTS = { 1: forms(1), 2: forms(2) };

function forms(steps: number): string[] {
  return [[], MOVED_COLUMNS].flatMap((moved) =>
    Array.from({ length: INLINE_ITEMS + 1 }, (_, items) => {
      const columns = [...PLAIN_COLUMNS, ...itemColumns(items), ...moved];
      const step = `(${columns.map(() => "?").join(", ")})`;
      return `INSERT INTO commit_step (${columns.join(", ")}) VALUES ${Array.from({ length: steps }, () => step).join(", ")}`;
    }),
  );
}

/** The same within a transaction of several: see `TOGETHER`. */
export const INSERT_TOGETHER = `INSERT OR ROLLBACK INTO commit_together (${PLAIN_COLUMNS.join(", ")})
  VALUES (${PLAIN_COLUMNS.map(() => "?").join(", ")})`;

/** The thread is as it was found and, where there is a claim, it still holds. A plain put has none. */
const HELD = `EXISTS (SELECT 1 FROM threads WHERE tid = NEW.tid AND generation = NEW.generation
    AND (NEW.epoch IS NULL OR epoch = NEW.epoch))`;

const storeCheckpoint = (parentId: string): string =>
  `INSERT INTO checkpoints VALUES (NEW.nsid, NEW.seq, NEW.cid, NEW.parent, ${parentId}, NEW.base, NEW.ts,
    NEW.metadata, NEW.manifest, NEW.writes);`;

const TABLES = `
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;

CREATE TABLE threads (
  tid INTEGER PRIMARY KEY AUTOINCREMENT,
  tenant TEXT NOT NULL DEFAULT '',
  thread_id TEXT NOT NULL,
  epoch INTEGER NOT NULL DEFAULT 0,
  generation INTEGER NOT NULL DEFAULT 0,
  owner TEXT,
  lease_until INTEGER,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  UNIQUE (tenant, thread_id)
);

CREATE TABLE namespaces (
  nsid INTEGER PRIMARY KEY AUTOINCREMENT,
  tid INTEGER NOT NULL,
  ns TEXT NOT NULL,
  moved_to INTEGER,
  next INTEGER NOT NULL DEFAULT 1,
  UNIQUE (tid, ns)
);

CREATE TABLE lanes (tid INTEGER, lane INTEGER, name TEXT, PRIMARY KEY (tid, lane), UNIQUE (tid, name)) WITHOUT ROWID;

CREATE TABLE items (tid INTEGER, lane INTEGER, ord INTEGER, key INTEGER, body, PRIMARY KEY (tid, lane, ord));
CREATE INDEX items_key ON items (tid, lane, key, ord) WHERE key IS NOT NULL;

CREATE TABLE writes (
  nsid INTEGER, seq INTEGER, task TEXT, slot INTEGER, body TEXT,
  PRIMARY KEY (nsid, seq, task, slot)
) WITHOUT ROWID;
`;

/**
 * `ts` in milliseconds since 1970, or as text where it is no such time. `writes`: what the commit of
 * the checkpoint brought with it, as `inline-writes.ts` tells. `names`: see `Dictionary`.
 */
const CHECKPOINTS = `
CREATE TABLE names (n INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);

CREATE TABLE checkpoints (
  nsid INTEGER, seq INTEGER, cid TEXT, parent INTEGER, parent_cid TEXT, base INTEGER NOT NULL,
  ts, metadata TEXT, manifest TEXT, writes TEXT,
  PRIMARY KEY (nsid, seq), UNIQUE (nsid, cid)
) WITHOUT ROWID;
`;

/**
 * The common commit is one INSERT into a view. Its trigger compares the claim and stores the
 * checkpoint with its writes and up to two items: one call of the driver and one implicit
 * transaction, where a written-out one takes five calls and more. A head that is another one than was
 * seen has the checkpoint's number, unless it was moved, which raises the generation.
 */
const TRIGGER = `
CREATE VIEW commit_step AS SELECT ${STEP_COLUMNS.map((column) => `NULL AS ${column}`).join(", ")};

CREATE TRIGGER commit_step_insert INSTEAD OF INSERT ON commit_step BEGIN
  SELECT RAISE(ABORT, '${CONFLICT}') WHERE NOT ${HELD};
  ${storeCheckpoint("NEW.parent_cid")}
${Array.from(
  { length: INLINE_ITEMS },
  (_, i) =>
    `  INSERT INTO items SELECT NEW.tid, NEW.lane${i}, NEW.ord${i}, NEW.key${i}, NEW.body${i} WHERE NEW.body${i} IS NOT NULL;`,
).join("\n")}
  UPDATE items SET body = NEW.moved
    WHERE NEW.moved IS NOT NULL AND tid = NEW.tid AND lane = NEW.moved_lane AND ord = NEW.moved_ord;
  UPDATE threads SET owner = NULL, lease_until = NULL WHERE NEW.release = 1 AND tid = NEW.tid AND epoch = NEW.epoch;
END;
`;

/**
 * A plain step among others, for one connection. In a transaction a statement that may be undone by
 * itself keeps a copy of each page that it changes, which takes a third of its time; this one undoes
 * the whole.
 */
export const TOGETHER = `
CREATE TEMP VIEW IF NOT EXISTS commit_together AS SELECT ${PLAIN_COLUMNS.map((column) => `NULL AS ${column}`).join(", ")};

CREATE TEMP TRIGGER IF NOT EXISTS commit_together_insert INSTEAD OF INSERT ON commit_together BEGIN
  SELECT RAISE(ROLLBACK, '${CONFLICT}') WHERE NOT ${HELD};
  ${storeCheckpoint("NULL")}
  UPDATE threads SET owner = NULL, lease_until = NULL WHERE NEW.release = 1 AND tid = NEW.tid AND epoch = NEW.epoch;
END;
`;

const TIME = "CAST(round((julianday(ts) - 2440587.5) * 86400000) AS INTEGER)";

/** What makes each format out of the one before. */
const MIGRATIONS: readonly string[] = [
  `
DROP VIEW commit_step;
ALTER TABLE checkpoints RENAME TO checkpoints_1;
${CHECKPOINTS}
INSERT INTO checkpoints SELECT nsid, seq, cid, parent, parent_cid, base,
    CASE WHEN strftime('%Y-%m-%dT%H:%M:%fZ', ${TIME} / 1000.0, 'unixepoch') IS ts THEN ${TIME} ELSE ts END,
    metadata, manifest, NULL FROM checkpoints_1;
DROP TABLE checkpoints_1;`,
  `
DROP VIEW IF EXISTS commit_step;
${HEADS_OF_FORMAT_2}
${TRIGGER}`,
];

/**
 * Brings a database to the present format; does nothing to one that has it. Safe to call from
 * several processes at once.
 *
 * @throws GraphError STORAGE_NEWER for a database of a later version, STORAGE_UNAVAILABLE for one
 *   that has tables of another program under our names or, unless `alongside`, any. Nothing is
 *   changed then.
 */
export function setupSchema(db: SqliteDatabase, path: string, alongside: boolean): void {
  const found = storedFormat(db, path);
  if (found === FORMAT) {
    tune(db);
    return;
  }
  if (!alongside && found === undefined) refuseStrangers(db, path);
  // before any table: the mode is a property of the file, and cannot change within a transaction
  waiting(() => db.exec("PRAGMA journal_mode = WAL"));
  tune(db);
  db.exec("BEGIN IMMEDIATE");
  try {
    // another process may have been faster
    const format = storedFormat(db, path);
    if (format === undefined) db.exec(TABLES + CHECKPOINTS + HEADS + TRIGGER);
    else migrate(db, path, format);
    db.prepare("INSERT OR REPLACE INTO meta VALUES ('format', ?)").run(String(FORMAT));
    db.exec("COMMIT");
  } catch (error) {
    rollBack(db);
    throw error;
  }
}

function migrate(db: SqliteDatabase, path: string, format: number): void {
  try {
    for (const migration of MIGRATIONS.slice(format - 1)) db.exec(migration);
  } catch (error) {
    // what a driver means is explained by whoever opens the database
    throw explained(path, error) === error ? notMigrated(path, format, error) : error;
  }
}

/** As long as `busy_timeout`, which SQLite does not heed where two want to change the mode at once. */
function waiting(change: () => unknown): void {
  for (let left = 500; ; left -= 1) {
    try {
      change();
      return;
    } catch (error) {
      if (left === 0 || !isLocked(error)) throw error;
    }
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
  }
}

function tune(db: SqliteDatabase): void {
  db.exec("PRAGMA synchronous = NORMAL");
  db.exec(`PRAGMA wal_autocheckpoint = ${LOG_PAGES}`);
}
