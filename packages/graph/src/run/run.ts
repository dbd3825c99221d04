import type { CallbackManagerForChainRun } from "@langchain/core/callbacks/manager";
import type {
  BaseCache,
  BaseCheckpointSaver,
  BaseStore,
  CheckpointMetadata,
  CheckpointPendingWrite,
} from "@langchain/langgraph-checkpoint";
import type { Awaitable, Claim } from "@skein/checkpointer";
import type { Snapshot } from "../engine/snapshot.ts";
import type { Task } from "../engine/task.ts";
import type { GraphInterrupt } from "../errors/signals.ts";
import type { CheckpointClock } from "../ids/checkpoint-id.ts";
import type { Program, ProgramNode } from "../program/program.ts";
import type { Called } from "../task/called.ts";
import type { ChunkWriter } from "../task/config.ts";
import type { RunControl } from "../task/run-control.ts";
import type { Resume, RunScope, TaskRuntime } from "../task/runtime.ts";
import type { RunAbort } from "./abort.ts";
import type { RunEvent } from "./events.ts";
import type { Handback } from "./handback.ts";
import type { Durability, Journal } from "./journal.ts";
import type { Replay } from "./replay.ts";
import type { OnConflict, Session } from "./storage.ts";

/** How a call wants its run. Defaults are filled in. */
export interface RunOptions {
  readonly program: Program;
  readonly input: unknown;
  readonly config: {
    /** The call's own name. */
    readonly name: string | undefined;
    readonly tags: readonly string[];
    readonly metadata: Readonly<Record<string, unknown>>;
    readonly configurable: Readonly<Record<string, unknown>>;
    /** Everything else that nodes find in their config. */
    readonly members: Readonly<Record<string, unknown>>;
  };
  readonly namespace: string;
  readonly threadId: string | undefined;
  readonly checkpointId: string | undefined;
  /** Checkpoints of the calling graphs, by namespace. */
  readonly parents: Readonly<Record<string, string>>;
  readonly saver: BaseCheckpointSaver | undefined;
  readonly store: BaseStore | undefined;
  /** Where results of nodes with a `cachePolicy` are kept. */
  readonly cache: BaseCache | undefined;
  readonly control: RunControl;
  readonly durability: Durability;
  readonly onConflict: OnConflict;
  readonly recursionLimit: number;
  readonly maxConcurrency: number;
  readonly interruptBefore: readonly string[] | "*";
  readonly interruptAfter: readonly string[] | "*";
  readonly outputKeys: readonly string[];
  /** The caller asked for one key by its bare name: its value is the output, without an object. */
  readonly bareKey: string | undefined;
  readonly signal: AbortSignal | undefined;
  readonly runId: string | undefined;
  readonly listener: RunListener | undefined;
  readonly callbacks: CallbackManagerForChainRun | undefined;
  /** The graph itself is the calling task's node: its output is what that node wrote. */
  readonly isNode: boolean;
  /** Takes custom chunks, of the graphs that its tasks call too, in place of streams. */
  readonly taker: ChunkWriter | undefined;
  /** The task that called this graph. */
  readonly parent: TaskRuntime | undefined;
  /** Follows the runs of graphs that tasks call; undefined when nobody does. */
  readonly nested: unknown;
}

/** What a graph called by a task inherits from the task's run. */
export interface Inherited {
  readonly run: Run;
}

export function inheritedBy(parent: TaskRuntime | undefined): Run | undefined {
  return (parent?.scope.inherited as Inherited | undefined)?.run;
}

/** The nearest run around a task that is stored: graphs between them may be compiled not to be. */
export function storedAround(parent: TaskRuntime | undefined): Run | undefined {
  const run = inheritedBy(parent);
  return run && !run.options.saver ? storedAround(run.options.parent) : run;
}

/** The right to write that a run around this one has in the same saver. */
export function claimAround({ saver, parent }: RunOptions): Claim | undefined {
  const around = storedAround(parent);
  return around?.options.saver === saver ? around?.session?.claim : undefined;
}

/** How far a run has come, and why it stopped. */
export type RunStatus = "running" | "done" | "interrupted";

/** A run: what is fixed about it, and where it stands. Owned by one call, shared with nobody (I9). */
export interface Run {
  readonly options: RunOptions;
  readonly snapshot: Snapshot;
  readonly session: Session | undefined;
  readonly journal: Journal | undefined;
  readonly clock: CheckpointClock;
  readonly abort: RunAbort;
  readonly scope: RunScope & { resume: Resume };
  readonly listener: RunListener | undefined;
  /** The listener, if it wants every event. */
  readonly observer: RunListener | undefined;
  /** What goes back to the caller's reducers; undefined when no key is shared with one. */
  readonly handback: Handback | undefined;
  /** The last step that may run. */
  readonly stop: number;
  /** The checkpoint before the present one. */
  parentId: string | undefined;
  /** Writes of earlier runs and of the input, that belong to the present checkpoint. */
  pending: CheckpointPendingWrite[];
  metadata: CheckpointMetadata;
  status: RunStatus;
  /** Whether this run goes on with an earlier one; true until its first step is done. */
  resuming: boolean;
  /** Old checkpoints run their tasks again instead of taking over what those wrote. */
  readonly replaying: boolean;
  tasks: readonly Task[];
  /** Tasks that the tasks of the present step call; undefined while none does. */
  calls: Calls | undefined;
  /** What its tasks wait for, once one does. */
  question: GraphInterrupt | undefined;
  /** Why it must stop at once: somebody took its thread. */
  lost: Error | undefined;
  /** What graphs that tasks call are to begin with, when an old checkpoint is run again. */
  replay: Replay | undefined;
  /** The kind of breakpoint that stopped it. */
  stoppedAt: "interrupt_before" | "interrupt_after" | undefined;
  /** What is on its way to the cache. */
  readonly caching: Promise<unknown>[];
}

/** The tasks that tasks of one step call. */
export interface Calls {
  /** Whether more may start. */
  readonly open: boolean;
  start(caller: TaskRuntime, node: ProgramNode, args: readonly unknown[]): Called;
  /** For the end of the step: that they were called, and what they pushed. */
  tasks(): readonly Task[];
  /** Resolves when no call is running; from then on none can start. `atOnce`: does not wait. */
  end(atOnce: boolean): Awaitable<void>;
}

/** Somebody who follows a run. Present only when somebody does. */
export interface RunListener {
  /** Wants states, interrupts and breakpoints only; the rest need not be told. */
  readonly onlyResult?: boolean;
  on(event: RunEvent, run: Run): void;
  /**
   * Asked again until it is undefined: the follower wants more, or does not mind.
   *
   * @param asked - how often it was asked before
   */
  turn?(asked: number): Promise<void> | undefined;
}
