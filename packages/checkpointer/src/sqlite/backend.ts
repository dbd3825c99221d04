import type {
  Backend,
  CheckpointRow,
  ClaimKey,
  ClaimRequest,
  CommitOutcome,
  CommitRow,
  HeadRow,
  ItemPage,
  LaneRow,
  NewItem,
  NamespaceRow,
  RetakeRequest,
  SizesRow,
  ThreadPosition,
  ListedThread,
  WriteRow,
} from "../core/backend.ts";
import type { Awaitable } from "../changeset/types.ts";
import { toText } from "../core/names.ts";
import type { Alteration, WriteAt } from "../core/maintenance.ts";
import { PROCESSES } from "../core/owner.ts";
import { Commits } from "./commits.ts";
import type { Connection } from "./connection.ts";
import { toId } from "./ids.ts";
import { Listing } from "./listing.ts";
import { RECORD, RECORD_SPECIAL, REWRITE, REWRITE_HELD } from "./queries.ts";
import { Reads, type ItemRange } from "./reads.ts";
import { spill } from "./inline.ts";
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
  readonly #commits: Commits;
  readonly #reads: Reads;
  readonly #lists: Listing;
  readonly #upkeep: Upkeep;
  readonly #tenant: string;
  #crowded = false;

  constructor(db: Connection, tenant: string) {
    this.#db = db;
    this.#tenant = toText(tenant);
    this.#threads = new Threads(db, this.#tenant);
    this.#commits = new Commits(db);
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

  retake(request: RetakeRequest): Awaitable<HeadRow | undefined> {
    return this.#write(() => this.#threads.retake(request));
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

  items(...range: ItemRange): string[] {
    return this.#reads.items(range);
  }

  page(...range: ItemRange): ItemPage {
    return this.#reads.page(range);
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
    // nothing changed: the task was recorded before, or the claim is gone
    return changed > 0 || this.#holds(owner);
  }

  #holds(owner: ClaimKey | undefined): boolean {
    if (owner === undefined) return true;
    return this.#db.get<[number]>("SELECT epoch FROM threads WHERE tid = ?", owner.tid)?.[0] === owner.epoch;
  }

  rewrite(owner: ClaimKey | undefined, nsid: number, seq: number, { task, slot, body }: WriteRow): boolean {
    const place = [body, nsid, seq, toId(task), slot] as const;
    const tid = owner?.tid ?? null;
    if (this.#db.run(REWRITE_HELD, ...place, tid, tid, owner?.epoch ?? null) > 0) return true;
    return this.#db.transaction(() => {
      if (!this.#holds(owner)) return false;
      spill(this.#db, nsid, seq + 1);
      this.#db.sql(REWRITE).run(place);
      return true;
    });
  }

  commit(commit: CommitRow): Awaitable<CommitOutcome> {
    // not with others: a number that was given in a transaction which fails would be known, and not stored
    this.#db.learnNames(commit.checkpoint.manifest);
    return this.#write(
      () => this.#commits.commit(commit),
      () => this.#commits.outcomeOf(() => this.#commits.commit(commit)),
    );
  }

  joins(commit: CommitRow): boolean {
    return this.#commits.joins(commit);
  }

  commitAll(commits: readonly CommitRow[]): Awaitable<CommitOutcome> {
    return this.#write(
      () => this.#commits.commitAll(commits),
      () => this.#commits.outcomeOf(() => this.#commits.commitAll(commits)),
    );
  }

  namespaces(threadId: string | undefined): NamespaceRow[] {
    return this.#lists.namespaces(threadId);
  }

  checkpoints(nsid: number, before: string | undefined, limit: number): CheckpointRow[] {
    return this.#lists.checkpoints(nsid, before, limit);
  }

  threads(limit: number, before: ThreadPosition | undefined): ListedThread[] {
    return this.#lists.threads(limit, before);
  }

  sizes(threadId: string): SizesRow | undefined {
    return this.#lists.sizes(threadId);
  }

  delete(threadId: string, held?: ClaimKey): void {
    this.#upkeep.delete(threadId, held);
  }

  scanCheckpoints(nsid: number, after: number, limit: number): CheckpointRow[] {
    return this.#upkeep.scanCheckpoints(nsid, after, limit);
  }

  scanWrites(nsid: number, after: number, to: number): WriteAt[] {
    return this.#upkeep.scanWrites(nsid, after, to);
  }

  scanLanes(tid: number): LaneRow[] {
    return this.lanes(tid);
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
