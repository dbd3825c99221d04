import type { Backend, CheckpointRow, HeadRow, LaneRow, WriteRow } from "../core/backend.ts";
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

/** Rows as JSON, each null where the server did not send it. */
interface Sent {
  readonly writes: string | null;
  readonly chain: string | null;
  readonly lanes: string | null;
}

interface Kept extends Omit<Sent, "lanes"> {
  readonly checkpoints: Columns;
  readonly tid: number;
  readonly head: number | null;
  readonly lanes: readonly LaneRow[] | null;
}

/** The last items of each lane of a thread. */
interface LastItems {
  readonly generation: number;
  readonly lanes: ReadonlyMap<number, readonly [from: number, bodies: readonly string[]]>;
}

/**
 * What came along with a head, until it is asked for, and the heads that need nothing to come
 * along. So opening a thread is one round trip, whether anything is remembered of it or not, and so is
 * reading what its lists have at their ends.
 *
 * What is kept is used once, by the open it came for; a write to the namespace, or its next head,
 * throws it away. Items go when the event loop turns: whoever reads later sees what was erased meanwhile.
 */
export class Ahead {
  readonly #heads = new Map<number, number | null>();
  readonly #spaces = new Map<string, number>();
  readonly #kept = new Map<number, Kept>();
  readonly #items = new Map<number, LastItems>();

  /** The head whose chain the caller has read, as far as can be told. */
  knownHead(threadId: string, namespace: string): number | null {
    const nsid = this.#spaces.get(keyOf(threadId, namespace));
    const head = nsid === undefined ? undefined : this.#heads.get(nsid);
    return head === undefined ? UNKNOWN : head;
  }

  /** @param checkpoints - with the names of this moment */
  take(threadId: string, namespace: string, row: HeadRow, sent: Sent, checkpoints: Columns): void {
    const { tid, nsid, head } = row;
    if (nsid === null) return;
    remember(this.#spaces, keyOf(threadId, namespace), nsid);
    remember(this.#heads, nsid, head);
    this.#kept.delete(nsid);
    const lanes = sent.lanes === null ? null : (JSON.parse(sent.lanes) as LaneColumns[]);
    if (sent.writes !== null || sent.chain !== null || lanes !== null)
      remember(this.#kept, nsid, { ...sent, tid, head, checkpoints, lanes: lanes?.map(laneRow) ?? null });
    if (lanes !== null) this.#keepItems(row, lanes);
  }

  #keepItems({ tid, generation }: HeadRow, sent: readonly LaneColumns[]): void {
    const lanes = new Map<number, readonly [number, readonly string[]]>();
    for (const [lane, , last, items] of sent) {
      const isWhole = items && last !== null && items[0] + items[1].length === last + 1;
      if (isWhole) lanes.set(lane, items);
    }
    const kept: LastItems = { generation, lanes };
    this.#items.set(tid, kept);
    setImmediate(() => {
      if (this.#items.get(tid) === kept) this.#items.delete(tid);
    });
  }

  /** Undefined where not all of them came. */
  items(...[tid, lane, from, to, generation]: Parameters<Backend["items"]>): readonly string[] | undefined {
    const kept = this.#items.get(tid);
    const sent = kept?.lanes.get(lane);
    if (kept === undefined || sent === undefined) return undefined;
    if (generation !== undefined && generation !== kept.generation) return undefined;
    const [first, bodies] = sent;
    return from < first || to > first + bodies.length ? undefined : bodies.slice(from - first, to - first);
  }

  /** After a commit. */
  learn(nsid: number, head: number | null): void {
    if (this.#heads.has(nsid)) this.#heads.set(nsid, head);
  }

  forget(nsid: number): void {
    this.#kept.delete(nsid);
  }

  chain(nsid: number, seq: number): CheckpointRow[] | undefined {
    const columns = this.#kept.get(nsid)?.checkpoints;
    return columns && this.#use<StoredCheckpoint>(nsid, seq, "chain")?.map(columns.row);
  }

  writes(nsid: number, seq: number): WriteRow[] | undefined {
    return this.#use<WriteColumns>(nsid, seq, "writes")?.map(writeRow);
  }

  lanes(tid: number): readonly LaneRow[] | undefined {
    for (const [nsid, kept] of this.#kept) {
      if (kept.tid !== tid || kept.lanes === null) continue;
      this.#kept.set(nsid, { ...kept, lanes: null });
      return kept.lanes;
    }
    return undefined;
  }

  #use<Row>(nsid: number, head: number | null, what: "writes" | "chain"): Row[] | undefined {
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
