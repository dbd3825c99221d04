import type { Item, Operation, OperationResults, SearchItem } from "@langchain/langgraph-checkpoint";
import { GraphError, shown } from "@skein/errors";
import { BaseStore, searchOperation, type SearchOf } from "./store.ts";

interface Waiting {
  readonly operation: Operation;
  readonly resolve: (result: unknown) => void;
  readonly reject: (reason: unknown) => void;
}

const NAME = "AsyncBatchedStore";

/**
 * Collects the calls of one turn of the event loop and makes one batch of another store of them.
 * Calls wait until `start`, and after `stop`.
 */
export class AsyncBatchedStore extends BaseStore {
  /** LangGraph recognises one by this name, and takes the `store` out of it. */
  readonly lg_name: string = NAME;
  protected readonly store: BaseStore;
  #waiting: Waiting[] = [];
  #running = false;
  #batches: Promise<void> | undefined;

  /** @throws GraphError INVALID_CONFIGURATION for what has no batch */
  constructor(store: BaseStore) {
    super();
    if (typeof (store as Partial<BaseStore> | null | undefined)?.batch !== "function") {
      throw new GraphError(
        "INVALID_CONFIGURATION",
        `new AsyncBatchedStore() takes a store, not ${shown(store)}.`,
      );
    }
    const inner =
      (store as Partial<AsyncBatchedStore>).lg_name === NAME ? (store as AsyncBatchedStore).store : store;
    this.store = inner;
  }
  get isRunning(): boolean {
    return this.#running;
  }

  /** @throws GraphError INVALID_CONFIGURATION, always: this store has a batch of its own */
  override async batch<Operations extends Operation[]>(
    _operations: Operations,
  ): Promise<OperationResults<Operations>> {
    throw new GraphError(
      "INVALID_CONFIGURATION",
      "AsyncBatchedStore makes its batches itself. Call `batch` of the store that it was made with.",
    );
  }
  override async get(namespace: string[], key: string): Promise<Item | null> {
    return (await this.#enqueue({ namespace, key })) as Item | null;
  }
  override async search(namespacePrefix: string[], options?: SearchOf | null): Promise<SearchItem[]> {
    return (await this.#enqueue(searchOperation(namespacePrefix, options ?? {}))) as SearchItem[];
  }
  override async put(
    namespace: string[],
    key: string,
    value: Record<string, unknown>,
    index?: false | string[],
  ): Promise<void> {
    await this.#enqueue({ namespace, key, value, ...(index === undefined ? {} : { index }) });
  }
  override async delete(namespace: string[], key: string): Promise<void> {
    await this.#enqueue({ namespace, key, value: null });
  }

  override start(): void {
    this.#running = true;
    this.#flush();
  }
  override async stop(): Promise<void> {
    this.#running = false;
    await this.#batches;
  }
  toJSON(): object {
    return { store: "[LangGraphStore]", running: this.#running, waiting: this.#waiting.length };
  }

  #enqueue(operation: Operation): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ operation, resolve, reject });
      this.#flush();
    });
  }
  /** One batch after the other, until nothing waits. */
  #flush(): void {
    if (!this.#running || this.#waiting.length === 0) return;
    this.#batches ??= this.#drain().finally(() => (this.#batches = undefined));
  }
  async #drain(): Promise<void> {
    while (this.#running && this.#waiting.length > 0) {
      // what the rest of this turn asks for goes with it
      await new Promise((resolve) => setTimeout(resolve, 0));
      const batch = this.#waiting;
      this.#waiting = [];
      try {
        const results: unknown[] = await this.store.batch(batch.map(({ operation }) => operation));
        batch.forEach(({ resolve }, i) => resolve(results[i]));
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
  }
}
