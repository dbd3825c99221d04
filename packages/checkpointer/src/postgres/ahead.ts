import type { CheckpointRow, HeadRow, LaneRow, WriteRow } from "../core/backend.ts";
import {
  laneRow,
  writeRow,
  type Columns,
  type LaneColumns,
  type StoredCheckpoint,
  type WriteColumns,
} from "./rows.ts";

/** Namespaces whose head is remembered. */
const MAX_HEADS = 4096;
/** A head that no namespace has, not even one without checkpoints. */
const UNKNOWN = -1;

/** Rows as JSON, each undefined where the server did not send it. */
interface Sent {
  readonly writes: string | null;
  readonly chain: string | null;
  readonly lanes: string | null;
}

interface Kept extends Sent {
  readonly tid: number;
  readonly head: number | null;
}

/**
 * What came along with a head, until it is asked for, and the heads that need nothing to come
 * along. So opening a thread is one round trip, whether anything is remembered of it or not.
 *
 * What is kept is used once, by the open it came for; a write to the namespace, or its next head,
 * throws it away.
 */
export class Ahead {
  readonly #checkpoints: Columns;
  readonly #heads = new Map<number, number | null>();
  readonly #spaces = new Map<string, number>();
  readonly #kept = new Map<number, Kept>();

  constructor(checkpoints: Columns) {
    this.#checkpoints = checkpoints;
  }

  /** The head whose chain the caller has read, as far as can be told. */
  knownHead(threadId: string, namespace: string): number | null {
    const nsid = this.#spaces.get(keyOf(threadId, namespace));
    const head = nsid === undefined ? undefined : this.#heads.get(nsid);
    return head === undefined ? UNKNOWN : head;
  }

  take(threadId: string, namespace: string, { tid, nsid, head }: HeadRow, sent: Sent): void {
    if (nsid === null) return;
    remember(this.#spaces, keyOf(threadId, namespace), nsid);
    remember(this.#heads, nsid, head);
    this.#kept.delete(nsid);
    if (sent.writes !== null || sent.chain !== null || sent.lanes !== null)
      remember(this.#kept, nsid, { ...sent, tid, head });
  }

  /** After a commit. */
  learn(nsid: number, head: number | null): void {
    if (this.#heads.has(nsid)) this.#heads.set(nsid, head);
  }

  forget(nsid: number): void {
    this.#kept.delete(nsid);
  }

  chain(nsid: number, seq: number): CheckpointRow[] | undefined {
    return this.#use<StoredCheckpoint>(nsid, seq, "chain")?.map(this.#checkpoints.row);
  }

  writes(nsid: number, seq: number): WriteRow[] | undefined {
    return this.#use<WriteColumns>(nsid, seq, "writes")?.map(writeRow);
  }

  lanes(tid: number): LaneRow[] | undefined {
    for (const [nsid, kept] of this.#kept) {
      if (kept.tid === tid) return this.#use<LaneColumns>(nsid, kept.head, "lanes")?.map(laneRow);
    }
    return undefined;
  }

  #use<Row>(nsid: number, head: number | null, what: keyof Sent): Row[] | undefined {
    const kept = this.#kept.get(nsid);
    const text = kept?.[what];
    if (kept === undefined || kept.head !== head || typeof text !== "string") return undefined;
    this.#kept.set(nsid, { ...kept, [what]: null });
    return JSON.parse(text) as Row[];
  }
}

const keyOf = (threadId: string, namespace: string): string => `${threadId.length} ${threadId}${namespace}`;

function remember<Key, Value>(map: Map<Key, Value>, key: Key, value: Value): void {
  map.delete(key);
  map.set(key, value);
  if (map.size > MAX_HEADS) map.delete(map.keys().next().value as Key);
}
