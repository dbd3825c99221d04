import type { BaseMessage } from "@langchain/core/messages";
import { NEWEST, ReadList } from "./read-list.ts";

/** What is found out of a list message by message, without a look at what comes behind. */
export interface Fold<S> {
  readonly start: () => S;
  readonly take: (state: S, message: BaseMessage, index: number) => void;
  /**
   * Takes back what was taken from a position on, so that a list that differs at its end only need not
   * be taken whole. Returns the position from which messages are to be taken again: that one, or one
   * before it. Without it such a list is taken from its start.
   */
  readonly back?: (state: S, index: number) => number;
  /** Whether nothing was found that the next call should find again: such a list is not kept while it is short. */
  readonly isNothing?: (state: S) => boolean;
}

interface Line<S> {
  readonly list: ReadList;
  readonly state: S;
  /** False while messages are taken: one that can't be must not leave a state that is half of it. */
  isWhole: boolean;
}

/**
 * What a fold found out of lists, kept so that of a list that grew only the new messages are taken. An
 * edited, shortened or other list is taken from its start, or from where it differs. An edit in place is
 * noticed as the token counter notices it: at once in the newest messages, else in its turn.
 */
export class Follower<S> {
  readonly #fold: Fold<S>;
  /** By who asks, and a list's first message: a thread's lists share it. Losing a line costs time only. */
  readonly #lines = new WeakMap<object, WeakMap<BaseMessage, Line<S>>>();

  constructor(fold: Fold<S>) {
    this.#fold = fold;
  }

  /** The state after a list. It is good until the next call, and what hangs on it is lost with it. */
  of(asker: object, messages: readonly BaseMessage[]): S {
    const first = messages[0];
    if (first === undefined) return this.#fold.start();
    const short = this.#ofShort(messages);
    if (short !== undefined) return short;
    const lines = this.#linesOf(asker);
    const known = lines.get(first);
    const line = (known?.isWhole === true && this.#leading(known, messages)) || this.#begin();
    if (line !== known) lines.set(first, line);
    line.isWhole = false;
    for (let at = line.list.length; at < messages.length; at++) {
      const message = messages[at] as BaseMessage;
      this.#fold.take(line.state, message, at);
      line.list.push(message);
    }
    line.isWhole = true;
    line.list.saw(messages);
    return line.state;
  }

  /**
   * Hazard: what a weak map holds outlives young collections, and a line holds its messages, with all that
   * hangs on these. To look at each message of a short list takes no longer than to take it.
   */
  #ofShort(messages: readonly BaseMessage[]): S | undefined {
    const { start, take, isNothing } = this.#fold;
    if (isNothing === undefined || messages.length > NEWEST) return undefined;
    const state = start();
    for (let at = 0; at < messages.length; at++) take(state, messages[at] as BaseMessage, at);
    return isNothing(state) ? state : undefined;
  }

  #linesOf(asker: object): WeakMap<BaseMessage, Line<S>> {
    const known = this.#lines.get(asker);
    if (known !== undefined) return known;
    const begun = new WeakMap<BaseMessage, Line<S>>();
    this.#lines.set(asker, begun);
    return begun;
  }

  /** A line brought back to what it shares with a list; undefined if that can't be done. */
  #leading(line: Line<S>, messages: readonly BaseMessage[]): Line<S> | undefined {
    const shared = line.list.shared(messages);
    if (shared === line.list.length) return line;
    const from = this.#fold.back?.(line.state, shared) ?? 0;
    if (from === 0) return undefined;
    line.list.cut(from);
    return line;
  }

  #begin(): Line<S> {
    return { list: new ReadList(), state: this.#fold.start(), isWhole: true };
  }
}

/** So many rules are remembered for one state of a line; one beyond them takes the oldest's place. */
const MOST_RULES = 8;

interface Finding<F> {
  readonly rule: readonly unknown[];
  readonly found: F;
}

/** What was found out by rules of the states that a {@link Follower} gave. It is lost with them. */
export class Findings<F> {
  readonly #begin: () => F;
  readonly #of = new WeakMap<object, Finding<F>[]>();

  constructor(begin: () => F) {
    this.#begin = begin;
  }

  /** @param rule - all that the findings depend on, beside the messages and who asks */
  of(state: object, ...rule: readonly unknown[]): F {
    let known = this.#of.get(state);
    if (known === undefined) this.#of.set(state, (known = []));
    for (const one of known) if (isSameRule(one.rule, rule)) return one.found;
    if (known.length >= MOST_RULES) known.shift();
    const found = this.#begin();
    known.push({ rule, found });
    return found;
  }
}

function isSameRule(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((part, at) => part === b[at]);
}

/**
 * Brings what was found out of pieces in step with the pieces that there are now: of those that are gone
 * or were taken anew it is forgotten.
 */
export function inStep<P>(known: { readonly of: P }[], pieces: readonly P[]): void {
  while (known.length > 0 && known.at(-1)?.of !== pieces[known.length - 1]) known.pop();
}
