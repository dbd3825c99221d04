import type { ClaimKey, ClaimRequest, HeadRow, RetakeRequest } from "../core/backend.ts";
import { toText } from "../core/names.ts";
import type { Connection } from "./connection.ts";
import { fromId, type StoredId } from "./ids.ts";
import {
  ADD_NAMESPACE,
  CLAIM,
  CREATE,
  CREATE_CLAIMED,
  FIND,
  FIRST_NAMESPACE,
  RELEASE,
  RENEW,
  RETAKE,
} from "./queries.ts";

/** What `FIND` gives. */
type Found = [
  tid: number,
  epoch: number,
  generation: number,
  owner: string | null,
  leaseUntil: number | null,
  nsid: number | null,
  head: number | null,
  next: number | null,
  headId: StoredId | null,
  pending: number,
];

/** Threads, and who holds them. */
export class Threads {
  readonly #db: Connection;
  readonly #tenant: string;

  /** @param tenant - as it is stored */
  constructor(db: Connection, tenant: string) {
    this.#db = db;
    this.#tenant = tenant;
  }

  find(threadId: string, namespace: string): HeadRow | undefined {
    const row = this.#db.get<Found>(FIND, toText(namespace), this.#tenant, toText(threadId));
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
      headId: headId === null ? null : fromId(headId),
      next: next ?? 1,
      pending: pending === 1,
    };
  }

  claim(request: ClaimRequest): HeadRow | undefined {
    const { owner, leaseUntil, now, seen, threadId, namespace } = request;
    if (seen === undefined) return this.#db.transaction(() => this.#claimNew(request));
    const take = (): boolean => this.#db.run(CLAIM, owner, leaseUntil, now, seen.tid, seen.epoch) > 0;
    if (seen.nsid !== null && seen.owner === null) {
      return take() ? taken(seen, request) : undefined;
    }
    // whoever had it may have stored something since it was seen, under the same epoch
    return this.#db.transaction(() => {
      if (!take()) return undefined;
      this.#db.run(ADD_NAMESPACE, seen.tid, toText(namespace));
      const row = this.find(threadId, namespace);
      return row && { ...row, before: seen.epoch };
    });
  }

  retake(request: RetakeRequest): HeadRow | undefined {
    const { owner, leaseUntil, now, seen } = request;
    const { tid, epoch, generation, nsid, head } = seen;
    if (this.#db.run(RETAKE, owner, leaseUntil, now, tid, epoch, generation, nsid, head, nsid, head) === 0)
      return undefined;
    return taken(seen, request);
  }

  #claimNew({ threadId, namespace, owner, leaseUntil, now }: ClaimRequest): HeadRow | undefined {
    const thread = [this.#tenant, toText(threadId), owner, leaseUntil, now, now];
    const tid = this.#db.insert(CREATE_CLAIMED, ...thread);
    if (tid === undefined) return undefined;
    const nsid = this.#db.insert(FIRST_NAMESPACE, tid, toText(namespace)) as number;
    const empty = { head: null, headId: null, next: 1, pending: false };
    return { tid, nsid, epoch: 1, before: 0, generation: 0, owner, leaseUntil, ...empty };
  }

  create(threadId: string, now: number): void {
    this.#db.run(CREATE, this.#tenant, toText(threadId), now, now);
  }

  renew(claims: readonly ClaimKey[], leaseUntil: number): void {
    for (const { tid, epoch } of claims) this.#db.run(RENEW, leaseUntil, tid, epoch);
  }

  release({ tid, epoch }: ClaimKey): void {
    this.#db.run(RELEASE, tid, epoch);
  }
}

const taken = (seen: HeadRow, { owner, leaseUntil }: ClaimRequest): HeadRow => ({
  ...seen,
  epoch: seen.epoch + 1,
  before: seen.epoch,
  owner,
  leaseUntil,
});
