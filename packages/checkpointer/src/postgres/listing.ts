import type { CheckpointRow, NamespaceRow, SizesRow, ThreadPosition, ThreadRow } from "../core/backend.ts";
import { fromText, toText } from "../core/names.ts";
import type { Connection } from "./connection.ts";
import type { Queries } from "./queries.ts";
import { checkpointRow, type CheckpointColumns } from "./rows.ts";

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
    const end = before === undefined ? null : toText(before);
    const rows = await this.#db.run<CheckpointColumns>(this.#queries.checkpoints, nsid, end, limit);
    return rows.map(checkpointRow);
  }

  async threads(limit: number, before: ThreadPosition | undefined): Promise<ThreadRow[]> {
    type Columns = [
      thread: string,
      createdAt: number,
      updatedAt: string,
      headId: string | null,
      count: number,
    ];
    const from = before === undefined ? [null, null] : [toText(before.updatedAt), toText(before.threadId)];
    const rows = await this.#db.run<Columns>(this.#queries.threads, this.#tenant, ...from, limit);
    return rows.map(([thread, createdAt, updatedAt, headId, checkpoints]) => ({
      threadId: fromText(thread),
      createdAt,
      updatedAt: fromText(updatedAt),
      headId: headId === null ? null : fromText(headId),
      checkpoints,
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
