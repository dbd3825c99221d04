import { ItemLogSaver, type SaverOptions } from "../core/saver.ts";
import { MemoryBackend } from "./backend.ts";

export type { ListThreadsOptions, SaverOptions } from "../core/saver.ts";

/**
 * Keeps checkpoints in this process. Stores each message once, however many checkpoints see it,
 * and keeps nothing by reference: what a program changes afterwards does not change what is saved.
 *
 * @example
 * const graph = builder.compile({ checkpointer: new MemorySaver() });
 */
export class MemorySaver extends ItemLogSaver {
  constructor(options: SaverOptions = {}) {
    super(new MemoryBackend(), options);
  }
}
