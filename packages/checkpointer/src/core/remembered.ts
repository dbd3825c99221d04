import type { HeadRow } from "./backend.ts";
import { SparseMap } from "./sparse-map.ts";
import { NamespaceState, ThreadState } from "./state.ts";

/** Threads that are remembered; the one that was used longest ago is forgotten first. */
const MAX_THREADS = 4096;

/** The threads of one saver. */
export class Remembered {
  readonly #threads = new Map<string, ThreadState>();

  /** What is remembered of a thread, as far as the row still confirms it (S1). */
  thread(threadId: string, row: HeadRow): ThreadState {
    let state = this.#threads.get(threadId);
    const epoch = row.before ?? row.epoch;
    if (state === undefined || !isOf(state, row, epoch) || isInDoubt(state, row)) {
      state = new ThreadState(threadId, row);
      // a thread that nobody claimed or put to before has no lanes to be read; if it has, a commit is told so
      if (epoch === 0 && row.head === null) state.lanes = new SparseMap();
    }
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
  forget(threadId: string, only?: ThreadState): ThreadState | undefined {
    const state = this.#threads.get(threadId);
    if (only !== undefined && only !== state) return undefined;
    this.#threads.delete(threadId);
    return state;
  }
}

/** Whether nobody else has taken the thread since. */
function isOf(state: ThreadState, { tid, generation }: HeadRow, epoch: number): boolean {
  return state.tid === tid && state.generation === generation && state.epoch === epoch;
}

/** A run that was taken the thread from keeps what it remembers to itself; nobody begins with what was refused. */
function isInDoubt({ isHeld, isRefused }: ThreadState, { before }: HeadRow): boolean {
  return isHeld ? before !== undefined : isRefused;
}

/** By the id as well: behind what a server has lost, others take the same numbers. */
function isAs(space: NamespaceState, { nsid, head, headId, next }: HeadRow): boolean {
  return space.nsid === nsid && space.head === head && space.headId === headId && space.next === next;
}

/** What is remembered of a namespace, unless somebody else wrote to it. */
export function namespaceOf(state: ThreadState, name: string, row: HeadRow): NamespaceState {
  let space = state.namespaces.get(name);
  if (space === undefined || !isAs(space, row)) {
    // somebody else wrote, and ordinals may be theirs; or the server has lost what was stored here, items with it
    if (space !== undefined && state.isHeld) state.forgetItems();
    else if (space !== undefined) state.forgetUnconfirmed();
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
