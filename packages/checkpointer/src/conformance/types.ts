import type { Spec } from "../suite.ts";
import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import type { ItemLogSaver } from "../core/saver.ts";

/** What a saver has beyond the contract of `BaseCheckpointSaver`. Specs that need it run only where it is. */
export type SaverFeature =
  /** `prune`, `copyThread`, `eraseMessage`, `exportThread`, `importThread`, `search`, as the savers of this package. */
  | "verbs"
  /** `writer` of the target: a process that can be killed. */
  | "processes";

/** The verbs that specs with the feature "verbs" call. */
export type VerbSaver = BaseCheckpointSaver &
  Pick<ItemLogSaver, "prune" | "copyThread" | "eraseMessage" | "exportThread" | "importThread" | "search">;

/** A storage for one spec. */
export interface OpenedStorage {
  readonly saver: BaseCheckpointSaver;
  /** Another saver over the same storage, as another process would open it. */
  another(): BaseCheckpointSaver;
  close(): Promise<void>;
  /**
   * Feature "processes": starts a process that puts checkpoints "000001", "000002", ... one after
   * the other on a thread, each with a channel `n` that is the number and a channel `list` of that
   * many messages, until it is killed.
   */
  writer?(threadId: string): Writer;
}

/** A process that writes until it is killed. */
export interface Writer {
  /** Waits for a number of checkpoints that the process said are stored, kills it, and gives their ids. */
  killAfter(count: number): Promise<readonly string[]>;
}

/** A saver to test. */
export interface SaverTarget {
  /** What it has beyond the contract; [] for the contract only. */
  readonly features: readonly SaverFeature[];
  /** Opens an empty storage. */
  open(): Promise<OpenedStorage> | OpenedStorage;
}

/** One thing that a saver has to do. */
export interface SaverSpec extends Spec<SaverFeature> {
  /** Rejects where the saver does something else. */
  test(storage: OpenedStorage): Promise<void>;
}
