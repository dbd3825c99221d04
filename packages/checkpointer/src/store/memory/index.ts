import type { IndexConfig } from "@langchain/langgraph-checkpoint";
import { RowStore } from "../core/store.ts";
import type { StoreOptions } from "../core/types.ts";
import { MemoryStoreBackend } from "./backend.ts";

/**
 * Keeps items in this process, for as long as it runs. What it was given and what it gives are
 * copies: a program that changes them changes nothing that is stored.
 *
 * @example
 * const store = new InMemoryStore();
 * await store.put(["users", "ada"], "likes", { drink: "tea" });
 * const graph = builder.compile({ store });
 */
export class InMemoryStore extends RowStore {
  /** How items are found by meaning, if they are; for programs that ask a store for its embeddings. */
  readonly indexConfig: IndexConfig | undefined;

  constructor(options?: StoreOptions | null) {
    super(new MemoryStoreBackend(), options);
    this.indexConfig = options?.index;
  }
}
