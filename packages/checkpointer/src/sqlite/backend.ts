import type {
  Backend,
  CheckpointRow,
  ClaimKey,
  ClaimRequest,
  CommitOutcome,
  CommitRow,
  HeadRow,
  LaneRow,
  NewItem,
  NamespaceRow,
  SizesRow,
  ThreadPosition,
  ThreadRow,
  WriteRow,
} from "../core/backend.ts";
import type { Awaitable } from "../changeset/types.ts";
import { canBeInline, printInline } from "../core/inline-writes.ts";
import { toText } from "../core/names.ts";
import type { Alteration, WriteAt } from "../core/maintenance.ts";
import { PROCESSES } from "../core/owner.ts";
import type { Connection } from "./connection.ts";
import { CONFLICT, explained, isConflict, isTaken } from "./driver.ts";
import { toId } from "./ids.ts";
import { Listing } from "./listing.ts";
import {
  RELEASE,
  ADD_NAMESPACE,
  RECORD,
  RECORD_SPECIAL,
  REWRITE,
  MOVE_ITEM,
  INSERT_WRITE,
  INSERT_CHECKPOINT,
  REPLACE_CHECKPOINT,
  MOVE_HEAD,
} from "./queries.ts";
import { Reads } from "./reads.ts";
import { spill } from "./inline.ts";
import { INLINE_ITEMS, INSERT_PLAIN_STEP, INSERT_STEP, INSERT_TOGETHER } from "./schema.ts";
import { Threads } from "./threads.ts";
import { Upkeep } from "./upkeep.ts";

/**
 * Rows in a SQLite database. Answers every call with a value, except for writes while several runs are
 * under way, which are stored together; no call leaves a transaction open.
 */
export class SqliteBackend implements Backend {
  readonly synchronous = true;
  readonly ownership = PROCESSES;
  readonly #db: Connection;
  readonly #threads: Threads;
  readonly #reads: Reads;
  readonly #lists: Listing;
  readonly #upkeep: Upkeep;
  readonly #tenant: string;
  #crowded = false;

  constructor(db: Connection, tenant: string) {
    this.#db = db;
    this.#tenant = toText(tenant);
    this.#threads = new Threads(db, this.#tenant);
    this.#reads = new Reads(db);
    this.#lists = new Listing(db, this.#tenant);
    this.#upkeep = new Upkeep(db, this.#tenant);
  }

  find(threadId: string, namespace: string): HeadRow | undefined {
    return this.#threads.find(threadId, namespace);
  }

  crowd(runs: number): void {
    this.#crowded = runs > 1;
  }

  /** @param alone - the same on its own, where that is another thing to do */
  #write<T>(together: () => T, alone: () => T = together): Awaitable<T> {
    return this.#crowded ? this.#db.group.add(together, alone) : alone();
  }

  claim(request: ClaimRequest): Awaitable<HeadRow | undefined> {
    return this.#write(() => this.#threads.claim(request));
  }

  create(threadId: string, now: number): void {
    this.#threads.create(threadId, now);
  }

  renew(claims: readonly ClaimKey[], leaseUntil: number): void {
    this.#threads.renew(claims, leaseUntil);
  }

  release(claim: ClaimKey): Awaitable<void> {
    return this.#write(() => this.#threads.release(claim));
  }

  lanes(tid: number): LaneRow[] {
    return this.#reads.lanes(tid);
  }

  locate(nsid: number, checkpointId: string): number | undefined {
    return this.#reads.locate(nsid, checkpointId);
  }

  chain(nsid: number, seq: number): CheckpointRow[] {
    return this.#reads.chain(nsid, seq);
  }

  writes(nsid: number, seq: number): WriteRow[] {
    return this.#reads.writes(nsid, seq);
  }

  items(tid: number, lane: number, from: number, to: number): string[] {
    return this.#reads.items(tid, lane, from, to);
  }

  itemsByKey(tid: number, lane: number, keys: readonly number[]): { key: number; ord: number }[] {
    return this.#reads.itemsByKey(tid, lane, keys);
  }

  record(
    owner: ClaimKey | undefined,
    nsid: number,
    seq: number,
    rows: readonly WriteRow[],
  ): Awaitable<boolean> {
    const [only] = rows;
    if (only !== undefined && rows.length === 1)
      return this.#write(() => this.#recordRow(owner, nsid, seq, only));
    const all = (): boolean => rows.every((row) => this.#recordRow(owner, nsid, seq, row));
    return this.#write(() => this.#db.transaction(all));
  }

  #recordRow(
    owner: ClaimKey | undefined,
    nsid: number,
    seq: number,
    { task, slot, body }: WriteRow,
  ): boolean {
    const sql = slot < 0 ? RECORD_SPECIAL : RECORD;
    const tid = owner?.tid ?? null;
    const changed = this.#db.run(sql, nsid, seq, toId(task), slot, body, tid, tid, owner?.epoch ?? null);
    if (changed > 0 || owner === undefined) return true;
    // nothing changed: the task was recorded before, or the claim is gone
    const row = this.#db.get<[number]>("SELECT epoch FROM threads WHERE tid = ?", owner.tid);
    return row?.[0] === owner.epoch;
  }

  rewrite(nsid: number, seq: number, { task, slot, body }: WriteRow): void {
    if (this.#db.run(REWRITE, body, nsid, seq, toId(task), slot) > 0) return;
    this.#db.transaction(() => {
      spill(this.#db, nsid, seq + 1);
      this.#db.sql(REWRITE).run([body, nsid, seq, toId(task), slot]);
    });
  }

  commit(commit: CommitRow): Awaitable<CommitOutcome> {
    // not with others: a number that was given in a transaction which fails would be known, and not stored
    this.#db.learnNames(commit.checkpoint.manifest);
    return this.#write(
      () => this.#commit(commit),
      () => this.#tryCommit(commit),
    );
  }

  #tryCommit(commit: CommitRow): CommitOutcome {
    try {
      return this.#commit(commit);
    } catch (error) {
      if (isConflict(error)) return { done: false, why: "conflict" };
      if (isTaken(error)) return { done: false, why: "taken" };
      throw explained(this.#db.path, error);
    }
  }

  #commit(commit: CommitRow): CommitOutcome {
    const inline = canBeInline(commit);
    const small =
      commit.nsid !== null &&
      !commit.replaces &&
      commit.items.length <= INLINE_ITEMS &&
      (inline || commit.writes.length === 0) &&
      commit.rewrites.length === 0 &&
      commit.moved.length <= 1 &&
      commit.lanes.length === 0;
    const nsid = small ? this.#commitStep(commit, commit.nsid as number) : this.#commitBig(commit, inline);
    return { done: true, nsid };
  }

  #commitStep(commit: CommitRow, nsid: number): number {
    const { expected, head, checkpoint, items } = commit;
    const { checkpoints } = this.#db;
    const [moved] = commit.moved;
    const follows = expected === checkpoint.parent && head === checkpoint.seq && checkpoint.parentId === null;
    if (follows && items.length === 0 && moved === undefined) return this.#commitPlain(commit, nsid);
    const parameters: unknown[] = [
      commit.tid,
      commit.claim?.epoch ?? null,
      commit.generation,
      nsid,
      commit.expected,
      commit.head,
      ...checkpoints.of(commit.checkpoint),
      printInline(commit.writes, checkpoints.names) ?? null,
      commit.release ? 1 : 0,
      moved?.lane ?? null,
      moved?.ord ?? null,
      moved?.body ?? null,
    ];
    for (let i = 0; i < INLINE_ITEMS; i += 1) {
      const item = commit.items[i];
      if (item === undefined) parameters.push(null, null, null, null);
      else parameters.push(item.lane, item.ord, item.key, item.body);
    }
    this.#db.write(INSERT_STEP, parameters);
    return nsid;
  }

  /** A step that follows the head and brings no item. */
  #commitPlain({ tid, claim, generation, checkpoint, writes, release }: CommitRow, nsid: number): number {
    const { checkpoints, isTogether } = this.#db;
    const [seq, id, parent, , base, ts, metadata, manifest] = checkpoints.of(checkpoint);
    const place = [tid, claim?.epoch ?? null, generation, nsid, parent, seq, id, base];
    const text = printInline(writes, checkpoints.names) ?? null;
    const sql = isTogether ? INSERT_TOGETHER : INSERT_PLAIN_STEP;
    this.#db.write(sql, [...place, ts, metadata, manifest, text, release ? 1 : 0]);
    return nsid;
  }

  #commitBig(commit: CommitRow, inline: boolean): number {
    return this.#db.transaction(() => {
      const { tid, claim, checkpoint } = commit;
      let { nsid } = commit;
      if (nsid === null) {
        this.#db.sql(ADD_NAMESPACE).run([tid, toText(commit.namespace)]);
        [nsid] = this.#db
          .sql("SELECT nsid FROM namespaces WHERE tid = ? AND ns = ?")
          .get([tid, toText(commit.namespace)]) as [number];
      }
      const epoch = claim?.epoch ?? null;
      const next = commit.replaces ? 0 : checkpoint.seq + 1;
      const moved = this.#db
        .sql(MOVE_HEAD)
        .run([commit.head, next, nsid, commit.expected, tid, commit.generation, epoch, epoch]);
      if (moved.changes === 0) throw new Error(CONFLICT);
      for (const { lane, name } of commit.lanes) {
        this.#db.sql("INSERT INTO lanes VALUES (?, ?, ?)").run([tid, lane, toText(name)]);
      }
      const insertItem = this.#db.sql("INSERT INTO items VALUES (?, ?, ?, ?, ?)");
      for (const { lane, ord, key, body } of commit.items) insertItem.run([tid, lane, ord, key, body]);
      const { checkpoints } = this.#db;
      const columns = [nsid, ...checkpoints.of(checkpoint)];
      const text = inline ? printInline(commit.writes, checkpoints.names) : undefined;
      if (commit.replaces) {
        spill(this.#db, nsid, checkpoint.seq);
        this.#db.sql(REPLACE_CHECKPOINT).run(columns);
      } else this.#db.sql(INSERT_CHECKPOINT).run([...columns, text ?? null]);
      for (const { task, slot, body } of inline ? [] : commit.writes) {
        this.#db.sql(INSERT_WRITE).run([nsid, checkpoint.parent, toId(task), slot, body]);
      }
      for (const { task, slot, body } of commit.rewrites) {
        this.#db.sql(REWRITE).run([body, nsid, checkpoint.parent, toId(task), slot]);
      }
      for (const { lane, ord, body } of commit.moved) this.#db.sql(MOVE_ITEM).run([body, tid, lane, ord]);
      if (commit.release && claim !== undefined) this.#db.sql(RELEASE).run([tid, claim.epoch]);
      return nsid;
    });
  }

  namespaces(threadId: string | undefined): NamespaceRow[] {
    return this.#lists.namespaces(threadId);
  }

  checkpoints(nsid: number, before: string | undefined, limit: number): CheckpointRow[] {
    return this.#lists.checkpoints(nsid, before, limit);
  }

  threads(limit: number, before: ThreadPosition | undefined): ThreadRow[] {
    return this.#lists.threads(limit, before);
  }

  sizes(threadId: string): SizesRow | undefined {
    return this.#lists.sizes(threadId);
  }

  delete(threadId: string): void {
    this.#upkeep.delete(threadId);
  }

  scanCheckpoints(nsid: number, after: number, limit: number): CheckpointRow[] {
    return this.#upkeep.scanCheckpoints(nsid, after, limit);
  }

  scanWrites(nsid: number, after: number, to: number): WriteAt[] {
    return this.#upkeep.scanWrites(nsid, after, to);
  }

  scanItems(tid: number, lane: number, from: number, limit: number): NewItem[] {
    return this.#upkeep.scanItems(tid, lane, from, limit);
  }

  alter(change: Alteration): boolean {
    return this.#upkeep.alter(change);
  }

  copy(tid: number, threadId: string, now: number): boolean {
    return this.#upkeep.copy(tid, threadId, now);
  }

  relatives(tid: number): string[] {
    return this.#upkeep.relatives(tid);
  }

  cleanUp(): void {
    this.#upkeep.cleanUp();
  }
}
