import type { BaseStore, Operation } from "@langchain/langgraph-checkpoint";
import { macrotask } from "./breathe.ts";

/** Under this symbol a joined store has its queue. */
const QUEUE: unique symbol = Symbol("skein.queue");

type Given = Readonly<Record<string, unknown>>;

/**
 * A store as the tasks of a run find it: what they get, search, put and delete within one turn of the
 * event loop goes to it in one batch, which is one round trip to a database. Everything else is the
 * store's own.
 */
export function joinedStore(given: BaseStore): BaseStore {
  const store = unjoined(given);
  if (queueOf(store) !== undefined) return store;
  const queue = new Queue(store);
  const calls = callsOf(queue);
  // not of the store itself: one that is frozen may answer with nothing but its own members
  return new Proxy<BaseStore>(Object.create(store), {
    get(_target, key) {
      if (key === QUEUE) return queue;
      if (typeof key === "string" && Object.hasOwn(calls, key)) return calls[key as keyof typeof calls];
      const member: unknown = Reflect.get(store, key, store);
      // private members are those of the store, not of what stands for it
      return typeof member === "function" && key !== "constructor" ? member.bind(store) : member;
    },
    set: (_target, key, value) => Reflect.set(store, key, value, store),
  });
}

/** What a node of LangGraph's hands on joins, too, and has no `batch`. */
function unjoined(store: BaseStore): BaseStore {
  const { lg_name: name, store: inner } = store as BaseStore & { lg_name?: unknown; store?: BaseStore };
  return name === "AsyncBatchedStore" && inner !== undefined ? inner : store;
}

/** Resolves when the store has been asked what tasks did not wait for; undefined when there is nothing. */
export function handedOver(store: BaseStore | undefined): Promise<void> | undefined {
  return store && queueOf(store)?.turn;
}

/** Resolves when what tasks wrote is stored, or could not be, or nobody waits for it any more. */
export function written(store: BaseStore | undefined, signal?: AbortSignal): Promise<void> | undefined {
  return store && queueOf(store)?.end(signal);
}

function queueOf(store: BaseStore): Queue | undefined {
  return (store as BaseStore & { [QUEUE]?: Queue })[QUEUE];
}

/** With what the batches of our stores take and the contract of others has not: times to live. */
function callsOf(queue: Queue) {
  return {
    get: (namespace: string[], key: string, options?: Given) => queue.ask({ ...options, namespace, key }),
    search: (namespacePrefix: string[], options?: Given | null) => {
      const { filter, limit = 10, offset = 0, query, ...others } = options ?? {};
      return queue.ask({ ...others, namespacePrefix, filter, limit, offset, query });
    },
    put: (namespace: string[], key: string, value: unknown, index?: unknown, options?: Given) =>
      queue.ask({ ...options, namespace, key, value, ...(index === undefined ? {} : { index }) }),
    delete: (namespace: string[], key: string) => queue.ask({ namespace, key, value: null }),
  };
}

interface Waiting {
  readonly operation: Operation;
  readonly resolve: (result: unknown) => void;
  readonly reject: (reason: unknown) => void;
}

class Queue {
  readonly #store: BaseStore;
  #waiting: Waiting[] = [];
  /** Over when what waits is sent, or stands behind a write; undefined while nothing waits. */
  turn: Promise<void> | undefined;
  /** Over when the last write is answered, for which all that is asked later waits. */
  #written: Promise<void> | undefined;

  constructor(store: BaseStore) {
    this.#store = store;
  }
  ask(operation: Given): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ operation: operation as never, resolve, reject });
      this.turn ??= new Promise((sent) => {
        macrotask(() => {
          this.#send();
          sent();
        });
      });
    });
  }
  end(signal: AbortSignal | undefined): Promise<void> | undefined {
    if (this.turn === undefined && this.#written === undefined) return undefined;
    return new Promise((resolve) => {
      const over = (): void => {
        signal?.removeEventListener("abort", over);
        resolve();
      };
      if (signal?.aborted) return over();
      signal?.addEventListener("abort", over);
      void Promise.resolve(this.turn)
        .then(() => this.#written)
        .then(over);
    });
  }
  #send(): void {
    const asked = this.#waiting;
    this.#waiting = [];
    this.turn = undefined;
    const before = this.#written;
    const answered = before === undefined ? this.#settle(asked) : before.then(() => this.#settle(asked));
    if (asked.some(({ operation }) => "value" in operation)) void this.#follow(answered);
  }
  async #follow(write: Promise<void>): Promise<void> {
    this.#written = write;
    await write;
    if (this.#written === write) this.#written = undefined;
  }
  async #settle(asked: readonly Waiting[]): Promise<void> {
    if (asked.length === 1) return this.#alone(asked);
    try {
      await this.#answer(asked);
    } catch {
      // one that fails must not fail those that other tasks asked for
      await Promise.all(asked.map((one) => this.#alone([one])));
    }
  }
  async #answer(asked: readonly Waiting[]): Promise<void> {
    const results: unknown[] = await this.#store.batch(asked.map(({ operation }) => operation));
    asked.forEach(({ resolve }, i) => resolve(results[i]));
  }
  #alone(asked: readonly Waiting[]): Promise<void> {
    return this.#answer(asked).catch(asked[0]?.reject);
  }
}
