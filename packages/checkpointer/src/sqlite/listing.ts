import { statSync } from "node:fs";
import type { CheckpointRow, NamespaceRow, SizesRow, ThreadPosition, ListedThread } from "../core/backend.ts";
import type { Connection } from "./connection.ts";
import { fromText, toText } from "../core/names.ts";
import { fromId, toId, type StoredId } from "./ids.ts";
import { CHECKPOINT, CHECKPOINTS, ID_KINDS, NAMESPACES, SIZES, THREADS } from "./queries.ts";
import { fromTime, toTime, type StoredCheckpoint, type StoredTime } from "./rows.ts";

/** What there is: threads, namespaces, checkpoints, bytes. */
export class Listing {
  readonly #db: Connection;
  readonly #tenant: string;

  constructor(db: Connection, tenant: string) {
    this.#db = db;
    this.#tenant = tenant;
  }

  namespaces(threadId: string | undefined): NamespaceRow[] {
    const one = threadId === undefined ? null : toText(threadId);
    const rows = this.#db.all<[string, number, string, number, number | null, number]>(
      NAMESPACES,
      this.#tenant,
      one,
      one,
    );
    return rows.map(([thread, tid, ns, nsid, head, next]) => ({
      threadId: fromText(thread),
      tid,
      namespace: fromText(ns),
      nsid,
      head,
      next,
    }));
  }

  checkpoints(nsid: number, before: string | undefined, limit: number): CheckpointRow[] {
    const end = before === undefined ? null : toId(before);
    const kinds = new Set(this.#db.get<string[]>(ID_KINDS, nsid, nsid));
    if (end !== null) kinds.add(typeof end === "string" ? "text" : "blob");
    if (kinds.has("text") && kinds.has("blob")) return this.#mixedCheckpoints(nsid, before, limit);
    const rows = this.#db.all<StoredCheckpoint>(CHECKPOINTS, nsid, end, end, limit);
    return rows.map(this.#db.checkpoints.row);
  }

  /** UUIDs and other ids in one namespace: their order is that of their texts, which no index has. */
  #mixedCheckpoints(nsid: number, before: string | undefined, limit: number): CheckpointRow[] {
    const all = this.#db
      .all<[number, StoredId]>("SELECT seq, cid FROM checkpoints WHERE nsid = ?", nsid)
      .map(([seq, cid]) => ({ seq, id: fromId(cid) }))
      .filter(({ id }) => before === undefined || id < before)
      .sort((a, b) => (a.id < b.id ? 1 : -1));
    return all.slice(0, limit).map(({ seq }) => {
      const row = this.#db.get<StoredCheckpoint>(CHECKPOINT, nsid, seq);
      return this.#db.checkpoints.row(row as StoredCheckpoint);
    });
  }

  threads(limit: number, before: ThreadPosition | undefined): ListedThread[] {
    const at = before === undefined ? null : toTime(before.updatedAt);
    const id = before === undefined ? null : toText(before.threadId);
    const rows = this.#db.all<[string, number, StoredTime, StoredId | null, number, number]>(
      THREADS,
      this.#tenant,
      at,
      at,
      id,
      limit,
    );
    return rows.map(([thread, createdAt, updatedAt, headId, checkpoints, epoch]) => ({
      threadId: fromText(thread),
      createdAt: new Date(createdAt).toISOString(),
      updatedAt: fromTime(updatedAt),
      headId: headId === null ? null : fromId(headId),
      checkpoints,
      epoch,
    }));
  }

  sizes(threadId: string): SizesRow | undefined {
    const row = this.#db.get<[number, number, number, number]>(SIZES, this.#tenant, toText(threadId));
    if (row === undefined) return undefined;
    const [pages] = this.#db.get<[number]>("PRAGMA page_count") as [number];
    const [pageSize] = this.#db.get<[number]>("PRAGMA page_size") as [number];
    const [items, itemBytes, writeBytes, manifestBytes] = row;
    return {
      items,
      itemBytes,
      writeBytes,
      manifestBytes,
      totalBytes: pages * pageSize,
      logBytes: fileBytes(`${this.#db.path}-wal`),
    };
  }
}

function fileBytes(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
