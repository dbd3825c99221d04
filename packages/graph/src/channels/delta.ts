import { BaseMessage } from "@langchain/core/messages";
import type { ChannelChange } from "@skein/checkpointer";
import { DeltaSnapshot, isDeltaSnapshot } from "@skein/checkpointer/base";
import { GraphError, shown } from "@skein/errors";
import { EmptyChannelError, InvalidUpdateError } from "../errors/errors.ts";
import { BaseChannel, type WriteOrigin } from "./base.ts";
import { Baseline } from "./list-change.ts";
import { toMessages } from "./messages-reducer.ts";
import { Overwrite } from "./overwrite.ts";
import { assertReducer } from "./reducer.ts";
import { saysAgain } from "./says-again.ts";
import { noteObjects } from "./written.ts";

/**
 * Folds all writes of a step into the value at once. It must not matter how writes are grouped:
 * `reduce(reduce(value, a), b)` has to equal `reduce(value, [...a, ...b])`.
 */
export type DeltaReducer<Value, Update = Value> = (current: Value, writes: Update[]) => Value;

export interface DeltaOptions<Value> {
  /** Updates after which a saver of whole checkpoints gets the value as a whole. Default: 1,000. */
  readonly snapshotFrequency?: number | undefined;
  /** Makes the first value. Default: an empty list. */
  readonly initialValueFactory?: (() => Value) | undefined;
}

/**
 * A value that savers of whole checkpoints get as its writes, with the whole every so often; it is
 * read there by replaying the writes. A saver with change sets gets changes anyway: under it this
 * channel costs what any list costs.
 *
 * Writes of one step apply in the order of their tasks' ids, which is the order of a replay.
 */
export class DeltaChannel<Value = unknown, Update = unknown> extends BaseChannel<
  Value,
  Update | Overwrite<Value>,
  Value | DeltaSnapshot
> {
  readonly lc_graph_name = "DeltaChannel";
  readonly reducer: DeltaReducer<Value, Update>;
  readonly snapshotFrequency: number;
  readonly initialValueFactory: () => Value;
  #value: Value | undefined;
  #baseline = new Baseline(undefined);
  #overwritten = false;
  /** Objects written since the last change. */
  #written = new Set<unknown>();
  /** Ids that messages got here which came from outside. */
  #given: Set<string> | undefined;

  /** @throws GraphError when `snapshotFrequency` is no positive integer, or the reducer no function */
  constructor(reducer: DeltaReducer<Value, Update>, options?: DeltaOptions<Value> | null) {
    super();
    assertReducer(reducer);
    this.reducer = reducer;
    this.snapshotFrequency = options?.snapshotFrequency ?? 1000;
    this.initialValueFactory = options?.initialValueFactory ?? (() => [] as Value);
    if (Number.isInteger(this.snapshotFrequency) && this.snapshotFrequency > 0) return;
    throw new GraphError(
      "INVALID_CONFIGURATION",
      `snapshotFrequency must be a positive integer, got ${shown(this.snapshotFrequency)}.`,
      { details: { snapshotFrequency: this.snapshotFrequency } },
    );
  }
  override get snapshotEvery(): number {
    return this.snapshotFrequency;
  }
  override get overwritten(): boolean {
    return this.#overwritten;
  }
  override get accumulates(): boolean {
    return true;
  }

  fromCheckpoint(stored?: Value | DeltaSnapshot): this {
    const channel = new DeltaChannel<Value, Update>(this.reducer, this);
    const value = isDeltaSnapshot(stored) ? (stored.value as Value) : stored;
    channel.#value = value === undefined ? this.initialValueFactory() : value;
    if (value !== undefined) channel.#baseline = new Baseline(value);
    return channel as this;
  }
  override replay(
    stored: Value | DeltaSnapshot | undefined,
    writes: readonly (Update | Overwrite<Value>)[],
  ): this {
    const channel = this.fromCheckpoint(stored);
    channel.#baseline = new Baseline(undefined);
    const from = writes.findLastIndex((write) => Overwrite.isInstance(write));
    if (from >= 0) channel.#overwrite(writes[from] as Overwrite<Value>);
    channel.#overwritten = false;
    const rest = writes.slice(from + 1) as Update[];
    if (rest.length > 0) channel.#value = this.reducer(channel.#value as Value, rest);
    return channel;
  }
  override fork(): this {
    const fork = new DeltaChannel<Value, Update>(this.reducer, this);
    fork.#value = this.#value;
    return fork as this;
  }

  /** Gives ids to messages, so that every replay makes the same ones. */
  override prepare(write: unknown, origin?: WriteOrigin): unknown {
    const note = (id: string): void => void (origin === "input" && (this.#given ??= new Set()).add(id));
    for (const element of Array.isArray(write) ? write : [write]) {
      if (BaseMessage.isInstance(element)) toMessages(element, note);
    }
    return write;
  }
  override repeats(write: unknown, before: unknown): boolean {
    return saysAgain(write, before, { isMadeUp: (id) => this.#given?.has(id) === true });
  }
  update(writes: readonly (Update | Overwrite<Value>)[]): boolean {
    if (writes.length === 0) return false;
    const overwrites = writes.filter((write) => Overwrite.isInstance<Value>(write));
    if (overwrites.length > 1) {
      throw new InvalidUpdateError("Can receive only one Overwrite value per step.");
    }
    if (overwrites[0] !== undefined) this.#overwrite(overwrites[0]);
    else this.#value = this.reducer(this.#value ?? this.initialValueFactory(), [...writes] as Update[]);
    if (Array.isArray(this.#value)) for (const write of writes) noteObjects(this.#written, write);
    return true;
  }
  #overwrite({ value }: Overwrite<Value>): void {
    this.#value = value ?? this.initialValueFactory();
    this.#overwritten = true;
  }

  get(): Value {
    if (this.#value === undefined) throw new EmptyChannelError();
    return this.#value;
  }
  override isAvailable(): boolean {
    return this.#value !== undefined;
  }
  /** Nothing: what is stored as a whole, and when, is for the checkpoint to decide. */
  checkpoint(): undefined {
    return undefined;
  }
  /** The value as a whole, for a checkpoint. */
  override snapshot(): DeltaSnapshot {
    this.#overwritten = false;
    return new DeltaSnapshot(this.get());
  }
  override change(): ChannelChange {
    this.#overwritten = false;
    // data that looks like a snapshot must not be taken for one when it is read
    const value = isDeltaSnapshot(this.#value) ? new DeltaSnapshot(this.#value) : this.#value;
    const change = this.#baseline.change(value, true, this.#written);
    if (this.#written.size > 0) this.#written = new Set();
    return change;
  }
  override rebase(): void {
    this.#baseline.set(undefined);
  }
  override equals(other: BaseChannel): boolean {
    if (other === this) return true;
    return (
      isDeltaChannel(other) &&
      other.snapshotFrequency === this.snapshotFrequency &&
      (other.reducer as unknown) === this.reducer
    );
  }
}

export function isDeltaChannel(value: unknown): value is DeltaChannel {
  return (
    typeof value === "object" &&
    value !== null &&
    (value as { lc_graph_name?: unknown }).lc_graph_name === "DeltaChannel"
  );
}
