import type { HeadRow } from "./backend.ts";
import { SparseMap } from "./sparse-map.ts";
import { NamespaceState, ThreadState } from "./state.ts";

/** Threads that are remembered; the one that was used longest ago is forgotten first. */
const MAX_THREADS = 4096;

/** The threads of one saver. */
export class Remembered {
  readonly #threads = new Map<string, ThreadState>();

  /** What is remembered of a thread, as far as the row still confirms it (S1). */
  thread(threadId: string, row: HeadRow, claimed: boolean): ThreadState {
    let state = this.#threads.get(threadId);
    if (state === undefined || state.tid !== row.tid || state.generation !== row.generation) {
      state = new ThreadState(threadId, row);
      // a thread that nobody claimed or put to before has no lanes to be read; if it has, a commit is told so
      if (row.epoch <= 1 && row.head === null) state.lanes = new SparseMap();
    } else if (row.epoch !== state.epoch + (claimed ? 1 : 0)) state.lanes = undefined;
    state.epoch = row.epoch;
    this.#threads.delete(threadId);
    this.#threads.set(threadId, state);
    if (this.#threads.size > MAX_THREADS) this.#threads.delete(this.#threads.keys().next().value as string);
    return state;
  }

  /** The row of a namespace that holds something, as it was after the last run. */
  row(threadId: string, namespace: string): HeadRow | undefined {
    const state = this.#threads.get(threadId);
    const space = state?.namespaces.get(namespace);
    if (state === undefined || space === undefined || space.head === null) return undefined;
    const { tid, epoch, generation } = state;
    const { nsid, head, headId, next } = space;
    return {
      tid,
      epoch,
      generation,
      owner: null,
      leaseUntil: null,
      nsid,
      head,
      headId,
      next,
      pending: false,
    };
  }

  /** @returns what was remembered */
  forget(threadId: string): ThreadState | undefined {
    const state = this.#threads.get(threadId);
    this.#threads.delete(threadId);
    return state;
  }
}

/** What is remembered of a namespace, unless somebody else wrote to it. */
export function namespaceOf(state: ThreadState, name: string, row: HeadRow): NamespaceState {
  let space = state.namespaces.get(name);
  if (space === undefined || space.nsid !== row.nsid || space.head !== row.head || space.next !== row.next) {
    // somebody else wrote: ordinals and recorded writes may be theirs, too
    if (space !== undefined) state.lanes = undefined;
    space = new NamespaceState(row);
    state.namespaces.set(name, space);
  }
  return space;
}

/** Checkpoints of a namespace, and bytes of decoded lists and records, that are read again in no time. */
const FEW = 16;
const SMALL = 8_192;

/** Whether remembering a thread takes more, memory and collecting garbage, than reading it again. */
export function isShort({ namespaces }: ThreadState): boolean {
  let size = 0;
  for (const space of namespaces.values()) {
    if (space.next > FEW) return false;
    for (const cached of space.decoded()) size += cached.size;
  }
  return size <= SMALL;
}
