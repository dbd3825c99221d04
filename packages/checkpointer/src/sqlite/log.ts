import { statSync } from "node:fs";
import { rollBack, type SqliteDatabase } from "./driver.ts";

/**
 * Begins the log of a database, where it is empty, without waiting for the disk.
 *
 * SQLite waits until the header of a log that begins anew is on the disk: if the machine lost power,
 * frames of the log before, whose header the old one would still be, might be taken for new ones. In an
 * empty file there are none, and without its header the log is taken for empty: the last commits are
 * lost, as they may be with synchronous=NORMAL, and the database is whole. After a clean `close` the
 * file is empty, so each first write would wait for 4 to 14 ms, and a model with it.
 */
export function beginLog(db: SqliteDatabase): void {
  const log = logOf(db);
  if (log === undefined || !isEmpty(log)) return;
  db.exec("PRAGMA synchronous = OFF");
  try {
    db.exec("BEGIN IMMEDIATE");
    try {
      // only he who writes begins a log, and that is nobody else now
      if (isEmpty(log)) db.exec(CHANGE_A_PAGE);
      db.exec("COMMIT");
    } catch (error) {
      rollBack(db);
      throw error;
    }
  } finally {
    db.exec("PRAGMA synchronous = NORMAL");
  }
}

const NORMAL = 1;

/** How the database is kept: one statement, for this is asked before a thread's first write. */
const KEPT = `SELECT (SELECT journal_mode FROM pragma_journal_mode), (SELECT synchronous FROM pragma_synchronous),
  (SELECT file FROM pragma_database_list WHERE name = 'main')`;

/** SQLite passes over an UPDATE that changes no byte. */
const CHANGE_A_PAGE = "INSERT OR REPLACE INTO meta VALUES ('log', NULL); DELETE FROM meta WHERE key = 'log'";

/** The file of the log; undefined for a database in memory, or one that its owner keeps without a log, or surer. */
function logOf(db: SqliteDatabase): string | undefined {
  const [[mode, synchronous, file] = []] = db.prepare(KEPT).raw().all() as unknown[][];
  if (mode !== "wal" || Number(synchronous) !== NORMAL) return undefined;
  return typeof file === "string" && file !== "" ? `${file}-wal` : undefined;
}

const isEmpty = (path: string): boolean => (statSync(path, { throwIfNoEntry: false })?.size ?? 0) === 0;
