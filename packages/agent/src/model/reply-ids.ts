import type { BaseMessage } from "@langchain/core/messages";
import type { RunnableConfig } from "@langchain/core/runnables";
import { isMarkedSummary } from "@skein/context";
import type { BaseChannel } from "@skein/graph";

type Awaitable<T> = T | Promise<T>;

/** Under this symbol a node's config carries its task. */
const TASK: unique symbol = Symbol.for("skein.task") as never;
const HISTORY = "full_messages";

/** What of a task is read here: how a step sees the channels of its graph. */
interface TaskOfNode {
  readonly scope: {
    readonly snapshot: { slot(name: string): { readonly channel: BaseChannel } | undefined };
  };
}

/**
 * The id that a reply goes by: another one when a message of its thread has the one that it came with, in
 * whose place it would be put. That message would be lost, and the turn might never end. Some servers count
 * to 999 (Ollama's `chatcmpl-N`), and a model that is a cache or a fake says the same again.
 *
 * Belongs to one call of a model. Looks into the history only while that has more than the context shows,
 * once for an id, which is one query by an index.
 */
export class ReplyIds {
  readonly #context: readonly BaseMessage[];
  readonly #config: RunnableConfig;
  readonly #chosen = new Map<string, Awaitable<string>>();

  /** @param context - of the thread, before the reply */
  constructor(context: readonly BaseMessage[] | undefined, config: RunnableConfig) {
    // a wrap may hand on a state of its own
    this.#context = context ?? [];
    this.#config = config;
  }
  of(id: string): Awaitable<string> {
    const known = this.#chosen.get(id);
    if (known !== undefined) return known;
    const taken = this.#isTaken(id);
    const choose = (isTaken: boolean): string => {
      const chosen = isTaken ? crypto.randomUUID() : id;
      // chunks and the whole have it by then, and may be asked about again
      this.#chosen.set(id, chosen).set(chosen, chosen);
      return chosen;
    };
    if (!(taken instanceof Promise)) return choose(taken);
    const choosing = taken.then(choose);
    this.#chosen.set(id, choosing);
    return choosing;
  }
  /** The same for who can't wait: the id that it came with while a saver is asked that does not answer at once. */
  now(id: string): string {
    const chosen = this.of(id);
    if (typeof chosen === "string") return chosen;
    // whoever waits for it gets the error
    chosen.catch(() => undefined);
    return id;
  }
  #isTaken(id: string): Awaitable<boolean> {
    if (this.#context.some((message) => message.id === id)) return true;
    const history = historyOf(this.#config);
    if (history === undefined || history.entries <= shownOf(this.#context)) return false;
    const found = history.revisions([id]);
    return found instanceof Promise ? found.then(({ size }) => size > 0) : found.size > 0;
  }
}

function historyOf({ configurable }: RunnableConfig): BaseChannel | undefined {
  const task = (configurable as { readonly [TASK]?: TaskOfNode } | undefined)?.[TASK];
  return task?.scope.snapshot.slot(HISTORY)?.channel;
}

const shownOf = (context: readonly BaseMessage[]): number =>
  context.reduce((count, message) => count + (isMarkedSummary(message) ? 0 : 1), 0);
