import type { PlainText } from "../codec/plain.ts";
import type { ChainWeight } from "../manifest/base.ts";
import type { Folded } from "../manifest/fold.ts";
import type { CheckpointKey, HeadRow } from "./backend.ts";
import type { Known } from "./known.ts";
import type { Cached, CachedList } from "./list-cache.ts";
import type { KnownMap } from "./known-map.ts";
import { ReadGroups } from "./read-groups.ts";
import { KeptSnapshots } from "./kept-snapshots.ts";
import { SparseMap } from "./sparse-map.ts";

/**
 * What a saver remembers of a thread, so that neither a commit nor the next run reads it again.
 * All of it can be thrown away at any time.
 *
 * S1. It is believed only as far as the rows of `find` still say the same (epoch, generation, head and its id):
 *     that of a namespace confirms its head and what that consists of, and nothing of another one.
 * S2. It follows a commit only after the backend has confirmed it. Where several are sent together,
 *     each is planned on what the one before will leave, and all is forgotten unless all are stored.
 */
export class ThreadState {
  readonly threadId: string;
  readonly tid: number;
  readonly generation: number;
  /** The epoch of the last claim that this saver took or saw. */
  epoch: number;
  /** Whether a run of this saver holds the thread, as far as it knows. */
  isHeld = false;
  /** Whether the backend has refused a commit: what is remembered may be lost. The run goes on to be refused. */
  isRefused = false;
  /** The last commit of this saver: what it has stored before is stored as long as this one is. */
  last: CheckpointKey | undefined;
  /** Ordinal sequences by name; undefined until they are read. */
  lanes: SparseMap<string, Lane> | undefined;
  #identity: WeakMap<object, Known> | undefined;
  /** Lists that were read and are kept, whose messages `identity` need not have yet. */
  #read: readonly CachedList[] = [];
  #groups: ReadGroups | undefined;
  readonly namespaces = new SparseMap<string, NamespaceState>();

  constructor(threadId: string, row: HeadRow) {
    this.threadId = threadId;
    this.tid = row.tid;
    this.generation = row.generation;
    this.epoch = row.epoch;
  }
  /** Objects that are items already, but for messages of lists and archives that were read: see `itemOf`. */
  get identity(): WeakMap<object, Known> {
    return (this.#identity ??= new WeakMap());
  }
  /** The item that an object is, if it is one. */
  itemOf(element: object): Known | undefined {
    const known = this.#identity?.get(element);
    if (known !== undefined || (this.#read.length === 0 && this.#groups === undefined)) return known;
    const read = this.#groups?.take(element);
    if (read !== undefined) this.identity.set(element, read);
    else for (const list of this.#read) if (list.mayHold(element)) list.makeKnown();
    return this.#identity?.get(element);
  }
  /** Messages of archives that were read. */
  get groups(): ReadGroups {
    return (this.#groups ??= new ReadGroups());
  }
  /** To be called when a list was read that is kept. */
  keeps(list: CachedList): void {
    this.#read = [...this.#read.filter((other) => !other.isKnown), list];
  }
  forget(): void {
    this.forgetUnconfirmed();
    this.namespaces.clear();
  }
  /** All that the row of a namespace, which says what its head is, does not confirm. */
  forgetUnconfirmed(): void {
    this.last = undefined;
    this.forgetItems();
    for (const { recorded } of this.namespaces.values()) recorded.clear();
  }
  /** Which items there are, and where. */
  forgetItems(): void {
    this.lanes = undefined;
    this.#identity = undefined;
    this.#read = [];
    this.#groups = undefined;
  }
}

export interface Lane {
  readonly lane: number;
  next: number;
}

export class NamespaceState {
  nsid: number | null;
  /** Sequence number and id of the newest checkpoint. */
  head: number | null;
  headId: string | null;
  next: number;
  /** Checkpoints whose channels are known. */
  readonly snapshots = new KeptSnapshots<Snapshot>();
  /** Decoded elements of lists of the head, by channel. */
  readonly lists = new SparseMap<string, CachedList>();
  /** Values of the head that are items: what they hold may become items itself in the next step. */
  readonly values = new SparseMap<string, StoredValue>();
  /** Records of the head that are stored as what changed in them, by channel. */
  readonly maps = new SparseMap<string, KnownMap>();
  /** Writes recorded under a checkpoint, by its sequence number, then by task. */
  readonly recorded = new SparseMap<number, Map<string, Recorded>>();

  constructor(row: HeadRow | undefined) {
    this.nsid = row?.nsid ?? null;
    this.head = row?.head ?? null;
    this.headId = row?.headId ?? null;
    this.next = row?.next ?? 1;
  }

  /** Lists and records that are kept decoded; whoever forgets them tells the cache, which holds them, too. */
  decoded(): Cached[] {
    return [...this.lists.values(), ...this.maps.values()];
  }
}

export interface StoredValue {
  readonly lane: number;
  readonly ord: number;
  readonly value: object;
  /** What it said when it was stored: the program may have edited it in place since. */
  readonly text: string;
}

/** A task's regular writes that are stored: the values, which the program may have edited in place since. */
export interface Recorded {
  readonly task: string;
  readonly writes: readonly (readonly [string, unknown])[];
  /** What they said when they were stored: channel, value, channel, value ... Empty where that is not known. */
  readonly parts: readonly (string | PlainText)[];
}

/** A checkpoint with all channels known. */
export interface Snapshot {
  readonly seq: number;
  readonly id: string;
  readonly parentId: string | undefined;
  readonly ts: string;
  /** Encoded. */
  readonly metadata: string;
  readonly folded: Folded;
  /** Sequence number of the base of its chain. */
  readonly base: number;
  readonly weight: ChainWeight;
}
