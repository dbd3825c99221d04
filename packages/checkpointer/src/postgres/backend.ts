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
  ListedThread,
  WriteRow,
} from "../core/backend.ts";
import type { Alteration, NamespaceRows, WriteAt } from "../core/maintenance.ts";
import { canBeInline } from "../core/inline-writes.ts";
import { toText } from "../core/names.ts";
import { PROCESSES } from "../core/owner.ts";
import { shortId } from "../core/short-id.ts";
import type { Connection } from "./connection.ts";
import { ItemBatch } from "./item-batch.ts";
import { Listing } from "./listing.ts";
import { Ahead } from "./ahead.ts";
import { spill, writesUnder } from "./inline.ts";
import { LOST, refused } from "./outcome.ts";
import type { KnownNames } from "./names.ts";
import type { Queries } from "./queries.ts";
import { headRow, laneRow, type FoundColumns, type LaneColumns } from "./rows.ts";
import { quotedSchema } from "./schema.ts";
import { Upkeep } from "./upkeep.ts";
import { record, rewrite } from "./recording.ts";
import { isStep, stepStatements, stepValues } from "./step.ts";
import { commitValues, stepsValues } from "./values.ts";

/** Rows in a PostgreSQL database. Every call is one round trip, those of `Maintenance` excepted. */
export class PostgresBackend implements Backend {
  readonly ownership = PROCESSES;
  readonly #db: Connection;
  readonly #tenant: string;
  readonly #queries: Queries;
  readonly #stepOf: ReturnType<typeof stepStatements>;
  readonly #items: ItemBatch;
  readonly #ahead: Ahead;
  readonly #lists: Listing;
  readonly #upkeep: Upkeep;

  constructor(db: Connection, tenant: string) {
    this.#db = db;
    this.#tenant = toText(tenant);
    this.#queries = db.queries;
    this.#stepOf = stepStatements(quotedSchema(db.schema));
    this.#ahead = new Ahead();
    this.#items = new ItemBatch(db, this.#queries);
    this.#lists = new Listing(db, this.#queries, this.#tenant);
    this.#upkeep = new Upkeep(db, this.#tenant);
  }

  async find(threadId: string, namespace: string): Promise<HeadRow | undefined> {
    const known = this.#ahead.knownHead(threadId, namespace);
    const asked = this.#db.names.known();
    const [row] = await this.#db.run<FoundColumns>(
      this.#queries.find,
      this.#tenant,
      toText(threadId),
      toText(namespace),
      known,
      ...asked,
    );
    return row === undefined ? undefined : this.#found(threadId, namespace, row, asked);
  }

  async #found(
    threadId: string,
    namespace: string,
    row: FoundColumns,
    asked: KnownNames,
    before?: number,
  ): Promise<HeadRow> {
    const head = headRow(row, before);
    const [, , , , , , , , , recorded, chain, lanes, inline, names] = row;
    const checkpoints = await this.#db.names.add(names, asked);
    // with others elsewhere they are read together
    const writes = inline ? null : recorded;
    this.#ahead.take(threadId, namespace, head, { writes, chain, lanes }, checkpoints);
    return head;
  }

  async take(request: ClaimRequest): Promise<{ row: HeadRow; taken: boolean }> {
    const { threadId, namespace, owner, leaseUntil, now, seen } = request;
    const asked = this.#db.names.known();
    const [result] = await this.#db.run<[number | null, ...FoundColumns]>(
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
      ...asked,
    );
    const [before, ...row] = result as [number | null, ...FoundColumns];
    const found = await this.#found(threadId, namespace, row, asked, before ?? undefined);
    return { row: found, taken: before !== null };
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

  lanes(tid: number): ReturnType<Backend["lanes"]> {
    return this.#ahead.lanes(tid) ?? this.#readLanes(tid);
  }

  async #readLanes(tid: number): Promise<LaneRow[]> {
    return (await this.#db.run<LaneColumns>(this.#queries.lanes, tid)).map(laneRow);
  }

  async locate(nsid: number, checkpointId: string): Promise<number | undefined> {
    return (await this.#db.run<[number]>(this.#queries.locate, nsid, shortId(checkpointId)))[0]?.[0];
  }

  chain(nsid: number, seq: number): CheckpointRow[] | Promise<CheckpointRow[]> {
    return this.#ahead.chain(nsid, seq) ?? this.#readChain(nsid, seq);
  }

  #readChain(nsid: number, seq: number): Promise<CheckpointRow[]> {
    return this.#db.checkpointRows(this.#queries.chain, nsid, seq);
  }

  writes(nsid: number, seq: number): WriteRow[] | Promise<WriteRow[]> {
    return this.#ahead.writes(nsid, seq) ?? writesUnder(this.#db, nsid, seq);
  }

  items(...range: Parameters<Backend["items"]>): ReturnType<Backend["items"]> {
    const [tid, lane, from, to, generation] = range;
    return this.#ahead.items(...range) ?? this.#items.read(tid, lane, from, to, generation ?? null);
  }

  async itemsByKey(
    tid: number,
    lane: number,
    keys: readonly number[],
  ): Promise<{ key: number; ord: number }[]> {
    const rows = await this.#db.run<[number, number]>(this.#queries.itemsByKey, tid, lane, keys);
    return rows.map(([key, ord]) => ({ key, ord }));
  }

  record(...[owner, nsid, ...rest]: Parameters<Backend["record"]>): Promise<boolean> {
    this.#ahead.forget(nsid);
    return record(this.#db, owner, nsid, ...rest);
  }

  rewrite(...[owner, nsid, ...rest]: Parameters<Backend["rewrite"]>): Promise<boolean> {
    this.#ahead.forget(nsid);
    return rewrite(this.#db, owner, nsid, ...rest);
  }

  async commit(commit: CommitRow): Promise<CommitOutcome> {
    if (commit.nsid !== null) this.#ahead.forget(commit.nsid);
    try {
      const { names } = this.#db.names.columns;
      const missing = names.missing(commit.checkpoint.manifest);
      if (missing !== undefined) await this.#db.names.learn(missing);
      if (!isStep(commit)) {
        const nsid = await this.#commit(commit);
        return nsid === undefined ? LOST : this.#stored(nsid, commit.head);
      }
      const step = this.#stepOf(commit);
      const rows = await this.#db.change(step, stepValues(commit, this.#db.names.columns));
      return rows === 0 ? LOST : this.#stored(commit.nsid as number, commit.head);
    } catch (error) {
      return refused(error);
    }
  }

  #stored(nsid: number, head: number | null): CommitOutcome {
    this.#ahead.learn(nsid, head);
    return { done: true, nsid };
  }

  joins(commit: CommitRow): boolean {
    const { names } = this.#db.names.columns;
    return (
      isStep(commit) &&
      !commit.release &&
      commit.moved.length === 0 &&
      names.missing(commit.checkpoint.manifest) === undefined
    );
  }

  async commitAll(commits: readonly CommitRow[]): Promise<CommitOutcome> {
    const [first, last] = [commits[0], commits.at(-1)] as [CommitRow, CommitRow];
    const nsid = first.nsid as number;
    this.#ahead.forget(nsid);
    try {
      const rows = await this.#db.query(this.#queries.steps, stepsValues(commits, this.#db.names.columns));
      return rows.length === 0 ? LOST : this.#stored(nsid, last.head);
    } catch (error) {
      return refused(error);
    }
  }

  async #commit(commit: CommitRow): Promise<number | undefined> {
    const { nsid, replaces, checkpoint, tid, generation } = commit;
    let current = commit;
    if (replaces && nsid !== null) {
      const outdated = await this.#db.transaction(async (run) => {
        await spill(this.#db, run, nsid, [checkpoint.seq]);
        const [thread] = await run<[number]>(this.#queries.outdate, tid, generation);
        return thread?.[0];
      });
      if (outdated !== undefined) current = { ...commit, generation: outdated };
    }
    const values = commitValues(current, this.#db.names.columns, canBeInline(commit));
    const [row] = await this.#db.query<[number]>(this.#queries.commit, values);
    return row?.[0];
  }

  namespaces(threadId: string | undefined): Promise<NamespaceRow[]> {
    return this.#lists.namespaces(threadId);
  }

  checkpoints(nsid: number, before: string | undefined, limit: number): Promise<CheckpointRow[]> {
    return this.#lists.checkpoints(nsid, before, limit);
  }

  threads(limit: number, before: ThreadPosition | undefined): Promise<ListedThread[]> {
    return this.#lists.threads(limit, before);
  }

  sizes(threadId: string): Promise<SizesRow | undefined> {
    return this.#lists.sizes(threadId);
  }

  delete(threadId: string, held?: ClaimKey): Promise<void> {
    return this.#upkeep.delete(threadId, held);
  }

  scanCheckpoints(nsid: number, after: number, limit: number): Promise<CheckpointRow[]> {
    return this.#upkeep.scanCheckpoints(nsid, after, limit);
  }

  scanWrites(nsid: number, after: number, to: number): Promise<WriteAt[]> {
    return this.#upkeep.scanWrites(nsid, after, to);
  }

  readWhole(nsids: readonly number[]): Promise<NamespaceRows[]> {
    return this.#upkeep.readWhole(nsids);
  }

  /** Those that came with a head may be older than what was read since. */
  scanLanes(tid: number): Promise<LaneRow[]> {
    return this.#readLanes(tid);
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
