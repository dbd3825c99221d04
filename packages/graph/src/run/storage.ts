import type { RunnableConfig } from "@langchain/core/runnables";
import type {
  BaseCheckpointSaver,
  CheckpointMetadata,
  CheckpointPendingWrite,
} from "@langchain/langgraph-checkpoint";
import type { Awaitable, Claim, LateId } from "@skein/checkpointer";
import type { BaseChannel } from "../channels/base.ts";
import type { Snapshot, Version } from "../engine/snapshot.ts";
import type { Program, Write } from "../program/program.ts";

/** Where a run stands: thread, namespace and, for an old state, the checkpoint. */
export interface Address {
  readonly threadId: string;
  readonly namespace: string;
  readonly checkpointId: string | undefined;
  /** The caller's config, of which a saver may read more. */
  readonly given?: Pick<RunnableConfig, "configurable" | "metadata"> | undefined;
}

/** What to do when another run holds the thread. Default: `"fail"`. */
export type OnConflict = "fail" | { readonly waitMs: number };

/** A checkpoint, as far as a run needs it at once. */
export interface Stored {
  readonly id: string;
  readonly parentId: string | undefined;
  readonly ts: string;
  readonly metadata: CheckpointMetadata;
  readonly versions: Readonly<Record<string, Version>>;
  readonly seen: Readonly<Record<string, Readonly<Record<string, Version>>>>;
  readonly pendingWrites: readonly CheckpointPendingWrite[];
}

export interface TaskOutput {
  readonly taskId: string | LateId;
  readonly writes: readonly Write[];
}

/** What steps wrote that were not stored, because only the end of a run is. */
export interface Skipped {
  /** Id for a checkpoint to store it under, if the thread has none yet. */
  readonly anchorId: string;
  readonly outputs: readonly (TaskOutput & { readonly step: number })[];
  /** The source of the first of the steps' checkpoints. */
  readonly began: CheckpointMetadata["source"] | undefined;
  /** Channels that the input wrote, which is not among the outputs. */
  readonly given: ReadonlySet<string>;
}

export interface Commit {
  readonly id: string;
  readonly parentId: string | undefined;
  /** The checkpoint that the snapshot was opened at, where that is not the parent: of a copy. */
  readonly basedOn?: string;
  readonly ts: string;
  readonly metadata: CheckpointMetadata;
  /** Outputs of tasks under the parent that were not recorded before. */
  readonly outputs: readonly TaskOutput[];
  /** What is read of the thread needs them: not without them is the checkpoint to be stored. */
  readonly outputsFirst?: boolean;
  readonly skipped?: Skipped | undefined;
  /** Give the thread back with it. */
  readonly release: boolean;
  /** The next one comes before a task of the program runs, and nobody sees this one before. */
  readonly followed?: boolean | undefined;
}

/** One run's hold on one namespace of a thread. The journal and the history are its only users. */
export interface Session {
  readonly address: Address;
  readonly stored: Stored | undefined;
  /** What a foreign saver gave in the place of a checkpoint, if it is none: readers refuse it. */
  readonly noCheckpoint?: string | undefined;
  readonly headId: string | undefined;
  /** Its calls take effect in the order in which they are made: none has to wait for the one before. */
  readonly keepsOrder: boolean;
  /** The right to write, for the graphs that tasks call. */
  readonly claim: Claim | undefined;
  nextVersion(current: Version | undefined): Version;
  /** A live channel with the stored value; undefined when nothing is stored. */
  restore(name: string, definition: BaseChannel): BaseChannel | undefined;
  /** Adds to a step's metadata what the saver needs to know of channels stored as their writes. */
  count?(metadata: CheckpointMetadata, snapshot: Snapshot): void;
  record(checkpointId: string, outputs: readonly TaskOutput[], snapshot: Snapshot): Awaitable<void>;
  /**
   * Takes the change from the channels now; the returned function writes it, and says when the saver has
   * been given what values refer to.
   */
  commit(commit: Commit, snapshot: Snapshot): (called?: () => void) => Awaitable<void>;
  release(): Awaitable<void>;
}

export interface OpenHow {
  /** Take the thread, to write to it. */
  readonly claim?: OnConflict;
  /** Other runs wait until this one has begun. */
  readonly crowded?: boolean;
  /** Write under the claim of the calling graph. */
  readonly under?: Claim | undefined;
  /** Begin beside what is stored, with nothing. */
  readonly anew?: boolean;
  /** The graph that is to run. */
  readonly program: Program;
  /** Names of channels to leave where they are until they are asked for. */
  readonly isLazy: (name: string) => boolean;
}

/** Opens a namespace of a thread in a saver. */
export type OpenSession = (saver: BaseCheckpointSaver, address: Address, how: OpenHow) => Awaitable<Session>;
