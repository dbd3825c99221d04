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
  Ownership,
  SizesRow,
  ThreadPosition,
  ListedThread,
  WriteRow,
} from "../core/backend.ts";
import type { Alteration, WriteAt } from "../core/maintenance.ts";
import { DeltaRow } from "../core/delta-row.ts";
import { compareWrites } from "../core/order.ts";
import { applyAlteration, copyNamespace, copyOfLane, isAsSeen } from "./alter.ts";
import {
  comparePositions,
  addWrites,
  emptyLane,
  headRow,
  present,
  putCheckpoint,
  seqOf,
  isTaken,
  NO_KEY,
  ordsOf,
  putItem,
  threadRow,
  threadSizes,
  withParentId,
  writesAt,
  writesUnder,
  type Lane,
  type Namespace,
  type Thread,
} from "./rows.ts";
import { MemoryStorage } from "./storage.ts";
import type { WriteRows } from "./writes.ts";

/** Rows in maps. Keeps what it is given (B3) and answers every call with a value. */
export class MemoryBackend implements Backend {
  readonly synchronous = true;
  readonly inMemory = true;
  // nobody else can hold a thread of this process: only the lease tells whether a run still lives
  readonly ownership: Ownership = {
    describe: (saver) => saver,
    isDead: (owner, leaseUntil, now) => owner === null || (leaseUntil ?? 0) <= now,
  };
  readonly #storage: MemoryStorage;
  readonly #threads: Map<string, Thread>;
  readonly #byTid: Map<number, Thread>;
  readonly #namespaces: Map<number, Namespace>;

  constructor(storage: MemoryStorage = new MemoryStorage(), tenant = "") {
    this.#storage = storage;
    this.#threads = storage.ofTenant(tenant);
    this.#byTid = storage.byTid;
    this.#namespaces = storage.namespaces;
  }

  find(threadId: string, namespace: string): HeadRow | undefined {
    const thread = this.#threads.get(threadId);
    return thread === undefined ? undefined : headRow(thread, thread.namespaces.get(namespace));
  }

  claim({ threadId, namespace, owner, leaseUntil, now, seen }: ClaimRequest): HeadRow | undefined {
    let thread = this.#threads.get(threadId);
    if (thread?.epoch !== seen?.epoch || thread?.tid !== seen?.tid) return undefined;
    thread ??= this.#addThread(threadId, now);
    const before = thread.epoch;
    thread.epoch += 1;
    thread.owner = owner;
    thread.leaseUntil = leaseUntil;
    thread.claimedAt = now;
    const space = thread.namespaces.get(namespace) ?? this.#addNamespace(thread, namespace);
    return { ...headRow(thread, space), before };
  }

  create(threadId: string, now: number): void {
    if (!this.#threads.has(threadId)) this.#addThread(threadId, now);
  }

  #addThread(threadId: string, now: number): Thread {
    return this.#storage.addThread(this.#threads, threadId, now);
  }

  #addNamespace(thread: Thread, name: string): Namespace {
    return this.#storage.addNamespace(thread, name);
  }

  renew(claims: readonly ClaimKey[], leaseUntil: number): void {
    for (const claim of claims) {
      const thread = this.#held(claim);
      if (thread !== undefined) thread.leaseUntil = leaseUntil;
    }
  }

  release(claim: ClaimKey): void {
    const thread = this.#held(claim);
    if (thread === undefined) return;
    thread.owner = null;
    thread.leaseUntil = null;
  }

  #held({ tid, epoch }: ClaimKey): Thread | undefined {
    const thread = this.#byTid.get(tid);
    return thread?.epoch === epoch ? thread : undefined;
  }

  lanes(tid: number): LaneRow[] {
    const lanes = this.#byTid.get(tid)?.lanes.entries() ?? [];
    return [...lanes].map(([lane, { name, items }]) => ({ lane, name, next: items.length }));
  }

  locate(nsid: number, checkpointId: string): number | undefined {
    const namespace = this.#namespaces.get(nsid);
    return namespace && seqOf(namespace, checkpointId);
  }

  chain(nsid: number, seq: number): CheckpointRow[] {
    const namespace = this.#namespaces.get(nsid);
    const last = namespace?.checkpoints[seq];
    if (namespace === undefined || last === undefined) return [];
    const rows: CheckpointRow[] = [];
    for (let at = last.base; at <= seq; at += 1) {
      const row = namespace.checkpoints[at];
      if (row !== undefined) rows.push(withParentId(namespace, row));
    }
    return rows;
  }

  writes(nsid: number, seq: number): WriteRow[] {
    const namespace = this.#namespaces.get(nsid);
    const rows = namespace === undefined ? [] : writesAt(namespace, seq);
    return rows.toSorted(compareWrites);
  }

  items(tid: number, lane: number, from: number, to: number): string[] {
    const items = this.#byTid.get(tid)?.lanes.get(lane)?.items ?? [];
    return items.slice(from, to).filter((body) => body !== undefined);
  }

  itemsByKey(tid: number, lane: number, keys: readonly number[]): { key: number; ord: number }[] {
    const stored = this.#byTid.get(tid)?.lanes.get(lane);
    if (stored === undefined) return [];
    return keys.flatMap((key) => ordsOf(stored, key).map((ord) => ({ key, ord })));
  }

  record(owner: ClaimKey | undefined, nsid: number, seq: number, rows: readonly WriteRow[]): boolean {
    const writes = this.#writesFor(owner, nsid, seq);
    if (writes === undefined) return false;
    for (const row of rows) if (row.slot < 0 || !writes.has(row)) writes.set(row);
    return true;
  }

  rewrite(owner: ClaimKey | undefined, nsid: number, seq: number, row: WriteRow): boolean {
    const writes = this.#writesFor(owner, nsid, seq);
    writes?.set(row);
    return writes !== undefined;
  }

  /** What is recorded there, for who holds the thread. */
  #writesFor(owner: ClaimKey | undefined, nsid: number, seq: number): WriteRows | undefined {
    const namespace = this.#namespaces.get(nsid);
    const isLost = owner !== undefined && this.#held(owner) === undefined;
    return namespace === undefined || isLost ? undefined : writesUnder(namespace, seq);
  }

  commit(commit: CommitRow): CommitOutcome {
    const thread = this.#byTid.get(commit.tid);
    const claimLost = commit.claim !== undefined && thread?.epoch !== commit.claim.epoch;
    if (thread === undefined || claimLost || thread.generation !== commit.generation) {
      return { done: false, why: "conflict" };
    }
    const known = thread.namespaces.get(commit.namespace);
    if ((known?.head ?? null) !== commit.expected) return { done: false, why: "conflict" };
    if (isTaken(thread, known, commit)) return { done: false, why: "taken" };
    const namespace = known ?? this.#addNamespace(thread, commit.namespace);
    for (const { lane, name } of commit.lanes) thread.lanes.set(lane, emptyLane(name));
    for (const item of commit.items) putItem(thread, item);
    for (const { lane, ord, body } of commit.moved) (thread.lanes.get(lane) as Lane).items[ord] = body;
    const row = commit.checkpoint;
    putCheckpoint(namespace, DeltaRow.of(row));
    if (commit.replaces) thread.generation += 1;
    else namespace.next = row.seq + 1;
    namespace.head = commit.head;
    if (row.parent !== null) {
      addWrites(namespace, row.parent, commit.writes);
      addWrites(namespace, row.parent, commit.rewrites);
    }
    if (commit.release && commit.claim !== undefined) this.release(commit.claim);
    return { done: true, nsid: namespace.nsid };
  }

  namespaces(threadId: string | undefined): NamespaceRow[] {
    const rows: NamespaceRow[] = [];
    for (const thread of this.#threads.values()) {
      if (threadId !== undefined && thread.threadId !== threadId) continue;
      for (const { name, nsid, head, next } of thread.namespaces.values()) {
        if (next === 1) continue;
        rows.push({ threadId: thread.threadId, tid: thread.tid, namespace: name, nsid, head, next });
      }
    }
    return rows;
  }

  checkpoints(nsid: number, before: string | undefined, limit: number): CheckpointRow[] {
    const namespace = this.#namespaces.get(nsid);
    if (namespace === undefined) return [];
    const rows = present(namespace).filter((row) => before === undefined || row.id < before);
    rows.sort((a, b) => (a.id < b.id ? 1 : -1));
    return rows.slice(0, limit).map((row) => withParentId(namespace, row));
  }

  threads(limit: number, before: ThreadPosition | undefined): ListedThread[] {
    const rows = [...this.#threads.values()].map(threadRow);
    rows.sort((a, b) => comparePositions(b, a));
    const rest = before === undefined ? rows : rows.filter((row) => comparePositions(row, before) < 0);
    return rest.slice(0, limit);
  }

  sizes(threadId: string): SizesRow | undefined {
    const thread = this.#threads.get(threadId);
    if (thread === undefined) return undefined;
    let totalBytes = 0;
    for (const other of this.#threads.values()) {
      const { itemBytes, writeBytes, manifestBytes } = threadSizes(other);
      totalBytes += itemBytes + writeBytes + manifestBytes;
    }
    return { ...threadSizes(thread), totalBytes, logBytes: 0 };
  }

  delete(threadId: string, held?: ClaimKey): void {
    const thread = this.#threads.get(threadId);
    if (thread === undefined) return;
    if (held !== undefined && (this.#held(held) !== thread || this.namespaces(threadId).length > 0)) return;
    this.#threads.delete(threadId);
    this.#byTid.delete(thread.tid);
    for (const { nsid } of thread.namespaces.values()) this.#namespaces.delete(nsid);
  }

  scanCheckpoints(nsid: number, after: number, limit: number): CheckpointRow[] {
    const namespace = this.#namespaces.get(nsid);
    return namespace === undefined
      ? []
      : present(namespace)
          .filter(({ seq }) => seq > after)
          .slice(0, limit);
  }

  scanWrites(nsid: number, after: number, to: number): WriteAt[] {
    const seqs = [...(this.#namespaces.get(nsid)?.writes.keys() ?? [])];
    const within = seqs.filter((seq) => seq > after && seq <= to);
    return within.flatMap((seq) =>
      this.writes(nsid, seq).map(({ task, slot, body }) => ({ seq, task, slot, body })),
    );
  }

  scanLanes(tid: number): LaneRow[] {
    return this.lanes(tid);
  }

  scanItems(tid: number, lane: number, from: number, limit: number): NewItem[] {
    const stored = this.#byTid.get(tid)?.lanes.get(lane);
    const found: NewItem[] = [];
    for (let ord = from; ord < (stored?.items.length ?? 0) && found.length < limit; ord += 1) {
      const body = stored?.items[ord];
      const key = stored?.keys[ord] ?? NO_KEY;
      if (body !== undefined) found.push({ lane, ord, key: key === NO_KEY ? null : key, body });
    }
    return found;
  }

  alter(change: Alteration): boolean {
    const thread = this.#held(change.claim);
    if (thread === undefined || !isAsSeen(thread, change)) return false;
    for (const { name } of change.namespaces) {
      if (!thread.namespaces.has(name)) this.#addNamespace(thread, name);
    }
    applyAlteration(thread, change);
    return true;
  }

  copy(tid: number, threadId: string, now: number): boolean {
    const thread = this.#byTid.get(tid);
    if (thread === undefined || this.#threads.has(threadId)) return false;
    const copy = this.#addThread(threadId, now);
    copy.family = thread.family;
    for (const [number, lane] of thread.lanes.entries()) copy.lanes.set(number, copyOfLane(lane));
    for (const namespace of thread.namespaces.values()) {
      copyNamespace(namespace, this.#addNamespace(copy, namespace.name));
    }
    return true;
  }

  relatives(tid: number): string[] {
    const family = this.#byTid.get(tid)?.family;
    const others = [...this.#threads.values()].filter((thread) => thread.family === family);
    return others.filter((thread) => thread.tid !== tid).map(({ threadId }) => threadId);
  }

  /** What was removed from a map is nowhere but in the engine's heap, which nobody can clean. */
  cleanUp(): void {}
}
