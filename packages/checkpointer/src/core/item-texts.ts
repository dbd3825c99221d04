import { wait, type Steps } from "../awaitable.ts";
import { rangesLength, slice, type Ranges } from "../manifest/ranges.ts";
import type { Backend, ItemPage } from "./backend.ts";
import { missingItems, whyMissing } from "./missing.ts";
import type { ThreadState } from "./state.ts";

/** Items between two ranges that are read for nothing rather than with a query of their own. */
const MAX_GAP = 16;

/**
 * Items that are read at a time from a backend that answers at once: of a chat's length they are, as one text,
 * more than the 128 KB from which on V8 never moves a text. Messages keep what was cut out of it (`cutMessage`).
 */
const PAGE = 320;
/** Up to so many items are read row by row. */
const FEW = 64;

export type Take = (body: string, lane: number, ord: number, mayCut: boolean) => void;

/** Reads the texts of items of one thread, page by page. */
export class ItemTexts {
  readonly #backend: Backend;
  readonly #state: ThreadState;
  readonly #of: { readonly nsid: number; readonly id: string } | undefined;

  /** @param of - the checkpoint whose items are read */
  constructor(backend: Backend, state: ThreadState, of?: { nsid: number; id: string }) {
    this.#backend = backend;
    this.#state = state;
    this.#of = of;
  }

  /** The texts of items, in their order. */
  *bodies(ranges: Ranges): Steps<string[]> {
    const bodies: string[] = [];
    yield* this.each(ranges, (body) => void bodies.push(body));
    return bodies;
  }

  /** In pages, where that costs nothing: what is not kept of them is garbage before the next come. */
  *each(ranges: Ranges, take: Take): Steps<void> {
    const length = this.#backend.synchronous === true ? rangesLength(ranges) : 0;
    if (length <= PAGE) return yield* this.#page(ranges, take);
    for (let at = 0; at < length; at += PAGE) {
      yield* this.#page(slice(ranges, at, at + PAGE), take);
    }
  }

  *#page(ranges: Ranges, take: Take): Steps<void> {
    for (let i = 0; i < ranges.length;) {
      const end = reach(ranges, i);
      const [lane, from, to] = [ranges[i] as number, ranges[i + 1] as number, ranges[end - 1] as number];
      let { bodies, mayCut } = yield* this.#range(lane, from, to);
      const whole = bodies.length === to - from;
      for (; i < end; i += 3) {
        const [start, stop] = [ranges[i + 1] as number, ranges[i + 2] as number];
        let offset = start - from;
        if (!whole) {
          // what lies between the ranges is gone: read them one by one
          ({ bodies, mayCut } = yield* this.#range(lane, start, stop));
          offset = 0;
          if (bodies.length !== stop - start) bodies = yield* this.#afterChange(lane, start, stop);
        }
        for (let ord = start; ord < stop; ord += 1)
          take(bodies[ord - start + offset] as string, lane, ord, mayCut);
      }
    }
  }

  *#range(lane: number, from: number, to: number): Steps<ItemPage> {
    const { tid, generation } = this.#state;
    const page = to - from > FEW ? this.#backend.page?.(tid, lane, from, to, generation) : undefined;
    if (page !== undefined) return page;
    return { bodies: yield* wait(this.#backend.items(tid, lane, from, to, generation)), mayCut: true };
  }

  /**
   * Items of a thread that somebody pruned, took back or erased from since it was opened. As long as a
   * checkpoint is there, its items are, too; of one that is gone, new items may stand in their places.
   */
  *#afterChange(lane: number, from: number, to: number): Steps<readonly string[]> {
    const { tid, threadId } = this.#state;
    const bodies = yield* wait(this.#backend.items(tid, lane, from, to));
    const isWhole = bodies.length === to - from;
    // in this order: it was there when they were read
    if (isWhole && this.#of !== undefined) {
      const { nsid, id } = this.#of;
      if ((yield* wait(this.#backend.locate(nsid, id))) !== undefined) return bodies;
    }
    const damaged = missingItems(threadId, lane, from, to, bodies.length);
    throw yield* whyMissing(this.#backend, this.#state, damaged);
  }
}

/** The end of a run of ranges, in flat positions, that lie so close behind one another that one query reads them. */
function reach(ranges: Ranges, start: number): number {
  let end = start + 3;
  while (end < ranges.length && ranges[end] === ranges[start]) {
    const gap = (ranges[end + 1] as number) - (ranges[end - 1] as number);
    if (gap < 0 || gap > MAX_GAP) break;
    end += 3;
  }
  return end;
}
