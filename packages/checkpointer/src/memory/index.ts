import { savingOptions } from "../core/given.ts";
import { ItemLogSaver } from "../core/saver.ts";
import type { SaverOptions } from "../core/saver-options.ts";
import { MemoryBackend } from "./backend.ts";
import { MemoryStorage } from "./storage.ts";

export type { SaverOptions } from "../core/saver-options.ts";
export type { ListThreadsOptions } from "../verbs/threads.ts";

/**
 * Keeps checkpoints in this process. Stores each message once, however many checkpoints see it,
 * and keeps nothing by reference: what a program changes afterwards does not change what is saved.
 *
 * @example
 * const graph = builder.compile({ checkpointer: new MemorySaver() });
 */
export class MemorySaver extends ItemLogSaver {
  readonly #storage: MemoryStorage;
  readonly #options: SaverOptions;

  constructor(given?: SaverOptions | null, storage: MemoryStorage = new MemoryStorage()) {
    const options = savingOptions(given);
    super(new MemoryBackend(storage, options.tenant), options);
    this.#storage = storage;
    this.#options = options;
  }

  /** A saver of another tenant over the same storage: it sees and touches none of this one's threads. */
  forTenant(tenant: string): MemorySaver {
    return new MemorySaver({ ...this.#options, tenant }, this.#storage);
  }
}
