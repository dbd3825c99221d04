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
  Ownership,
  SizesRow,
  ThreadPosition,
  ThreadRow,
  WriteRow,
} from "../core/backend.ts";
import {
  comparePositions,
  headRow,
  isTaken,
  threadRow,
  threadSizes,
  withParentId,
  writesUnder,
  type Lane,
  type Namespace,
  type Thread,
} from "./rows.ts";

/** Rows in maps. Keeps what it is given (B3) and answers every call with a value. */
export class MemoryBackend implements Backend {
  // nobody else can hold a thread of this process: only the lease tells whether a run still lives
  readonly ownership: Ownership = {
    describe: () => "this process",
    isDead: (owner, leaseUntil, now) => owner === null || (leaseUntil ?? 0) <= now,
  };
  readonly #threads = new Map<string, Thread>();
  readonly #byTid = new Map<number, Thread>();
  readonly #namespaces = new Map<number, Namespace>();
  #lastTid = 0;
  #lastNsid = 0;

  find(threadId: string, namespace: string): HeadRow | undefined {
    const thread = this.#threads.get(threadId);
    return thread === undefined ? undefined : headRow(thread, thread.namespaces.get(namespace));
  }

  claim({ threadId, namespace, owner, leaseUntil, now, seen }: ClaimRequest): HeadRow | undefined {
    let thread = this.#threads.get(threadId);
    if (thread?.epoch !== seen?.epoch || thread?.tid !== seen?.tid) return undefined;
    thread ??= this.#addThread(threadId, now);
    thread.epoch += 1;
    thread.owner = owner;
    thread.leaseUntil = leaseUntil;
    return headRow(thread, thread.namespaces.get(namespace) ?? this.#addNamespace(thread, namespace));
  }

  create(threadId: string, now: number): void {
    if (!this.#threads.has(threadId)) this.#addThread(threadId, now);
  }

  #addThread(threadId: string, createdAt: number): Thread {
    this.#lastTid += 1;
    const thread: Thread = {
      tid: this.#lastTid,
      threadId,
      createdAt,
      epoch: 0,
      owner: null,
      leaseUntil: null,
      lanes: new Map(),
      namespaces: new Map(),
    };
    this.#threads.set(threadId, thread);
    this.#byTid.set(thread.tid, thread);
    return thread;
  }

  #addNamespace(thread: Thread, name: string): Namespace {
    this.#lastNsid += 1;
    const namespace: Namespace = {
      nsid: this.#lastNsid,
      thread,
      name,
      head: null,
      next: 1,
      checkpoints: new Map(),
      byId: new Map(),
      writes: new Map(),
    };
    thread.namespaces.set(name, namespace);
    this.#namespaces.set(namespace.nsid, namespace);
    return namespace;
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
    const lanes = this.#byTid.get(tid)?.lanes ?? new Map<number, Lane>();
    return [...lanes].map(([lane, { name, items }]) => ({ lane, name, next: items.length }));
  }

  locate(nsid: number, checkpointId: string): number | undefined {
    return this.#namespaces.get(nsid)?.byId.get(checkpointId);
  }

  chain(nsid: number, seq: number): CheckpointRow[] {
    const namespace = this.#namespaces.get(nsid);
    const last = namespace?.checkpoints.get(seq);
    if (namespace === undefined || last === undefined) return [];
    const rows: CheckpointRow[] = [];
    for (let at = last.base; at <= seq; at += 1) {
      const row = namespace.checkpoints.get(at);
      if (row !== undefined) rows.push(withParentId(namespace, row));
    }
    return rows;
  }

  writes(nsid: number, seq: number): WriteRow[] {
    const rows = this.#namespaces.get(nsid)?.writes.get(seq)?.values() ?? [];
    return [...rows].sort((a, b) => (a.task === b.task ? a.slot - b.slot : a.task < b.task ? -1 : 1));
  }

  items(tid: number, lane: number, from: number, to: number): string[] {
    const items = this.#byTid.get(tid)?.lanes.get(lane)?.items ?? [];
    return items.slice(from, to).filter((body) => body !== undefined);
  }

  itemsByKey(tid: number, lane: number, keys: readonly number[]): { key: number; ord: number }[] {
    const byKey = this.#byTid.get(tid)?.lanes.get(lane)?.byKey;
    return keys.flatMap((key) => (byKey?.get(key) ?? []).map((ord) => ({ key, ord })));
  }

  record(owner: ClaimKey | undefined, nsid: number, seq: number, rows: readonly WriteRow[]): boolean {
    const namespace = this.#namespaces.get(nsid);
    if (namespace === undefined || (owner !== undefined && this.#held(owner) === undefined)) return false;
    const writes = writesUnder(namespace, seq);
    for (const row of rows) {
      const key = `${row.slot} ${row.task}`;
      if (row.slot < 0 || !writes.has(key)) writes.set(key, row);
    }
    return true;
  }

  rewrite(nsid: number, seq: number, row: WriteRow): void {
    const namespace = this.#namespaces.get(nsid);
    if (namespace !== undefined) writesUnder(namespace, seq).set(`${row.slot} ${row.task}`, row);
  }

  commit(commit: CommitRow): CommitOutcome {
    const thread = this.#byTid.get(commit.tid);
    if (thread === undefined || (commit.claim !== undefined && thread.epoch !== commit.claim.epoch)) {
      return { done: false, why: "conflict" };
    }
    const known = thread.namespaces.get(commit.namespace);
    if ((known?.head ?? null) !== commit.expected) return { done: false, why: "conflict" };
    if (isTaken(thread, known, commit)) return { done: false, why: "taken" };
    const namespace = known ?? this.#addNamespace(thread, commit.namespace);
    for (const { lane, name } of commit.lanes) thread.lanes.set(lane, { name, items: [], byKey: new Map() });
    for (const { lane, ord, key, body } of commit.items) {
      const { items, byKey } = thread.lanes.get(lane) as Lane;
      items[ord] = body;
      if (key === null) continue;
      const ords = byKey.get(key);
      if (ords === undefined) byKey.set(key, [ord]);
      else ords.push(ord);
    }
    for (const { lane, ord, body } of commit.moved) (thread.lanes.get(lane) as Lane).items[ord] = body;
    const row = commit.checkpoint;
    namespace.checkpoints.set(row.seq, row);
    namespace.byId.set(row.id, row.seq);
    if (!commit.replaces) namespace.next = row.seq + 1;
    namespace.head = commit.head;
    if (row.parent !== null && commit.writes.length + commit.rewrites.length > 0) {
      const writes = writesUnder(namespace, row.parent);
      for (const write of commit.writes) writes.set(`${write.slot} ${write.task}`, write);
      for (const write of commit.rewrites) writes.set(`${write.slot} ${write.task}`, write);
    }
    if (commit.release && commit.claim !== undefined) this.release(commit.claim);
    return { done: true, nsid: namespace.nsid };
  }

  namespaces(threadId: string | undefined): NamespaceRow[] {
    const rows: NamespaceRow[] = [];
    for (const thread of this.#threads.values()) {
      if (threadId !== undefined && thread.threadId !== threadId) continue;
      for (const { name, nsid, checkpoints } of thread.namespaces.values()) {
        if (checkpoints.size === 0) continue;
        rows.push({ threadId: thread.threadId, tid: thread.tid, namespace: name, nsid });
      }
    }
    return rows;
  }

  checkpoints(nsid: number, before: string | undefined, limit: number): CheckpointRow[] {
    const namespace = this.#namespaces.get(nsid);
    if (namespace === undefined) return [];
    const rows = [...namespace.checkpoints.values()].filter((row) => before === undefined || row.id < before);
    rows.sort((a, b) => (a.id < b.id ? 1 : -1));
    return rows.slice(0, limit).map((row) => withParentId(namespace, row));
  }

  threads(limit: number, before: ThreadPosition | undefined): ThreadRow[] {
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

  delete(threadId: string): void {
    const thread = this.#threads.get(threadId);
    if (thread === undefined) return;
    this.#threads.delete(threadId);
    this.#byTid.delete(thread.tid);
    for (const { nsid } of thread.namespaces.values()) this.#namespaces.delete(nsid);
  }
}
