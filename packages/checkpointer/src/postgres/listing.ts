import type { CheckpointRow, NamespaceRow, SizesRow, ThreadPosition, ListedThread } from "../core/backend.ts";
import { fromText, toText } from "../core/names.ts";
import type { Connection } from "./connection.ts";
import type { Queries } from "./queries.ts";
import { fromShortId, isShort, shortId } from "../core/short-id.ts";
import { fromTime, toTime } from "./rows.ts";

/** What there is: threads, namespaces, checkpoints, bytes. */
export class Listing {
  readonly #db: Connection;
  readonly #queries: Queries;
  readonly #tenant: string;

  constructor(db: Connection, queries: Queries, tenant: string) {
    this.#db = db;
    this.#queries = queries;
    this.#tenant = tenant;
  }

  async namespaces(threadId: string | undefined): Promise<NamespaceRow[]> {
    type Columns = [thread: string, tid: number, ns: string, nsid: number, head: number | null, next: number];
    const one = threadId === undefined ? null : toText(threadId);
    const rows = await this.#db.run<Columns>(this.#queries.namespaces, this.#tenant, one);
    return rows.map(([thread, tid, ns, nsid, head, next]) => {
      return { threadId: fromText(thread), tid, namespace: fromText(ns), nsid, head, next };
    });
  }

  async checkpoints(nsid: number, before: string | undefined, limit: number): Promise<CheckpointRow[]> {
    const end = before === undefined ? null : shortId(before);
    const [kinds] = await this.#db.run<[string | null, string | null]>(this.#queries.idKinds, nsid);
    const ids = [...(kinds ?? []), end].filter((id) => id !== null);
    const isMixed = ids.some(isShort) && !ids.every(isShort);
    if (isMixed) return this.#mixedCheckpoints(nsid, before, limit);
    return this.#db.checkpointRows(this.#queries.checkpoints, nsid, end, limit);
  }

  /** UUIDs and other ids in one namespace: their order is that of their texts, which no index has. */
  async #mixedCheckpoints(nsid: number, before: string | undefined, limit: number): Promise<CheckpointRow[]> {
    const all = await this.#db.checkpointRows(this.#queries.checkpoints, nsid, null, null);
    return all
      .filter(({ id }) => before === undefined || id < before)
      .sort((a, b) => (a.id < b.id ? 1 : -1))
      .slice(0, limit);
  }

  async threads(limit: number, before: ThreadPosition | undefined): Promise<ListedThread[]> {
    type Columns = [
      thread: string,
      createdAt: number,
      updatedAt: string,
      headId: string | null,
      count: number,
      epoch: number,
    ];
    const from = before === undefined ? [null, null] : [toTime(before.updatedAt), toText(before.threadId)];
    const rows = await this.#db.run<Columns>(this.#queries.threads, this.#tenant, ...from, limit);
    return rows.map(([thread, createdAt, updatedAt, headId, checkpoints, epoch]) => ({
      threadId: fromText(thread),
      createdAt: new Date(createdAt).toISOString(),
      updatedAt: fromTime(updatedAt),
      headId: headId === null ? null : fromShortId(headId),
      checkpoints,
      epoch,
    }));
  }

  async sizes(threadId: string): Promise<SizesRow | undefined> {
    type Columns = [
      items: number,
      itemBytes: number,
      writeBytes: number,
      manifestBytes: number,
      total: number,
    ];
    const [row] = await this.#db.run<Columns>(this.#queries.sizes, this.#tenant, toText(threadId));
    if (row === undefined) return undefined;
    const [items, itemBytes, writeBytes, manifestBytes, totalBytes] = row;
    // the log of the server holds all its databases, and is not this schema's to fold
    return { items, itemBytes, writeBytes, manifestBytes, totalBytes, logBytes: 0 };
  }
}
