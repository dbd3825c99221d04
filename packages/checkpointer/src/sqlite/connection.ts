import { GraphError } from "@skein/errors";
import { fromText, toText } from "../core/names.ts";
import { guarded, isLocked, type SqliteDatabase, type SqliteStatement } from "./driver.ts";
import { WriteGroup } from "./group.ts";
import { beginLog } from "./log.ts";
import { Dictionary } from "../manifest/dictionary.ts";
import type { Manifest } from "../manifest/manifest.ts";
import { refuseOlder, refuseStrangers, storedFormat } from "./format.ts";
import { setupSchema, TOGETHER } from "./schema.ts";
import { columnsWith, type Columns } from "./rows.ts";

export interface ConnectionOptions {
  /** For messages, and to measure the file. */
  readonly path: string;
  readonly readOnly: boolean;
  /** Whether tables may be made beside those of another program. Default: true. */
  readonly alongside?: boolean;
}

/** A database with its statements prepared once. No call leaves a transaction open. */
export class Connection {
  readonly path: string;
  /** Checkpoints as this database stores them. */
  readonly checkpoints: Columns = columnsWith(new Dictionary(() => this.#readNames()));
  /** Writes that are stored together. */
  readonly group = new WriteGroup((body) => this.together(body));
  readonly #db: SqliteDatabase;
  readonly #readOnly: boolean;
  readonly #alongside: boolean;
  readonly #statements = new Map<string, SqliteStatement>();
  /** Statements that met a lock, to be used once more: see `#finish`. */
  readonly #unfinished: (() => unknown)[] = [];
  #ready = false;
  #hasLog = false;
  #within = false;
  #knowsTogether = false;
  #isTogether = false;
  /** A database that is only read and has no tables holds nothing. */
  #empty = false;

  constructor(db: SqliteDatabase, { path, readOnly, alongside = true }: ConnectionOptions) {
    this.#db = db;
    this.path = path;
    this.#readOnly = readOnly;
    this.#alongside = alongside;
  }

  setup(): void {
    if (this.#ready) return;
    if (!this.#readOnly) this.#refuseTransaction();
    guarded(this.path, () => {
      this.#db.exec("PRAGMA busy_timeout = 5000");
      if (this.#readOnly) {
        this.#db.exec("PRAGMA query_only = ON");
        const format = storedFormat(this.#db, this.path);
        if (format !== undefined) refuseOlder(this.path, format);
        this.#empty = format === undefined;
        if (this.#empty && !this.#alongside) refuseStrangers(this.#db, this.path);
      } else setupSchema(this.#db, this.path, this.#alongside);
    });
    this.#ready = true;
  }

  /** @throws GraphError STORAGE_CORRUPT */
  check(): void {
    const found = this.all<[string]>("PRAGMA integrity_check(10)").map(([text]) => text);
    if (found.length === 1 && found[0] === "ok") return;
    throw new GraphError(
      "STORAGE_CORRUPT",
      `The database "${this.path}" is damaged: ${found.join("; ")}. Nothing was changed. Restore it from a backup, or recover what can be read with \`sqlite3 FILE .recover\`.`,
      { details: { path: this.path, found } },
    );
  }

  close(): void {
    this.group.flush();
    // by another saver that has it, or by the program
    if (this.#db.open === false) return;
    try {
      if (this.#ready && !this.#readOnly) this.#foldLog();
    } finally {
      this.#ready = false;
      this.#statements.clear();
      this.#db.close();
    }
  }

  /** So that the file holds everything by itself; while others read, their last one does it. */
  #foldLog(): void {
    try {
      this.#db.exec("PRAGMA busy_timeout = 0");
      this.get("PRAGMA wal_checkpoint(TRUNCATE)");
    } catch (error) {
      // on a full disk the log goes on holding it
      if (!GraphError.is(error, "STORAGE_UNAVAILABLE")) throw error;
    }
  }

  /** A prepared statement, made once. */
  sql(sql: string): SqliteStatement {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      this.setup();
      statement = this.#db.prepare(sql);
      statement.safeIntegers?.(false);
      if (/^(SELECT|PRAGMA|WITH)/.test(sql)) statement.raw();
      this.#statements.set(sql, statement);
    }
    return statement;
  }

  run(sql: string, ...parameters: unknown[]): number {
    return guarded(this.path, () => this.write(sql, parameters).changes);
  }

  /** Like `run`, with errors of the driver as they are. */
  write(sql: string, parameters: readonly unknown[]): ReturnType<SqliteStatement["run"]> {
    if (!this.#within) this.#refuseTransaction();
    if (!this.#hasLog) this.#beginLog();
    this.#finish();
    const statement = this.sql(sql);
    try {
      return statement.run(parameters);
    } catch (error) {
      if (isLocked(error)) this.#unfinished.push(() => statement.run(parameters));
      throw error;
    }
  }

  /** What is stored within a transaction of the program's own could be undone after it was acknowledged. */
  #refuseTransaction(): void {
    // libsql ends the process when it is asked of a database that was closed
    if (this.#db.open === false || this.#db.inTransaction !== true) return;
    throw new GraphError(
      "STORAGE_UNAVAILABLE",
      `The program has a transaction open on the database "${this.path}", with which everything that is stored now could be undone. Nothing was changed. End it first, or give the saver a database of its own.`,
      { details: { path: this.path } },
    );
  }

  #beginLog(): void {
    this.setup();
    if (!this.#readOnly) beginLog(this.#db);
    this.#hasLog = true;
  }

  /** The number of the row that was inserted; undefined where none was. */
  insert(sql: string, ...parameters: unknown[]): number | undefined {
    return guarded(this.path, () => {
      const { changes, lastInsertRowid } = this.write(sql, parameters);
      return changes === 0 ? undefined : Number(lastInsertRowid);
    });
  }

  get<Row>(sql: string, ...parameters: unknown[]): Row | undefined {
    return guarded(this.path, () => {
      if (this.#nothingToRead()) return undefined;
      return this.sql(sql).get(parameters) as Row | undefined;
    });
  }

  /**
   * libsql leaves a write that met a lock unfinished. While one is, SQLite commits no other write of
   * this connection, says that it did, and takes them back when that statement is used again. So it is
   * made to end first, in a transaction that is undone.
   */
  #finish(): void {
    if (this.#unfinished.length === 0 || this.#within) return;
    this.#db.exec("BEGIN IMMEDIATE");
    for (const again of this.#unfinished.splice(0)) {
      try {
        again();
      } catch {
        // ended, too
      }
    }
    this.#rollBack();
  }

  all<Row>(sql: string, ...parameters: unknown[]): Row[] {
    return guarded(this.path, () => {
      if (this.#nothingToRead()) return [];
      return this.sql(sql).all(parameters) as Row[];
    });
  }

  /** Gives numbers to the names of a manifest that have none yet, before it is stored. */
  learnNames(manifest: Manifest): void {
    const { names } = this.checkpoints;
    if (names.missing(manifest) === undefined) return;
    this.#readNames();
    const missing = names.missing(manifest);
    if (missing === undefined) return;
    this.transaction(() => {
      for (const name of missing)
        this.sql("INSERT OR IGNORE INTO names (name) VALUES (?)").run([toText(name)]);
    });
    this.#readNames();
  }

  #readNames(): void {
    const { names } = this.checkpoints;
    const rows = this.all<[number, string]>("SELECT n, name FROM names WHERE n > ? ORDER BY n", names.last);
    names.add(rows.map(([n, name]) => [n, fromText(name)]));
  }

  #nothingToRead(): boolean {
    this.setup();
    return this.#empty;
  }

  /** Whether several writes are being made in one transaction. */
  get isTogether(): boolean {
    return this.#isTogether;
  }

  /** A transaction of several writes, any of which may undo it: `INSERT_TOGETHER` is known in it. */
  together<T>(body: () => T): T {
    if (!this.#knowsTogether) {
      this.setup();
      this.#refuseTransaction();
      guarded(this.path, () => this.#db.exec(TOGETHER));
      this.#knowsTogether = true;
    }
    return this.transaction(() => {
      this.#isTogether = true;
      try {
        return body();
      } finally {
        this.#isTogether = false;
      }
    });
  }

  /** One within another is part of it: what fails in it must fail the whole. */
  transaction<T>(body: () => T): T {
    if (this.#within) return body();
    return guarded(this.path, () => {
      this.write("BEGIN IMMEDIATE", []);
      this.#within = true;
      try {
        const result = body();
        this.sql("COMMIT").run();
        return result;
      } catch (error) {
        this.#rollBack();
        throw error;
      } finally {
        this.#within = false;
      }
    });
  }

  #rollBack(): void {
    try {
      this.sql("ROLLBACK").run();
    } catch {
      // a full disk or a failed read has ended the transaction already
    }
  }
}
