import type { CheckpointRow, ClaimKey, NewItem } from "../core/backend.ts";
import type { Alteration, AlteredNamespace, NamespaceRows, WriteAt } from "../core/maintenance.ts";
import { touchedBy } from "../core/inline-writes.ts";
import { fromText, toText } from "../core/names.ts";
import { shortId } from "../core/short-id.ts";
import type { Connection } from "./connection.ts";
import { scanWrites, spill, writesAt, type WriteOf } from "./inline.ts";
import type { Queries } from "./queries.ts";
import type { StoredCheckpoint } from "./rows.ts";
import { lastOfEach } from "./values.ts";
import type { Run } from "./statement.ts";
import { writeAnew } from "./write-anew.ts";

/** What the verbs beyond a run ask of a database: `Maintenance`. */
export class Upkeep {
  readonly #db: Connection;
  readonly #tenant: string;
  readonly #queries: Queries;

  constructor(db: Connection, tenant: string) {
    this.#db = db;
    this.#tenant = tenant;
    this.#queries = db.queries;
  }

  scanCheckpoints(nsid: number, after: number, limit: number): Promise<CheckpointRow[]> {
    return this.#db.checkpointRows(this.#queries.scanCheckpoints, nsid, after, limit);
  }

  scanWrites(nsid: number, after: number, to: number): Promise<WriteAt[]> {
    return scanWrites(this.#db, nsid, after, to);
  }

  async readWhole(nsids: readonly number[]): Promise<NamespaceRows[]> {
    const db = this.#db;
    type CheckpointOf = readonly [nsid: number, names: string, ...StoredCheckpoint];
    const rows = await db.run<CheckpointOf>(db.queries.wholeCheckpoints, nsids);
    const found = await db.run<readonly [nsid: number, ...WriteOf]>(db.queries.wholeWrites, nsids);
    const known = await db.names.know(rows[0]?.[1]);
    const checkpoints = new Map(nsids.map((nsid) => [nsid, [] as CheckpointRow[]]));
    for (const [nsid, , ...row] of rows) checkpoints.get(nsid)?.push(known.row(row));
    const writes = new Map(nsids.map((nsid) => [nsid, [] as WriteOf[]]));
    for (const [nsid, ...row] of found) writes.get(nsid)?.push(row);
    return Promise.all(
      nsids.map(async (nsid) => ({
        checkpoints: checkpoints.get(nsid) ?? [],
        writes: await writesAt(db, writes.get(nsid) ?? []),
      })),
    );
  }

  async scanItems(tid: number, lane: number, from: number, limit: number): Promise<NewItem[]> {
    type Columns = [ord: number, key: number | null, body: string];
    const rows = await this.#db.run<Columns>(this.#queries.scanItems, tid, lane, from, limit);
    return rows.map(([ord, key, body]) => ({ lane, ord, key, body }));
  }

  async alter({ claim, namespaces, lanes, items, dropItems }: Alteration): Promise<boolean> {
    const verbs = this.#db.upkeep;
    const done = await this.#db.transaction(async (run) => {
      await run(verbs.lockTimeout);
      const held = await run(verbs.raiseGeneration, claim.tid, claim.epoch);
      if (held.length === 0) return undefined;
      if (!(await this.#areAsSeen(run, claim.tid, namespaces.filter(stays)))) return undefined;
      for (const altered of namespaces) {
        if (!stays(altered) && !(await this.#alterNamespace(run, claim.tid, altered))) return undefined;
      }
      if (lanes.length > 0) {
        const names = lanes.map(({ name }) => toText(name));
        await run(verbs.addLanes, claim.tid, lanes.map(({ lane }) => lane), names); // prettier-ignore
      }
      if (items.length > 0) await run(verbs.putItems, claim.tid, ...itemColumns(items));
      if (dropItems.length > 0) {
        const [of, from, to] = transposed(dropItems.map((range) => [range.lane, range.from, range.to]));
        await run(verbs.dropItems, claim.tid, of, from, to);
      }
      return true;
    });
    return done === true;
  }

  /** Whoever writes to one of them waits for the thread's row. */
  async #areAsSeen(run: Run, tid: number, namespaces: readonly AlteredNamespace[]): Promise<boolean> {
    if (namespaces.length === 0) return true;
    const columns = transposed(namespaces.map(({ name, head, next }) => [toText(name), head, next]));
    const [found] = await run<[number]>(this.#db.upkeep.asSeen, tid, ...columns);
    return found?.[0] === namespaces.length;
  }

  /** False: its head is not the one that was seen. */
  async #alterNamespace(run: Run, tid: number, altered: AlteredNamespace): Promise<boolean> {
    const verbs = this.#db.upkeep;
    const name = toText(altered.name);
    await run(verbs.addNamespace, tid, name);
    const [found] = await run<[number, number | null, number]>(verbs.namespace, tid, name);
    const [nsid, head, next] = found as [number, number | null, number];
    const { seen, checkpoints, drop } = altered;
    if (seen !== undefined && (seen.head !== head || seen.next !== next)) return false;
    const touched = touchedBy(altered);
    if (touched.size > 0) await spill(this.#db, run, nsid, [...touched]);
    if (drop.length > 0) {
      await run(verbs.dropCheckpoints, nsid, drop);
      await run(verbs.dropWrites, nsid, drop);
    }
    if (checkpoints.length > 0) {
      const columns = transposed(checkpoints.map(this.#db.names.columns.of));
      // stored over what has its place or its id
      await run(verbs.dropCheckpoints, nsid, columns[0]);
      await run(verbs.dropCheckpointIds, nsid, columns[1]);
      await run(verbs.putCheckpoints, nsid, ...columns);
    }
    const writes = lastOfEach(altered.writes);
    if (writes.length > 0) {
      const columns = transposed(writes.map(({ seq, task, slot, body }) => [seq, slot, shortId(task), body]));
      await run(verbs.putWrites, nsid, ...columns);
    }
    await run(verbs.moveHead, nsid, altered.head, altered.next);
    return true;
  }

  async copy(tid: number, threadId: string, now: number): Promise<boolean> {
    const verbs = this.#db.upkeep;
    const done = await this.#db.transaction(async (run) => {
      await run(verbs.lockTimeout);
      // locks the thread: what is copied is of one moment
      const [family] = await run<[number]>(verbs.joinFamily, tid, this.#tenant);
      if (family === undefined) return undefined;
      const [copy] = await run<[number]>(verbs.addCopy, this.#tenant, toText(threadId), family[0], now);
      if (copy === undefined) return undefined;
      for (const step of [verbs.copyLanes, verbs.copyItems, verbs.copyNamespaces])
        await run(step, tid, copy[0]);
      for (const step of [verbs.copyCheckpoints, verbs.copyWrites]) await run(step, tid, copy[0]);
      return true;
    });
    return done === true;
  }

  async relatives(tid: number): Promise<string[]> {
    const rows = await this.#db.run<[string]>(this.#queries.relatives, tid, this.#tenant);
    return rows.map(([threadId]) => fromText(threadId));
  }

  async delete(threadId: string, held?: ClaimKey): Promise<void> {
    const verbs = this.#db.upkeep;
    await this.#db.transaction(async (run) => {
      await run(verbs.lockTimeout);
      if (held !== undefined) {
        const rows = await run<[number]>(verbs.raiseGeneration, held.tid, held.epoch);
        const shown = await run(this.#queries.namespaces, this.#tenant, toText(threadId));
        if (rows.length === 0 || shown.length > 0) return undefined;
      }
      const [row] = await run<[number]>(verbs.dropThread, this.#tenant, toText(threadId));
      if (row === undefined) return undefined;
      for (const step of [verbs.dropAllCheckpoints, verbs.dropAllWrites, verbs.dropAllItems])
        await run(step, row[0]);
      for (const step of [verbs.dropLanes, verbs.dropNamespaces]) await run(step, row[0]);
      return true;
    });
  }

  /** See `writeAnew`. */
  cleanUp(): Promise<void> {
    return writeAnew(this.#db);
  }
}

/** Whether a namespace is only to be as it was seen. One in which nothing was ever stored may have no row yet. */
function stays({ seen, head, next, checkpoints, writes, drop }: AlteredNamespace): boolean {
  const isSame = seen !== undefined && seen.head === head && seen.next === next && next > 1;
  return isSame && checkpoints.length + writes.length + drop.length === 0;
}

function itemColumns(items: readonly NewItem[]): unknown[][] {
  return transposed(items.map(({ lane, ord, key, body }) => [key, lane, ord, body]));
}

/** Columns of rows. @param rows - at least one */
function transposed(rows: readonly (readonly unknown[])[]): unknown[][] {
  return (rows[0] as readonly unknown[]).map((_, i) => rows.map((row) => row[i]));
}
