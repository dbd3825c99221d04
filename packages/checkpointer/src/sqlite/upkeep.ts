import { GraphError } from "@skein/errors";
import type { CheckpointRow, ClaimKey, NewItem } from "../core/backend.ts";
import type { Alteration, AlteredNamespace, WriteAt } from "../core/maintenance.ts";
import { fromText, toText } from "../core/names.ts";
import type { Connection } from "./connection.ts";
import { SET_HEAD } from "./heads.ts";
import { toId } from "./ids.ts";
import {
  ADD_NAMESPACE,
  COPIES,
  CREATE_COPY,
  DELETES,
  FAMILY,
  HOLDS_THREAD,
  INSERT_WRITE,
  NAMESPACE,
  NAMESPACES,
  RELATIVES,
  REMEMBER_FAMILY,
  REPLACE_CHECKPOINT,
  SCAN_CHECKPOINTS,
  SCAN_ITEMS,
} from "./queries.ts";
import { touchedBy } from "../core/inline-writes.ts";
import { scanWrites, spill } from "./inline.ts";
import type { StoredCheckpoint } from "./rows.ts";

/** Raised to leave a transaction of which nothing shall stay. */
class Refused extends Error {}

/** What the verbs beyond a run ask of a database: `Maintenance`. */
export class Upkeep {
  readonly #db: Connection;
  readonly #tenant: string;

  constructor(db: Connection, tenant: string) {
    this.#db = db;
    this.#tenant = tenant;
  }

  scanCheckpoints(nsid: number, after: number, limit: number): CheckpointRow[] {
    const rows = this.#db.all<StoredCheckpoint>(SCAN_CHECKPOINTS, nsid, after, limit);
    return rows.map(this.#db.checkpoints.row);
  }

  scanWrites(nsid: number, after: number, to: number): WriteAt[] {
    return scanWrites(this.#db, nsid, after, to);
  }

  scanItems(tid: number, lane: number, from: number, limit: number): NewItem[] {
    const rows = this.#db.all<[number, number | null, string]>(SCAN_ITEMS, tid, lane, from, limit);
    return rows.map(([ord, key, body]) => ({ lane, ord, key, body }));
  }

  alter(change: Alteration): boolean {
    return this.#refusable(change.overwrite, () => {
      const { claim } = change;
      if (this.#db.sql(HOLDS_THREAD).run([claim.tid, claim.epoch]).changes === 0) throw new Refused();
      for (const altered of change.namespaces) this.#alterNamespace(claim.tid, altered);
      for (const { lane, name } of change.lanes) {
        this.#db.sql("INSERT INTO lanes VALUES (?, ?, ?)").run([claim.tid, lane, toText(name)]);
      }
      const put = this.#db.sql("INSERT OR REPLACE INTO items VALUES (?, ?, ?, ?, ?)");
      for (const { lane, ord, key, body } of change.items) put.run([claim.tid, lane, ord, key, body]);
      const drop = this.#db.sql("DELETE FROM items WHERE tid = ? AND lane = ? AND ord >= ? AND ord < ?");
      for (const { lane, from, to } of change.dropItems) drop.run([claim.tid, lane, from, to]);
    });
  }

  #alterNamespace(tid: number, altered: AlteredNamespace): void {
    const name = toText(altered.name);
    this.#db.sql(ADD_NAMESPACE).run([tid, name]);
    const [nsid, head, next] = this.#db.sql(NAMESPACE).get([tid, name]) as [number, number | null, number];
    const { seen } = altered;
    if (seen !== undefined && (seen.head !== head || seen.next !== next)) throw new Refused();
    for (const seq of touchedBy(altered)) spill(this.#db, nsid, seq);
    for (const table of ["checkpoints", "writes"]) {
      const drop = this.#db.sql(`DELETE FROM ${table} WHERE nsid = ? AND seq = ?`);
      for (const seq of altered.drop) drop.run([nsid, seq]);
    }
    const put = this.#db.sql(REPLACE_CHECKPOINT);
    for (const row of altered.checkpoints) put.run([nsid, ...this.#db.checkpoints.of(row)]);
    const write = this.#db.sql(INSERT_WRITE);
    for (const { seq, task, slot, body } of altered.writes) write.run([nsid, seq, toId(task), slot, body]);
    this.#db.sql(SET_HEAD).run([altered.head, altered.next, nsid]);
  }

  copy(tid: number, threadId: string, now: number): boolean {
    return this.#refusable(false, () => {
      const id = toText(threadId);
      const created = this.#db.sql(CREATE_COPY).run([this.#tenant, id, now, now, tid, this.#tenant]);
      if (created.changes === 0) throw new Refused();
      const [copy] = this.#db
        .sql("SELECT tid FROM threads WHERE tenant = ? AND thread_id = ?")
        .get([this.#tenant, id]) as [number];
      const [family] = this.#db.sql(FAMILY).get([tid, tid]) as [string];
      for (const of of [tid, copy]) this.#db.sql(REMEMBER_FAMILY).run([of, family]);
      for (const { sql, order } of COPIES) {
        this.#db.sql(sql).run(order.map((which) => (which === "new" ? copy : tid)));
      }
    });
  }

  relatives(tid: number): string[] {
    const rows = this.#db.all<[string]>(RELATIVES, tid, tid, this.#tenant);
    return rows.map(([threadId]) => fromText(threadId));
  }

  delete(threadId: string, held?: ClaimKey): void {
    const row = this.#db.get<[number]>(
      "SELECT tid FROM threads WHERE tenant = ? AND thread_id = ?",
      this.#tenant,
      toText(threadId),
    );
    if (row === undefined) return;
    this.#refusable(true, () => {
      if (held !== undefined) this.#requireHidden(threadId, held);
      for (const sql of DELETES) this.#db.sql(sql).run(row);
    });
  }

  cleanUp(): void {
    // an index of words keeps those of deleted items until its parts are merged
    const hasStore = this.#db.get("SELECT 1 FROM meta WHERE key = 'store_format'") !== undefined;
    if (hasStore) this.#db.run("INSERT INTO store_text (store_text) VALUES ('optimize')");
    this.#db.run("VACUUM");
    const [busy] = this.#db.get<[number]>("PRAGMA wal_checkpoint(TRUNCATE)") ?? [0];
    if (busy !== 0) throw readElsewhere(this.#db.path);
  }

  #requireHidden(threadId: string, { tid, epoch }: ClaimKey): void {
    const id = toText(threadId);
    const isHeld = this.#db.sql(HOLDS_THREAD).run([tid, epoch]).changes > 0;
    // not `get`: libsql's first one after an `all` of the same statement answers what that was asked
    if (!isHeld || this.#db.all(NAMESPACES, this.#tenant, id, id).length > 0) throw new Refused();
  }

  /** A transaction of which nothing stays when it is refused. False: it was. */
  #refusable(overwrite: boolean, body: () => void): boolean {
    // what is removed is overwritten, and does not stay readable in free pages or in the log; `get`,
    // because `run` leaves a statement open that answers with a row, and then VACUUM is refused
    if (overwrite) this.#db.get("PRAGMA secure_delete = ON");
    try {
      this.#db.transaction(body);
      return true;
    } catch (error) {
      if (error instanceof Refused) return false;
      throw error;
    } finally {
      if (overwrite) {
        this.#db.get("PRAGMA secure_delete = OFF");
        this.#db.get("PRAGMA wal_checkpoint(TRUNCATE)");
      }
    }
  }
}

function readElsewhere(path: string): GraphError {
  return new GraphError(
    "STORAGE_UNAVAILABLE",
    `The log of database "${path}" cannot be emptied while another process reads it, and may still hold removed bytes. Nothing else is left to do: clean up again when that process has ended.`,
    { details: { path } },
  );
}
