import { statSync } from "node:fs";
import type {
  Backend,
  CheckpointRow,
  ClaimKey,
  ClaimRequest,
  CommitOutcome,
  CommitRow,
  HeadRow,
  ItemRow,
  LaneRow,
  NamespaceRow,
  SizesRow,
  ThreadPosition,
  ThreadRow,
  WriteRow,
} from "../core/backend.ts";
import { PROCESSES } from "../core/owner.ts";
import { type Manifest } from "../manifest/manifest.ts";
import { parseManifest, printManifest } from "../manifest/text.ts";
import {
  CONFLICT,
  explained,
  guarded,
  isConflict,
  isTaken,
  type SqliteDatabase,
  type SqliteStatement,
} from "./driver.ts";
import { fromText, toText } from "./ids.ts";
import { INLINE_ITEMS, INSERT_STEP, setupSchema, storedFormat } from "./schema.ts";

/** Most bound parameters of one query. */
const MAX_PARAMETERS = 500;

export interface SqliteBackendOptions {
  /** For messages, and to measure the file. */
  readonly path: string;
  readonly readOnly: boolean;
}

/** Rows in a SQLite database. Answers every call with a value; no call leaves a transaction open. */
export class SqliteBackend implements Backend {
  readonly ownership = PROCESSES;
  readonly #db: SqliteDatabase;
  readonly #path: string;
  readonly #readOnly: boolean;
  readonly #statements = new Map<string, SqliteStatement>();
  #ready = false;
  /** A database that is only read and has no tables holds nothing. */
  #empty = false;

  constructor(db: SqliteDatabase, { path, readOnly }: SqliteBackendOptions) {
    this.#db = db;
    this.#path = path;
    this.#readOnly = readOnly;
  }

  setup(): void {
    if (this.#ready) return;
    guarded(this.#path, () => {
      this.#db.exec("PRAGMA busy_timeout = 5000");
      if (this.#readOnly) {
        this.#db.exec("PRAGMA query_only = ON");
        this.#empty = storedFormat(this.#db, this.#path) === undefined;
      } else setupSchema(this.#db, this.#path);
    });
    this.#ready = true;
  }

  close(): void {
    // so that the file holds everything by itself; while others read, their last one does it
    if (this.#ready && !this.#readOnly) {
      this.#db.exec("PRAGMA busy_timeout = 0");
      this.#get("PRAGMA wal_checkpoint(TRUNCATE)");
    }
    this.#ready = false;
    this.#statements.clear();
    this.#db.close();
  }

  /** A prepared statement, made once. */
  #sql(sql: string): SqliteStatement {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      this.setup();
      statement = this.#db.prepare(sql);
      if (/^(SELECT|PRAGMA|WITH)/.test(sql)) statement.raw();
      this.#statements.set(sql, statement);
    }
    return statement;
  }

  #run(sql: string, ...parameters: unknown[]): number {
    return guarded(this.#path, () => this.#sql(sql).run(parameters).changes);
  }

  #get<Row>(sql: string, ...parameters: unknown[]): Row | undefined {
    return guarded(this.#path, () => {
      if (this.#nothingToRead()) return undefined;
      return this.#sql(sql).get(parameters) as Row | undefined;
    });
  }

  #all<Row>(sql: string, ...parameters: unknown[]): Row[] {
    return guarded(this.#path, () => {
      if (this.#nothingToRead()) return [];
      return this.#sql(sql).all(parameters) as Row[];
    });
  }

  #nothingToRead(): boolean {
    this.setup();
    return this.#empty;
  }

  #transaction<T>(body: () => T): T {
    return guarded(this.#path, () => {
      this.#sql("BEGIN IMMEDIATE").run();
      try {
        const result = body();
        this.#sql("COMMIT").run();
        return result;
      } catch (error) {
        this.#sql("ROLLBACK").run();
        throw error;
      }
    });
  }

  find(threadId: string, namespace: string): HeadRow | undefined {
    const row = this.#get<
      [
        number,
        number,
        number,
        string | null,
        number | null,
        number | null,
        number | null,
        number | null,
        string | null,
        number,
      ]
    >(FIND, toText(namespace), toText(threadId));
    if (row === undefined) return undefined;
    const [tid, epoch, generation, owner, leaseUntil, nsid, head, next, headId, pending] = row;
    return {
      tid,
      epoch,
      generation,
      owner,
      leaseUntil,
      nsid,
      head,
      headId: headId === null ? null : fromText(headId),
      next: next ?? 1,
      pending: pending === 1,
    };
  }

  claim(request: ClaimRequest): HeadRow | undefined {
    const { owner, leaseUntil, now, seen } = request;
    if (seen === undefined || seen.nsid === null) return this.#transaction(() => this.#claimNew(request));
    const changes = this.#run(CLAIM, owner, leaseUntil, now, seen.tid, seen.epoch);
    if (changes === 0) return undefined;
    return { ...seen, epoch: seen.epoch + 1, owner, leaseUntil };
  }

  #claimNew({ threadId, namespace, owner, leaseUntil, now, seen }: ClaimRequest): HeadRow | undefined {
    if (seen === undefined) {
      const created = this.#run(CREATE, toText(threadId), now, now);
      if (created === 0) return undefined;
    }
    const row = this.find(threadId, namespace);
    if (row === undefined) return undefined;
    if (this.#run(CLAIM, owner, leaseUntil, now, row.tid, seen?.epoch ?? 0) === 0) return undefined;
    if (row.nsid === null) this.#run(ADD_NAMESPACE, row.tid, toText(namespace));
    return this.find(threadId, namespace);
  }

  create(threadId: string, now: number): void {
    this.#run(CREATE, toText(threadId), now, now);
  }

  renew(claims: readonly ClaimKey[], leaseUntil: number): void {
    for (const { tid, epoch } of claims) {
      this.#run("UPDATE threads SET lease_until = ? WHERE tid = ? AND epoch = ?", leaseUntil, tid, epoch);
    }
  }

  release({ tid, epoch }: ClaimKey): void {
    this.#run(RELEASE, tid, epoch);
  }

  lanes(tid: number): LaneRow[] {
    const rows = this.#all<[number, string, number | null]>(LANES, tid);
    return rows.map(([lane, name, last]) => ({
      lane,
      name: fromText(name),
      next: last === null ? 0 : last + 1,
    }));
  }

  locate(nsid: number, checkpointId: string): number | undefined {
    return this.#get<[number]>(
      "SELECT seq FROM checkpoints WHERE nsid = ? AND cid = ?",
      nsid,
      toText(checkpointId),
    )?.[0];
  }

  chain(nsid: number, seq: number): CheckpointRow[] {
    return this.#all<CheckpointColumns>(CHAIN, seq, nsid, nsid, seq, seq).map((row) => new StoredRow(row));
  }

  writes(nsid: number, seq: number): WriteRow[] {
    const rows = this.#all<[string, number, string]>(
      "SELECT task, slot, body FROM writes WHERE nsid = ? AND seq = ? ORDER BY task, slot",
      nsid,
      seq,
    );
    return rows.map(([task, slot, body]) => ({ task: fromText(task), slot, body }));
  }

  items(tid: number, lane: number, from: number, to: number): ItemRow[] {
    const rows = this.#all<[number, string]>(ITEMS, tid, lane, from, to);
    return rows.map(([ord, body]) => ({ ord, body }));
  }

  itemsByKey(tid: number, lane: number, keys: readonly number[]): { key: number; ord: number }[] {
    const found: { key: number; ord: number }[] = [];
    for (let i = 0; i < keys.length; i += MAX_PARAMETERS) {
      const some = keys.slice(i, i + MAX_PARAMETERS);
      // few texts, so that few statements are kept
      const places = 2 ** Math.ceil(Math.log2(some.length));
      const padded = [...some, ...Array.from({ length: places - some.length }, () => null)];
      const sql = `SELECT key, ord FROM items WHERE tid = ? AND lane = ? AND key IN (${padded.map(() => "?").join(", ")})`;
      for (const [key, ord] of this.#all<[number, number]>(sql, tid, lane, ...padded))
        found.push({ key, ord });
    }
    return found;
  }

  record(owner: ClaimKey | undefined, nsid: number, seq: number, rows: readonly WriteRow[]): boolean {
    if (rows.length === 1) return this.#recordRow(owner, nsid, seq, rows[0] as WriteRow);
    return this.#transaction(() => rows.every((row) => this.#recordRow(owner, nsid, seq, row)));
  }

  #recordRow(
    owner: ClaimKey | undefined,
    nsid: number,
    seq: number,
    { task, slot, body }: WriteRow,
  ): boolean {
    const sql = slot < 0 ? RECORD_SPECIAL : RECORD;
    const tid = owner?.tid ?? null;
    const changed = this.#run(sql, nsid, seq, toText(task), slot, body, tid, tid, owner?.epoch ?? null);
    if (changed > 0 || owner === undefined) return true;
    // nothing changed: the task was recorded before, or the claim is gone
    const row = this.#get<[number]>("SELECT epoch FROM threads WHERE tid = ?", owner.tid);
    return row?.[0] === owner.epoch;
  }

  rewrite(nsid: number, seq: number, { task, slot, body }: WriteRow): void {
    this.#run(REWRITE, body, nsid, seq, toText(task), slot);
  }

  commit(commit: CommitRow): CommitOutcome {
    try {
      const small =
        commit.nsid !== null &&
        !commit.replaces &&
        commit.items.length <= INLINE_ITEMS &&
        commit.writes.length <= 1 &&
        commit.rewrites.length === 0 &&
        commit.moved.length <= 1 &&
        commit.lanes.length === 0;
      return {
        done: true,
        nsid: small ? this.#commitStep(commit, commit.nsid as number) : this.#commitBig(commit),
      };
    } catch (error) {
      if (isConflict(error)) return { done: false, why: "conflict" };
      if (isTaken(error)) return { done: false, why: "taken" };
      throw explained(this.#path, error);
    }
  }

  #commitStep(commit: CommitRow, nsid: number): number {
    const [write] = commit.writes;
    const [moved] = commit.moved;
    const parameters: unknown[] = [
      commit.tid,
      commit.claim?.epoch ?? null,
      commit.generation,
      nsid,
      commit.expected,
      commit.head,
      ...checkpointColumns(commit.checkpoint),
      commit.release ? 1 : 0,
      write === undefined ? null : toText(write.task),
      write?.slot ?? null,
      write?.body ?? null,
      moved?.lane ?? null,
      moved?.ord ?? null,
      moved?.body ?? null,
    ];
    for (let i = 0; i < INLINE_ITEMS; i += 1) {
      const item = commit.items[i];
      if (item === undefined) parameters.push(null, null, null, null);
      else parameters.push(item.lane, item.ord, item.key, item.body);
    }
    this.#sql(INSERT_STEP).run(parameters);
    return nsid;
  }

  #commitBig(commit: CommitRow): number {
    return this.#transaction(() => {
      const { tid, claim, checkpoint } = commit;
      let { nsid } = commit;
      if (nsid === null) {
        this.#sql(ADD_NAMESPACE).run([tid, toText(commit.namespace)]);
        [nsid] = this.#sql("SELECT nsid FROM namespaces WHERE tid = ? AND ns = ?").get([
          tid,
          toText(commit.namespace),
        ]) as [number];
      }
      const epoch = claim?.epoch ?? null;
      const next = commit.replaces ? 0 : checkpoint.seq + 1;
      const moved = this.#sql(MOVE_HEAD).run([
        commit.head,
        next,
        nsid,
        commit.expected,
        tid,
        commit.generation,
        epoch,
        epoch,
      ]);
      if (moved.changes === 0) throw new Error(CONFLICT);
      for (const { lane, name } of commit.lanes) {
        this.#sql("INSERT INTO lanes VALUES (?, ?, ?)").run([tid, lane, toText(name)]);
      }
      const insertItem = this.#sql("INSERT INTO items VALUES (?, ?, ?, ?, ?)");
      for (const { lane, ord, key, body } of commit.items) insertItem.run([tid, lane, ord, key, body]);
      this.#sql(commit.replaces ? REPLACE_CHECKPOINT : INSERT_CHECKPOINT).run([
        nsid,
        ...checkpointColumns(checkpoint),
      ]);
      for (const { task, slot, body } of commit.writes) {
        this.#sql(INSERT_WRITE).run([nsid, checkpoint.parent, toText(task), slot, body]);
      }
      for (const { task, slot, body } of commit.rewrites) {
        this.#sql(REWRITE).run([body, nsid, checkpoint.parent, toText(task), slot]);
      }
      for (const { lane, ord, body } of commit.moved) this.#sql(MOVE_ITEM).run([body, tid, lane, ord]);
      if (commit.release && claim !== undefined) this.#sql(RELEASE).run([tid, claim.epoch]);
      return nsid;
    });
  }

  namespaces(threadId: string | undefined): NamespaceRow[] {
    const one = threadId === undefined ? null : toText(threadId);
    const rows = this.#all<[string, number, string, number]>(NAMESPACES, one, one);
    return rows.map(([thread, tid, ns, nsid]) => ({
      threadId: fromText(thread),
      tid,
      namespace: fromText(ns),
      nsid,
    }));
  }

  checkpoints(nsid: number, before: string | undefined, limit: number): CheckpointRow[] {
    const end = before === undefined ? null : toText(before);
    return this.#all<CheckpointColumns>(CHECKPOINTS, nsid, end, end, limit).map((row) => new StoredRow(row));
  }

  threads(limit: number, before: ThreadPosition | undefined): ThreadRow[] {
    const at = before?.updatedAt ?? null;
    const id = before === undefined ? null : toText(before.threadId);
    const rows = this.#all<[string, number, string | null, string | null, number]>(
      THREADS,
      at,
      at,
      id,
      limit,
    );
    return rows.map(([thread, createdAt, updatedAt, headId, checkpoints]) => ({
      threadId: fromText(thread),
      createdAt,
      updatedAt: updatedAt ?? new Date(createdAt).toISOString(),
      headId: headId === null ? null : fromText(headId),
      checkpoints,
    }));
  }

  sizes(threadId: string): SizesRow | undefined {
    const row = this.#get<[number, number, number, number]>(SIZES, toText(threadId));
    if (row === undefined) return undefined;
    const [pages] = this.#get<[number]>("PRAGMA page_count") as [number];
    const [pageSize] = this.#get<[number]>("PRAGMA page_size") as [number];
    const [items, itemBytes, writeBytes, manifestBytes] = row;
    return {
      items,
      itemBytes,
      writeBytes,
      manifestBytes,
      totalBytes: pages * pageSize,
      logBytes: fileBytes(`${this.#path}-wal`),
    };
  }

  delete(threadId: string): void {
    const row = this.find(threadId, "");
    if (row === undefined) return;
    // what is deleted is overwritten, and does not stay readable in free pages or in the log
    this.#run("PRAGMA secure_delete = ON");
    this.#transaction(() => {
      for (const sql of DELETES) this.#sql(sql).run([row.tid]);
    });
    this.#run("PRAGMA secure_delete = OFF");
    this.#get("PRAGMA wal_checkpoint(TRUNCATE)");
  }
}

function fileBytes(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

type CheckpointColumns = readonly [
  seq: number,
  cid: string,
  parent: number | null,
  parentId: string | null,
  base: number,
  ts: string,
  metadata: string,
  manifest: string,
];

/** A row as read. Its manifest is parsed only if it is on the way to the checkpoint that was asked for. */
class StoredRow implements CheckpointRow {
  readonly seq: number;
  readonly id: string;
  readonly parent: number | null;
  readonly parentId: string | null;
  readonly base: number;
  readonly ts: string;
  readonly metadata: string;
  readonly weight: number;
  readonly #text: string;

  constructor([seq, cid, parent, parentId, base, ts, metadata, manifest]: CheckpointColumns) {
    this.seq = seq;
    this.id = fromText(cid);
    this.parent = parent;
    this.parentId = parentId === null ? null : fromText(parentId);
    this.base = base;
    this.ts = ts;
    this.metadata = metadata;
    this.weight = manifest.length;
    this.#text = manifest;
  }
  get manifest(): Manifest {
    return parseManifest(this.#text);
  }
}

function checkpointColumns(row: CheckpointRow): unknown[] {
  return [
    row.seq,
    toText(row.id),
    row.parent,
    row.parentId === null ? null : toText(row.parentId),
    row.base,
    row.ts,
    row.metadata,
    printManifest(row.manifest),
  ];
}

const FIND = `SELECT t.tid, t.epoch, t.generation, t.owner, t.lease_until, n.nsid, n.head, n.next, c.cid,
    EXISTS (SELECT 1 FROM writes w WHERE w.nsid = n.nsid AND w.seq = n.head)
  FROM threads t LEFT JOIN namespaces n ON n.tid = t.tid AND n.ns = ?
  LEFT JOIN checkpoints c ON c.nsid = n.nsid AND c.seq = n.head
  WHERE t.tenant = '' AND t.thread_id = ?`;
const CREATE =
  "INSERT INTO threads (thread_id, created_at, updated_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING";
const CLAIM =
  "UPDATE threads SET epoch = epoch + 1, owner = ?, lease_until = ?, updated_at = ? WHERE tid = ? AND epoch = ?";
const RELEASE = "UPDATE threads SET owner = NULL, lease_until = NULL WHERE tid = ? AND epoch = ?";
const ADD_NAMESPACE = "INSERT INTO namespaces (tid, ns) VALUES (?, ?) ON CONFLICT DO NOTHING";
const LANES = `SELECT lane, name, (SELECT max(ord) FROM items i WHERE i.tid = l.tid AND i.lane = l.lane)
  FROM lanes l WHERE tid = ?`;
const CHAIN = `SELECT seq, cid, parent,
    CASE WHEN seq = ? THEN coalesce((SELECT p.cid FROM checkpoints p WHERE p.nsid = c.nsid AND p.seq = c.parent), parent_cid) END,
    base, ts, metadata, manifest
  FROM checkpoints c WHERE nsid = ?
  AND seq BETWEEN (SELECT base FROM checkpoints WHERE nsid = ? AND seq = ?) AND ? ORDER BY seq`;
const CHECKPOINTS = `SELECT seq, cid, parent, parent_cid, base, ts, metadata, manifest FROM checkpoints
  WHERE nsid = ? AND (? IS NULL OR cid < ?) ORDER BY cid DESC LIMIT ?`;
const ITEMS = "SELECT ord, body FROM items WHERE tid = ? AND lane = ? AND ord >= ? AND ord < ? ORDER BY ord";
const HOLDS = "WHERE ? IS NULL OR (SELECT epoch FROM threads WHERE tid = ?) = ?";
const RECORD = `INSERT INTO writes SELECT ?, ?, ?, ?, ? ${HOLDS} ON CONFLICT DO NOTHING`;
const RECORD_SPECIAL = `INSERT INTO writes SELECT ?, ?, ?, ?, ? ${HOLDS}
  ON CONFLICT DO UPDATE SET body = excluded.body`;
const REWRITE = "UPDATE writes SET body = ? WHERE nsid = ? AND seq = ? AND task = ? AND slot = ?";
const MOVE_ITEM = "UPDATE items SET body = ? WHERE tid = ? AND lane = ? AND ord = ?";
const INSERT_WRITE = `INSERT INTO writes VALUES (?, ?, ?, ?, ?)
  ON CONFLICT DO UPDATE SET body = excluded.body`;
const INSERT_CHECKPOINT = "INSERT INTO checkpoints VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)";
const REPLACE_CHECKPOINT = "INSERT OR REPLACE INTO checkpoints VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)";
const MOVE_HEAD = `UPDATE namespaces SET head = ?, next = max(next, ?) WHERE nsid = ? AND head IS ?
  AND EXISTS (SELECT 1 FROM threads WHERE tid = ? AND generation = ? AND (? IS NULL OR epoch = ?))`;
const NAMESPACES = `SELECT t.thread_id, t.tid, n.ns, n.nsid FROM threads t JOIN namespaces n ON n.tid = t.tid
  WHERE t.tenant = '' AND (? IS NULL OR t.thread_id = ?) AND n.next > 1 ORDER BY t.tid, n.nsid`;
const THREADS = `SELECT * FROM (
    SELECT t.thread_id, t.created_at, coalesce(c.ts, strftime('%Y-%m-%dT%H:%M:%fZ', t.created_at / 1000.0, 'unixepoch')) AS updated,
      c.cid, (SELECT count(*) FROM checkpoints k JOIN namespaces m ON m.nsid = k.nsid WHERE m.tid = t.tid)
    FROM threads t LEFT JOIN namespaces n ON n.tid = t.tid AND n.ns = ''
    LEFT JOIN checkpoints c ON c.nsid = n.nsid AND c.seq = n.head WHERE t.tenant = '')
  WHERE ? IS NULL OR (updated, thread_id) < (?, ?) ORDER BY updated DESC, thread_id DESC LIMIT ?`;
const OF_THREAD = "nsid IN (SELECT nsid FROM namespaces n WHERE n.tid = t.tid)";
const SIZES = `SELECT (SELECT count(*) FROM items i WHERE i.tid = t.tid),
    (SELECT coalesce(sum(length(CAST(body AS BLOB))), 0) FROM items i WHERE i.tid = t.tid),
    (SELECT coalesce(sum(length(CAST(body AS BLOB))), 0) FROM writes WHERE ${OF_THREAD}),
    (SELECT coalesce(sum(length(CAST(manifest AS BLOB))), 0) FROM checkpoints WHERE ${OF_THREAD})
  FROM threads t WHERE t.tenant = '' AND t.thread_id = ?`;
const DELETES = [
  "DELETE FROM checkpoints WHERE nsid IN (SELECT nsid FROM namespaces WHERE tid = ?)",
  "DELETE FROM writes WHERE nsid IN (SELECT nsid FROM namespaces WHERE tid = ?)",
  "DELETE FROM items WHERE tid = ?",
  "DELETE FROM lanes WHERE tid = ?",
  "DELETE FROM namespaces WHERE tid = ?",
  "DELETE FROM threads WHERE tid = ?",
];
