import { EmptyChannelError } from "../errors/errors.ts";
import { BaseChannel } from "./base.ts";

const EMPTY = Symbol("empty");

/** Keeps the last value; several writes of one step are taken to be equal. */
export class AnyValue<Value = unknown> extends BaseChannel<Value, Value, Value> {
  readonly lc_graph_name = "AnyValue";
  #value: Value | typeof EMPTY = EMPTY;

  override get transient(): boolean {
    return true;
  }
  fromCheckpoint(stored?: Value): this {
    const channel = new AnyValue<Value>();
    if (stored !== undefined) channel.#value = stored;
    return channel as this;
  }
  update(writes: readonly Value[]): boolean {
    const had = this.#value !== EMPTY;
    this.#value = writes.length === 0 ? EMPTY : (writes.at(-1) as Value);
    return writes.length > 0 || had;
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
