import { EmptyChannelError, InvalidUpdateError } from "../errors/errors.ts";
import { BaseChannel } from "./base.ts";

const EMPTY = Symbol("empty");

/** Keeps a value for the step after the one that wrote it. */
export class EphemeralValue<Value = unknown> extends BaseChannel<Value, Value, Value> {
  readonly lc_graph_name = "EphemeralValue";
  readonly guard: boolean;
  #value: Value | typeof EMPTY = EMPTY;

  /** @param guard - refuse a second value in one step; else the last one stays */
  constructor(guard = true) {
    super();
    this.guard = guard;
  }
  override get transient(): boolean {
    return true;
  }
  fromCheckpoint(stored?: Value): this {
    const channel = new EphemeralValue<Value>(this.guard);
    if (stored !== undefined) channel.#value = stored;
    return channel as this;
  }
  update(writes: readonly Value[]): boolean {
    if (writes.length === 0) {
      const had = this.#value !== EMPTY;
      this.#value = EMPTY;
      return had;
    }
    if (writes.length > 1 && this.guard) {
      throw new InvalidUpdateError("EphemeralValue can only receive one value per step.");
    }
    this.#value = writes.at(-1) as Value;
    return true;
  }
  get(): Value {
    if (this.#value === EMPTY) throw new EmptyChannelError();
    return this.#value;
  }
  isAvailable(): boolean {
    return this.#value !== EMPTY;
  }
  checkpoint(): Value | undefined {
    return this.#value === EMPTY ? undefined : this.#value;
  }
}
