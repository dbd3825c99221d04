import type { ToolCall } from "@langchain/core/messages/tool";

/** A call that got its result. */
export interface Answered<T> {
  /** What asked for it. */
  readonly asker: T;
  /** Of the call among the asker's calls. */
  readonly position: number;
}

interface Asker<T> {
  readonly asker: T;
  readonly calls: readonly ToolCall[];
  /** So many of its first calls are answered. */
  next: number;
}

interface Waiting<T> {
  readonly asker: T;
  readonly positions: number[];
}

/**
 * Tells which call a result answers, message after message. Ids are matched by position, not in an
 * index: a result answers the latest call before it that has its id and no result yet, so an id that
 * is used again for another call (71 times in 200 real airline threads) finds the right one.
 */
export class CallMatcher<T> {
  /** The latest asker while its results come in the order of its calls: nearly all do, and need no table. */
  #inOrder: Asker<T> | undefined;
  /** All other calls that wait, by id, once there are some. */
  #waiting: Map<string, Waiting<T>[]> | undefined;

  ask(asker: T, calls: readonly ToolCall[]): void {
    this.#toTable();
    this.#inOrder = { asker, calls, next: 0 };
  }

  /** Whether every call has its result. */
  get isIdle(): boolean {
    return (this.#waiting === undefined || this.#waiting.size === 0) && this.#inOrder === undefined;
  }

  /** Undefined if no call waits for a result of this id. */
  answer(id: string): Answered<T> | undefined {
    const latest = this.#inOrder;
    if (latest !== undefined) {
      const call = latest.calls[latest.next];
      if (call !== undefined && (call.id ?? "") === id) {
        const position = latest.next++;
        if (latest.next === latest.calls.length) this.#inOrder = undefined;
        return { asker: latest.asker, position };
      }
      this.#toTable();
    }
    const waiting = this.#waiting?.get(id);
    const last = waiting?.at(-1);
    const position = last?.positions.shift();
    if (waiting === undefined || last === undefined || position === undefined) return undefined;
    if (last.positions.length === 0) waiting.pop();
    if (waiting.length === 0) this.#waiting?.delete(id);
    return { asker: last.asker, position };
  }

  #toTable(): void {
    if (this.#inOrder === undefined) return;
    const { asker, calls, next } = this.#inOrder;
    this.#inOrder = undefined;
    for (let position = next; position < calls.length; position++) {
      const id = calls[position]?.id ?? "";
      const table = (this.#waiting ??= new Map());
      const waiting = table.get(id);
      if (waiting === undefined) table.set(id, [{ asker, positions: [position] }]);
      else if (waiting.at(-1)?.asker === asker) waiting.at(-1)?.positions.push(position);
      else waiting.push({ asker, positions: [position] });
    }
  }
}
