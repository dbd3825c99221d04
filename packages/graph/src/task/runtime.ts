import type { CallbackManagerForChainRun } from "@langchain/core/callbacks/manager";
import type { Snapshot } from "../engine/snapshot.ts";
import type { Task } from "../engine/task.ts";
import { type GraphInterrupt, withInterrupts } from "../errors/signals.ts";
import type { Program, ProgramNode, Write } from "../program/program.ts";
import type { Called } from "./called.ts";

/** An answer that names no question: it is for the one that waited when it came. */
export interface BareAnswer {
  readonly value: unknown;
  taken: boolean;
  /** Whether this very call gave it, and not one that may have died before it was taken. */
  readonly isNew: boolean;
  /** Ids of what waited. Interrupts of older threads have none. */
  readonly asked: ReadonlySet<string | undefined>;
}

/** Answers to interrupts that a run was resumed with. */
export interface Resume {
  /** The one answer that no task has taken yet; shared with the graphs that tasks call. */
  readonly single: BareAnswer | undefined;
  /** By interrupt id. */
  readonly map: Readonly<Record<string, unknown>> | undefined;
  /** What tasks have taken before, by task id. */
  readonly byTask: ReadonlyMap<string, readonly unknown[]>;
}

/**
 * What the tasks of a run may know about it. Read-only for them (I9); the run replaces `resume`
 * and the callbacks, nothing else changes.
 */
export interface RunScope {
  readonly program: Program;
  readonly snapshot: Snapshot;
  /** Namespace of this graph; "" for the root. */
  readonly namespace: string;
  readonly threadId: string | undefined;
  readonly runId: string | undefined;
  /** The caller's config, in the shape that a node gets it; copied for each task. */
  readonly base: () => ConfigBase;
  /** Aborted when the run is cancelled or a task failed. */
  readonly abort: { readonly aborted: boolean; readonly signal: AbortSignal };
  /** Whether interrupts can be resumed. */
  readonly persistent: boolean;
  /** Whether its tasks ask under other ids than before: it is not stored, or somebody edited its state. */
  readonly asksAnew: boolean;
  readonly resume: Resume;
  /** Present when somebody listens to callbacks. */
  readonly callbacks: CallbackManagerForChainRun | undefined;
  /** What graphs called by a task inherit; opaque to this floor. */
  readonly inherited: unknown;
  /** Limits of the node that calls the tasks of this scope. */
  readonly limits?: Limits | undefined;
  /** Sends a chunk to the stream mode "custom", for a task within another. */
  readonly write: (chunk: unknown, at: string) => void;
  /** Runs a function as a task of its own, called by a task of this run. */
  readonly callTask: (caller: TaskRuntime, node: ProgramNode, args: readonly unknown[]) => Called;
}

/** Templates with all members that a task sets, so that copies keep one shape. */
export interface ConfigBase {
  readonly config: Readonly<Record<string, unknown>>;
  readonly configurable: Readonly<Record<PropertyKey, unknown>>;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** The limits of an attempt that is running, or was. */
export interface Limits {
  /** What the attempt does from now on counts no more. */
  readonly isOver: boolean;
  /** Anything that happens is progress, not only a heartbeat. */
  readonly isAutomatic: boolean;
  /** It has made progress. */
  touch(): void;
}

/** A running task, as `interrupt`, `getCurrentTaskInput` and nested graphs see it. */
export class TaskRuntime {
  readonly task: Task;
  readonly scope: RunScope;
  /** From 1. */
  readonly attempt: number;
  /** When the first attempt began, in milliseconds since 1970. */
  readonly first: number;
  /** Answers, by order of the node's interrupts. */
  readonly answers: unknown[];
  /** How many interrupts this attempt has met. */
  interrupts = 0;
  /** How many graphs this attempt has called. */
  calls = 0;
  /** How many tasks this attempt has called. */
  tasks = 0;
  /** Results of the tasks that it called, if it called any; the attempt is over when they are. */
  called: Called[] | undefined;
  /** What the attempt wrote before it returned, if it did. */
  pushed: Write[] | undefined;
  /** The limits that the attempt has; undefined when there are none. */
  limits: Limits | undefined;
  /** Set by an interrupt without an answer: the task is interrupted whatever its node does (I8). */
  interrupted: GraphInterrupt | undefined;
  /** Whether an answer was taken in this attempt and is to be stored. */
  answered = false;
  #asked: { readonly graph: object; readonly input: unknown }[] | undefined;

  constructor(task: Task, scope: RunScope, answers: unknown[], attempt: number, first: number) {
    this.task = task;
    this.scope = scope;
    this.attempt = attempt;
    this.first = first;
    this.answers = answers;
  }
  /** What it, or something that it called, has done is progress. */
  progress(): void {
    const limits = this.limits ?? this.scope.limits;
    if (limits?.isAutomatic) limits.touch();
  }
  /**
   * Whether a graph that it called waits, and had the same input: whoever calls it again, as
   * LangChain's `withRetry` does, makes another attempt at the same question.
   */
  hasAsked(graph: object, input: unknown): boolean {
    return this.#asked?.some((call) => call.graph === graph && call.input === input) ?? false;
  }
  /** A graph that it called waits for answers. */
  graphWaits(signal: GraphInterrupt, graph: object, input: unknown): void {
    (this.#asked ??= []).push({ graph, input });
    this.waitsFor(signal);
  }
  /** The task, or one that it called, waits for answers. */
  waitsFor(signal: GraphInterrupt): void {
    this.interrupted = withInterrupts(this.interrupted, signal);
  }
  /** Under LangGraph's name for it: `langchain` hands it to tools as their state. */
  get currentTaskInput(): unknown {
    return this.task.input;
  }
  /** Programs print their config, which this stands in. */
  toJSON(): { currentTaskInput: unknown } {
    return { currentTaskInput: this.currentTaskInput };
  }
}
