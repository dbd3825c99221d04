import type { Awaitable, ChannelChange, LogEntry, StoredChannel } from "@skein/checkpointer";
import { EmptyChannelError } from "../errors/errors.ts";
import { saysAgain } from "./says-again.ts";

/**
 * A cell of the state. The engine gives it the writes of a step, in task order (I2), and reads its
 * value; how writes become a value is the kind's own business.
 *
 * A kind says what it is through the declarations below; the code of a run never asks which kind it has.
 * A definition (in a schema) and a live channel (in a run) are objects of one class: a run makes
 * its own with `fromCheckpoint` (I9).
 */
export abstract class BaseChannel<Value = unknown, Update = unknown, Stored = unknown> {
  declare ValueType: Value;
  declare UpdateType: Update;
  abstract readonly lc_graph_name: string;

  get lg_is_channel(): true {
    return true;
  }
  /** Left out of outputs and states unless it is named. */
  get hidden(): boolean {
    return false;
  }
  /** May be written by nodes, inputs and `updateState`. */
  get direct(): boolean {
    return true;
  }
  /** For a channel that is not `direct`: what to write instead. */
  get writeInstead(): string | undefined {
    return undefined;
  }
  /** Takes what is stored as it is, with `attach`, and loads it when `materialise` is called. */
  get lazy(): boolean {
    return false;
  }
  /** Is persisted. */
  get tracked(): boolean {
    return true;
  }
  /** Loses its value when a step does not write it: `update([])` is to be called then. */
  get transient(): boolean {
    return false;
  }
  /** Becomes available at the end of a run only: `finish()` is to be called then. */
  get deferred(): boolean {
    return false;
  }
  /** Refuses a second write of the same step. */
  get takesOneWrite(): boolean {
    return false;
  }
  /** Merging its value into itself changes it, as a sum or an appended list would. */
  get accumulates(): boolean {
    return false;
  }
  /**
   * Is stored as its writes where a saver takes whole checkpoints, and as a whole after this many
   * updates: what is read there goes through `replay`.
   */
  get snapshotEvery(): number | undefined {
    return undefined;
  }
  /** Name of the channel that gets what `takeEcho` returns, in the same step. */
  get echo(): string | undefined {
    return undefined;
  }

  /** A channel of its own with the stored value, or the initial one. Shares nothing with this. */
  abstract fromCheckpoint(stored?: Stored): this;
  /** A copy to try writes on, which leaves this channel as it is. */
  fork(): this {
    return this.fromCheckpoint(this.stored());
  }
  /** Whether a write says what one of an earlier call said, which may have been stored since. */
  repeats(write: unknown, before: unknown): boolean {
    return saysAgain(write, before);
  }
  /** The value as it would be after the writes of one step, which are not applied; "absent": none. */
  preview(writes: readonly Update[]): Held<Value> {
    const copy = this.fork();
    copy.update(writes);
    return heldBy(copy);
  }
  /** Applies the writes of one step. Returns whether anything changed. */
  abstract update(writes: readonly Update[]): boolean;
  /** @throws EmptyChannelError when the channel has no value */
  abstract get(): Value;
  isAvailable(): boolean {
    return answers(() => this.get());
  }
  /**
   * The value as it stands in a checkpoint.
   *
   * @throws EmptyChannelError when a kind has none (others answer undefined)
   */
  abstract checkpoint(): Stored | undefined;
  /** The same for the engine: undefined when there is none. */
  stored(): Stored | undefined {
    let stored: Stored | undefined;
    answers(() => (stored = this.checkpoint()));
    return stored;
  }
  /** A channel of its own with a stored value, or the initial one, and the writes since. */
  replay(stored: Stored | undefined, _writes: readonly Update[]): this {
    return this.fromCheckpoint(stored);
  }
  /** For a channel with `snapshotEvery`: since it was stored as a whole, it was overwritten. */
  get overwritten(): boolean {
    return false;
  }
  /** The value as a whole, for a channel with `snapshotEvery`. */
  snapshot(): unknown {
    return this.stored();
  }

  /** Called when a task that this channel triggered has run. Returns whether anything changed. */
  consume(): boolean {
    return false;
  }
  /** Called when nothing else is left to run. Returns whether anything changed. */
  finish(): boolean {
    return false;
  }
  /**
   * Called before `prepare` with a write that comes from outside of a run: here a channel may look up
   * in the channel named by `echo` what the write names.
   */
  consult(_write: unknown, _log: BaseChannel): Awaitable<void> {
    return undefined;
  }
  /**
   * Called when somebody changed this channel and not the one named by `echo`: what that one does not
   * have is to be given by the next `takeEcho`.
   */
  catchUp(_log: BaseChannel): Awaitable<void> {
    return undefined;
  }
  /** What an input has for this channel, as it is to be stored before it is applied; after `consult`. */
  posted(write: unknown): unknown {
    return write;
  }
  /** Of a log: how many entries it has. */
  get entries(): number {
    return 0;
  }
  /** Of a log: ids whose last entry hides them. */
  hiddenIds(): Awaitable<ReadonlySet<string>> {
    return NO_IDS;
  }
  /** All that was ever put into a log under some ids, oldest first; what the log does not know is left out. */
  revisions(_ids: readonly string[]): Awaitable<ReadonlyMap<string, readonly unknown[]>> {
    return NO_REVISIONS;
  }
  /**
   * Called once, when an outcome is recorded: what it returns is what is stored and applied (C3).
   *
   * @param _caller - for what a graph is given by another one: the channel of this name there
   */
  prepare(write: unknown, _origin?: WriteOrigin, _caller?: BaseChannel): unknown {
    return write;
  }
  /** Of the elements that a graph which keeps its state from call to call hands back, those that `log` does not have. */
  handedBack(elements: unknown[], _log: BaseChannel): Awaitable<unknown[]> {
    return elements;
  }
  /** A write as it is stored before its step commits, where a brand must survive storage. */
  encodeWrite(write: unknown): unknown {
    return write;
  }
  /** The write that `encodeWrite` stored. */
  decodeWrite(stored: unknown): unknown {
    return stored;
  }
  /** What was appended, replaced or hidden since the last call, for the channel named by `echo`. */
  takeEcho(): readonly LogEntry[] {
    return [];
  }
  /** Takes the stored image of a `lazy` channel. */
  attach(_image: StoredChannel): void {}
  /** Loads what is stored, before the value is read. */
  materialise(): Awaitable<void> {
    return undefined;
  }
  /** Takes another channel's echo. Returns whether anything changed. */
  append(_entries: readonly LogEntry[]): boolean {
    return false;
  }
  /** The change since the last call (or since `fromCheckpoint`), for a change set. */
  change(): ChannelChange {
    const stored = this.stored();
    return stored === undefined ? { op: "clear" } : { op: "set", value: stored };
  }
  /** The stored image is not a list that segments could refer to: the next change is whole. */
  rebase(): void {}
  /** Nobody else has the array that the channel was made from. */
  takeOver(): void {}

  /** Whether another definition under the same name means the same channel. */
  equals(other: BaseChannel): boolean {
    return this === other;
  }
}

const NO_IDS: ReadonlySet<string> = new Set();
const NO_REVISIONS: ReadonlyMap<string, readonly unknown[]> = new Map();

/** Whether a read finds a value. */
function answers(read: () => unknown): boolean {
  try {
    read();
    return true;
  } catch (error) {
    if (error instanceof Error && error.name === EmptyChannelError.unminifiable_name) return false;
    throw error;
  }
}

/** Who wrote: a task, a call's input, or somebody outside of a run. */
export type WriteOrigin = "task" | "input" | "update";

/** A definition in a state: a channel, or a function that makes one. */
export type ChannelSpec = BaseChannel | (() => BaseChannel);

/** A value, or that there is none. */
export type Held<Value = unknown> = { readonly value: Value } | "absent";

/** What a channel holds. */
export function heldBy<Value>(channel: BaseChannel<Value> | undefined): Held<Value> {
  return channel?.isAvailable() ? { value: channel.get() } : "absent";
}

/** The value of a channel; undefined where there is none. */
export function valueOf(channel: BaseChannel | undefined): unknown {
  return channel?.isAvailable() ? channel.get() : undefined;
}

export function isChannel(value: unknown): value is BaseChannel {
  return (
    typeof value === "object" &&
    value !== null &&
    (value as { lg_is_channel?: unknown }).lg_is_channel === true
  );
}
