import type {
  Backend,
  CheckpointRow,
  ClaimKey,
  ClaimRequest,
  CommitOutcome,
  CommitRow,
  HeadRow,
  LaneRow,
  NamespaceRow,
  NewItem,
  SizesRow,
  ThreadPosition,
  ThreadRow,
  WriteRow,
} from "../core/backend.ts";
import type { Alteration, WriteAt } from "../core/maintenance.ts";
import { toText } from "../core/names.ts";
import { PROCESSES } from "../core/owner.ts";
import type { Connection } from "./connection.ts";
import { errorCode, explained, isTaken } from "./driver.ts";
import { ItemBatch } from "./item-batch.ts";
import { Listing } from "./listing.ts";
import { Ahead } from "./ahead.ts";
import { queriesOf, type Queries } from "./queries.ts";
import {
  checkpointColumns,
  columns,
  headRow,
  laneRow,
  lastOfEach,
  checkpointRow,
  writeRow,
  type CheckpointColumns,
  type FoundColumns,
  type LaneColumns,
  type WriteColumns,
} from "./rows.ts";
import { quotedSchema } from "./schema.ts";
import { Upkeep } from "./upkeep.ts";

/** What `commit` of the schema raises when the claim was lost or the head is another one. */
const CONFLICT = "SK001";

/** Rows in a PostgreSQL database. Every call is one round trip, those of `Maintenance` excepted. */
export class PostgresBackend implements Backend {
  readonly ownership = PROCESSES;
  readonly #db: Connection;
  readonly #tenant: string;
  readonly #queries: Queries;
  readonly #items: ItemBatch;
  readonly #ahead = new Ahead();
  readonly #lists: Listing;
  readonly #upkeep: Upkeep;

  constructor(db: Connection, tenant: string) {
    this.#db = db;
    this.#tenant = toText(tenant);
    this.#queries = queriesOf(quotedSchema(db.schema));
    this.#items = new ItemBatch(db, this.#queries);
    this.#lists = new Listing(db, this.#queries, this.#tenant);
    this.#upkeep = new Upkeep(db, this.#tenant);
  }

  async find(threadId: string, namespace: string): Promise<HeadRow | undefined> {
    const known = this.#ahead.knownHead(threadId, namespace);
    const [row] = await this.#db.run<FoundColumns>(
      this.#queries.find,
      this.#tenant,
      toText(threadId),
      toText(namespace),
      known,
    );
    return row === undefined ? undefined : this.#found(threadId, namespace, row);
  }

  #found(threadId: string, namespace: string, row: FoundColumns): HeadRow {
    const head = headRow(row);
    const [writes, chain, lanes] = row.slice(9) as [string | null, string | null, string | null];
    this.#ahead.take(threadId, namespace, head, { writes, chain, lanes });
    return head;
  }

  async take(request: ClaimRequest): Promise<{ row: HeadRow; taken: boolean }> {
    const { threadId, namespace, owner, leaseUntil, now, seen } = request;
    const [result] = await this.#db.run<[boolean, ...FoundColumns]>(
      this.#queries.take,
      this.#tenant,
      toText(threadId),
      toText(namespace),
      owner,
      leaseUntil - now,
      now,
      seen?.tid ?? null,
      seen?.epoch ?? null,
      this.#ahead.knownHead(threadId, namespace),
    );
    const [taken, ...row] = result as [boolean, ...FoundColumns];
    return { row: this.#found(threadId, namespace, row), taken };
  }

  async claim(request: ClaimRequest): Promise<HeadRow | undefined> {
    const { row, taken } = await this.take(request);
    return taken ? row : undefined;
  }

  async create(threadId: string, now: number): Promise<void> {
    await this.#db.run(this.#queries.create, this.#tenant, toText(threadId), now);
  }

  async renew(claims: readonly ClaimKey[], leaseUntil: number): Promise<void> {
    const [tids, epochs] = [claims.map(({ tid }) => tid), claims.map(({ epoch }) => epoch)];
    await this.#db.run(this.#queries.renew, tids, epochs, leaseUntil - Date.now());
  }

  async release({ tid, epoch }: ClaimKey): Promise<void> {
    await this.#db.run(this.#queries.release, tid, epoch);
  }

  lanes(tid: number): LaneRow[] | Promise<LaneRow[]> {
    return this.#ahead.lanes(tid) ?? this.#readLanes(tid);
  }

  async #readLanes(tid: number): Promise<LaneRow[]> {
    return (await this.#db.run<LaneColumns>(this.#queries.lanes, tid)).map(laneRow);
  }

  async locate(nsid: number, checkpointId: string): Promise<number | undefined> {
    return (await this.#db.run<[number]>(this.#queries.locate, nsid, toText(checkpointId)))[0]?.[0];
  }

  chain(nsid: number, seq: number): CheckpointRow[] | Promise<CheckpointRow[]> {
    return this.#ahead.chain(nsid, seq) ?? this.#readChain(nsid, seq);
  }

  async #readChain(nsid: number, seq: number): Promise<CheckpointRow[]> {
    const rows = await this.#db.run<CheckpointColumns>(this.#queries.chain, nsid, seq);
    return rows.map(checkpointRow);
  }

  writes(nsid: number, seq: number): WriteRow[] | Promise<WriteRow[]> {
    return this.#ahead.writes(nsid, seq) ?? this.#readWrites(nsid, seq);
  }

  async #readWrites(nsid: number, seq: number): Promise<WriteRow[]> {
    return (await this.#db.run<WriteColumns>(this.#queries.writes, nsid, seq)).map(writeRow);
  }

  items(tid: number, lane: number, from: number, to: number): Promise<readonly string[]> {
    return this.#items.read(tid, lane, from, to);
  }

  async itemsByKey(
    tid: number,
    lane: number,
    keys: readonly number[],
  ): Promise<{ key: number; ord: number }[]> {
    const rows = await this.#db.run<[number, number]>(this.#queries.itemsByKey, tid, lane, keys);
    return rows.map(([key, ord]) => ({ key, ord }));
  }

  async record(
    owner: ClaimKey | undefined,
    nsid: number,
    seq: number,
    rows: readonly WriteRow[],
  ): Promise<boolean> {
    if (rows.length === 0) return true;
    this.#ahead.forget(nsid);
    const key = [owner?.tid ?? null, owner?.epoch ?? null];
    const [held] = await this.#db.run<[boolean]>(
      this.#queries.record,
      ...key,
      nsid,
      seq,
      ...writeColumns(rows),
    );
    return held?.[0] === true;
  }

  async rewrite(nsid: number, seq: number, { task, slot, body }: WriteRow): Promise<void> {
    this.#ahead.forget(nsid);
    await this.#db.run(this.#queries.rewrite, nsid, seq, toText(task), slot, body);
  }

  async commit(commit: CommitRow): Promise<CommitOutcome> {
    if (commit.nsid !== null) this.#ahead.forget(commit.nsid);
    try {
      const [row] = await this.#db.query<[number]>(this.#queries.commit, commitValues(commit));
      const [nsid] = row as [number];
      this.#ahead.learn(nsid, commit.head);
      return { done: true, nsid };
    } catch (error) {
      if (errorCode(error) === CONFLICT) return { done: false, why: "conflict" };
      if (isTaken(error)) return { done: false, why: "taken" };
      throw explained(error);
    }
  }

  namespaces(threadId: string | undefined): Promise<NamespaceRow[]> {
    return this.#lists.namespaces(threadId);
  }

  checkpoints(nsid: number, before: string | undefined, limit: number): Promise<CheckpointRow[]> {
    return this.#lists.checkpoints(nsid, before, limit);
  }

  threads(limit: number, before: ThreadPosition | undefined): Promise<ThreadRow[]> {
    return this.#lists.threads(limit, before);
  }

  sizes(threadId: string): Promise<SizesRow | undefined> {
    return this.#lists.sizes(threadId);
  }

  delete(threadId: string): Promise<void> {
    return this.#upkeep.delete(threadId);
  }

  scanCheckpoints(nsid: number, after: number, limit: number): Promise<CheckpointRow[]> {
    return this.#upkeep.scanCheckpoints(nsid, after, limit);
  }

  scanWrites(nsid: number, after: number, to: number): Promise<WriteAt[]> {
    return this.#upkeep.scanWrites(nsid, after, to);
  }

  scanItems(tid: number, lane: number, from: number, limit: number): Promise<NewItem[]> {
    return this.#upkeep.scanItems(tid, lane, from, limit);
  }

  alter(change: Alteration): Promise<boolean> {
    return this.#upkeep.alter(change);
  }

  copy(tid: number, threadId: string, now: number): Promise<boolean> {
    return this.#upkeep.copy(tid, threadId, now);
  }

  relatives(tid: number): Promise<string[]> {
    return this.#upkeep.relatives(tid);
  }

  cleanUp(): Promise<void> {
    return this.#upkeep.cleanUp();
  }
}

const task = (row: WriteRow): string => toText(row.task);
const slot = (row: WriteRow): number => row.slot;
const body = (row: { readonly body: string }): string => row.body;
const lane = (row: { readonly lane: number }): number => row.lane;
const ord = (row: { readonly ord: number }): number => row.ord;

const writeColumns = (rows: readonly WriteRow[]): unknown[] => columns(lastOfEach(rows), task, slot, body);

/** In the order of the parameters of `commit` in the schema. */
function commitValues(commit: CommitRow): unknown[] {
  const { claim, checkpoint, items } = commit;
  return [
    commit.tid,
    claim?.epoch ?? null,
    commit.generation,
    toText(commit.namespace),
    commit.nsid,
    commit.expected,
    commit.head,
    ...checkpointColumns(checkpoint),
    commit.replaces,
    commit.release && claim !== undefined,
    ...columns(commit.lanes, lane, ({ name }) => toText(name)),
    ...columns(items, lane, ord, ({ key }) => key, body),
    ...writeColumns(commit.writes),
    ...writeColumns(commit.rewrites),
    ...columns(commit.moved, lane, ord, body),
  ];
}
