import type { CheckpointMetadata } from "@langchain/langgraph-checkpoint";
import type { Awaitable } from "@skein/checkpointer";
import type { Snapshot } from "../engine/snapshot.ts";
import { timestamp } from "../ids/timestamp.ts";
import { nextTurn } from "./breathe.ts";
import type { Commit, Session, TaskOutput } from "./storage.ts";

/** When a step counts as stored: before the next one starts, soon after, or at the end of the run. */
export type Durability = "sync" | "async" | "exit";

/** What comes after a commit. */
export type CommitEnd = Pick<Commit, "release" | "followed">;

const GOES_ON: CommitEnd = { release: false };

/**
 * The only writer to a saver. Puts commits and records in order, waits for them or not as
 * `durability` says, and gives the thread back.
 */
export class Journal {
  readonly session: Session;
  readonly durability: Durability;
  readonly #snapshot: Snapshot;
  readonly #outputsFirst: boolean;
  /** Id of the newest checkpoint that the saver has, or will have when the queue is through. */
  #parentId: string | undefined;
  #queue: Promise<void> | undefined;
  #waiting = 0;
  #failure: { error: unknown } | undefined;
  /** For "exit": the last commit, which is made when the run ends. */
  #held: { id: string; metadata: CheckpointMetadata } | undefined;
  /** For "exit": what the steps before the held commit wrote. */
  #skipped: (TaskOutput & { readonly step: number })[] = [];
  /** The source of the first of them. */
  #began: CheckpointMetadata["source"] | undefined;
  /** Channels that an input has written, or a command: no task's output tells what. */
  readonly #given = new Set<string>();
  readonly #anchorId: string;
  /** For "exit": outputs under the held commit. */
  #heldOutputs: TaskOutput[] = [];

  /** @param outputsFirst - a later call reads what the tasks wrote */
  constructor(session: Session, snapshot: Snapshot, durability: Durability, outputsFirst = false) {
    this.session = session;
    this.durability = durability;
    this.#outputsFirst = outputsFirst;
    this.#snapshot = snapshot;
    this.#anchorId = snapshot.checkpointId;
    this.#parentId = session.stored?.id;
  }
  /** Id of the checkpoint that the next commit follows. */
  get parentId(): string | undefined {
    return this.#parentId;
  }

  /** Whether a commit is held back whose content is still to be taken from the snapshot. */
  get holds(): boolean {
    return this.#held !== undefined;
  }

  /** Makes outputs durable under the present checkpoint, before their step ends (I6). */
  record(outputs: readonly TaskOutput[]): Awaitable<void> {
    const kept = outputs.filter(({ writes }) => writes.length > 0);
    if (kept.length === 0) return undefined;
    if (this.durability === "exit") {
      this.#heldOutputs.push(...kept);
      return undefined;
    }
    const at = this.#snapshot.checkpointId;
    return this.#enqueue(() => this.session.record(at, kept, this.#snapshot));
  }
  /**
   * Appends a checkpoint with everything that changed since the last one.
   *
   * @param end - `release`: nothing follows, and the thread is given back in the same transaction. `followed`:
   *   the next one comes before any task
   */
  commit(
    id: string,
    metadata: CheckpointMetadata,
    outputs: readonly TaskOutput[],
    end: CommitEnd,
  ): Awaitable<void> {
    this.session.count?.(metadata, this.#snapshot);
    if (this.durability === "exit") {
      if (this.session.count !== undefined && this.#snapshot.program.replayed !== undefined) {
        const { step } = this.#snapshot;
        this.#began ??= metadata.source;
        if (metadata.source === "input") for (const { name } of this.#snapshot.changed) this.#given.add(name);
        this.#skipped.push(...[...this.#heldOutputs, ...outputs].map((output) => ({ ...output, step })));
      }
      this.#held = { id, metadata };
      this.#heldOutputs = [];
      return undefined;
    }
    return this.#write(id, metadata, outputs, end);
  }
  /** Writes what "exit" held back. To be called while the snapshot is what it is to store. */
  async flush(): Promise<void> {
    const [held, outputs] = [this.#held, this.#heldOutputs];
    this.#held = undefined;
    this.#heldOutputs = [];
    if (held !== undefined) await this.#write(held.id, held.metadata, [], GOES_ON);
    if (outputs.length === 0) return;
    // beside the checkpoint, they could take its place in what a saver reads, changes and writes back
    if (!this.session.keepsOrder) await this.#queue;
    try {
      await this.session.record(this.#snapshot.checkpointId, outputs, this.#snapshot);
    } catch (error) {
      // sent before it was known that the checkpoint which they stand under could not be stored
      throw this.#failure === undefined ? error : this.#failure.error;
    }
  }
  /** The end of the run: what was held back is written, and the queue is waited for. */
  async finish(keepHeld: boolean): Promise<void> {
    if (keepHeld) await this.flush();
    while (this.#queue !== undefined) await this.#queue;
    if (this.#failure !== undefined) throw this.#failure.error;
  }
  /** Waits for what is on its way; undefined when nothing is. Rejects when something could not be stored. */
  through(): Promise<void> | undefined {
    const isThrough = this.#queue === undefined && this.#failure === undefined;
    return isThrough ? undefined : this.finish(false);
  }
  release(): Awaitable<void> {
    return this.session.release();
  }
  /** Whether `finish` has nothing to do. */
  get settled(): boolean {
    if (this.#failure !== undefined) return false;
    return this.#queue === undefined && this.#held === undefined && this.#heldOutputs.length === 0;
  }

  #write(
    id: string,
    metadata: CheckpointMetadata,
    outputs: readonly TaskOutput[],
    { release, followed }: CommitEnd,
  ): Awaitable<void> {
    const commit = {
      id,
      parentId: this.#parentId,
      ts: timestamp(),
      metadata,
      outputs,
      outputsFirst: this.#outputsFirst,
      skipped:
        this.#skipped.length === 0
          ? undefined
          : { anchorId: this.#anchorId, outputs: this.#skipped, began: this.#began, given: this.#given },
      release,
      followed,
    };
    this.#skipped = [];
    this.#parentId = id;
    const write = this.session.commit(commit, this.#snapshot);
    this.#snapshot.changed.clear();
    this.#snapshot.seenChanged.clear();
    return this.session.keepsOrder ? this.#enqueue(write) : this.#call(write);
  }
  /**
   * The same for a foreign saver, which is called before the next node can edit in place what it is to
   * serialize: if it is quick, or if its checkpoints are read from deltas.
   */
  #call(write: (called: () => void) => Awaitable<void>): Awaitable<void> {
    let written: Awaitable<void> = undefined;
    const called = new Promise<void>((resolve) => (written = this.#enqueue(() => write(resolve))));
    // what fails before calls nothing
    const ahead = [called, this.#queue];
    if (this.#snapshot.program.replayed === undefined) ahead.push(nextTurn());
    return written ?? Promise.race(ahead);
  }
  #enqueue(write: () => Awaitable<void>): Awaitable<void> {
    if (this.#failure !== undefined) throw this.#failure.error;
    if (this.#queue === undefined || this.session.keepsOrder) {
      const done = write();
      if (!(done instanceof Promise)) return undefined;
      return this.#track(done);
    }
    // nothing is stored after what could not be: it would follow a checkpoint that is not there (I4)
    return this.#track(this.#queue.then(() => (this.#failure === undefined ? write() : undefined)));
  }
  #track(done: Promise<void>): Awaitable<void> {
    this.#waiting += 1;
    const isAwaited = this.durability === "sync";
    const settle = (): void => {
      this.#waiting -= 1;
      if (this.#waiting === 0) this.#queue = undefined;
      if (isAwaited && this.#failure !== undefined) throw this.#failure.error;
    };
    // one promise for both, who waits for the queue and who waits for this write: a step makes few others
    const tail = done.then(settle, (error: unknown) => {
      this.#failure ??= { error };
      settle();
    });
    this.#queue = tail;
    return isAwaited ? tail : undefined;
  }
}

/** For what is written where something worse has happened already, which is told; the journal keeps its failure. */
export function despiteFailure(write: () => Awaitable<void>): Awaitable<void> {
  try {
    const written = write();
    return written instanceof Promise ? written.catch(() => {}) : written;
  } catch {
    return undefined;
  }
}
