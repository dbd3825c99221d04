import { SparseMap } from "../core/sparse-map.ts";
import type { Namespace, Thread } from "./rows.ts";

/** All threads of a memory saver, of all its tenants. */
export class MemoryStorage {
  readonly byTid = new Map<number, Thread>();
  readonly namespaces = new Map<number, Namespace>();
  readonly #tenants = new Map<string, Map<string, Thread>>();
  #lastTid = 0;
  #lastNsid = 0;

  /** The threads of one tenant, by id. */
  ofTenant(tenant: string): Map<string, Thread> {
    const threads = this.#tenants.get(tenant) ?? new Map<string, Thread>();
    this.#tenants.set(tenant, threads);
    return threads;
  }

  addThread(threads: Map<string, Thread>, threadId: string, createdAt: number): Thread {
    this.#lastTid += 1;
    const thread: Thread = {
      tid: this.#lastTid,
      threadId,
      createdAt,
      claimedAt: createdAt,
      family: this.#lastTid,
      epoch: 0,
      generation: 0,
      owner: null,
      leaseUntil: null,
      lanes: new SparseMap(),
      namespaces: new SparseMap(),
    };
    threads.set(threadId, thread);
    this.byTid.set(thread.tid, thread);
    return thread;
  }

  addNamespace(thread: Thread, name: string): Namespace {
    this.#lastNsid += 1;
    const namespace: Namespace = {
      nsid: this.#lastNsid,
      name,
      head: null,
      next: 1,
      checkpoints: [],
      byId: undefined,
      greatestId: "",
      writes: [],
    };
    thread.namespaces.set(name, namespace);
    this.namespaces.set(namespace.nsid, namespace);
    return namespace;
  }
}
