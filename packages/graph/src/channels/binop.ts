import type { ChannelChange } from "@skein/checkpointer";
import { EmptyChannelError } from "../errors/errors.ts";
import { BaseChannel } from "./base.ts";
import { Baseline } from "./list-change.ts";
import { fold, type Overwrite } from "./overwrite.ts";
import { assertReducer, isFactory } from "./reducer.ts";
import { noteObjects } from "./written.ts";

export type BinaryOperator<Value, Update = Value> = (left: Value, right: Update) => Value;

/** Merges what is written into its value with a reducer. */
export class BinaryOperatorAggregate<Value = unknown, Update = Value> extends BaseChannel<
  Value,
  Update | Overwrite<Value>,
  Value
> {
  readonly lc_graph_name = "BinaryOperatorAggregate";
  readonly operator: BinaryOperator<Value, Update>;
  initialValueFactory: (() => Value) | undefined;
  #value: Value | undefined;
  #baseline = new Baseline(undefined);
  /** Objects written since the last change. */
  #written = new Set<unknown>();

  /** @throws GraphError INVALID_STATE_SCHEMA if the reducer is no function */
  constructor(operator: BinaryOperator<Value, Update>, initialValueFactory?: () => Value) {
    super();
    assertReducer(operator);
    this.operator = operator;
    this.initialValueFactory = initialValueFactory;
    if (isFactory(initialValueFactory)) this.#value = initialValueFactory();
  }
  override get accumulates(): boolean {
    return true;
  }
  fromCheckpoint(stored?: Value): this {
    if (stored === undefined) {
      return new BinaryOperatorAggregate<Value, Update>(this.operator, this.initialValueFactory) as this;
    }
    const channel = new BinaryOperatorAggregate<Value, Update>(this.operator);
    channel.initialValueFactory = this.initialValueFactory;
    channel.#value = stored;
    channel.#baseline = new Baseline(stored);
    return channel as this;
  }
  update(writes: readonly (Update | Overwrite<Value>)[]): boolean {
    if (writes.length === 0) return false;
    this.#value = fold(this.#value, writes, this.operator as BinaryOperator<Value, unknown>);
    if (Array.isArray(this.#value)) for (const write of writes) noteObjects(this.#written, write);
    return true;
  }
  get(): Value {
    if (this.#value === undefined) throw new EmptyChannelError();
    return this.#value;
  }
  override isAvailable(): boolean {
    return this.#value !== undefined;
  }
  checkpoint(): Value {
    return this.get();
  }
  override stored(): Value | undefined {
    return this.#value;
  }
  override change(): ChannelChange {
    const change = this.#baseline.change(this.#value, true, this.#written);
    if (this.#written.size > 0) this.#written = new Set();
    return change;
  }
  override rebase(): void {
    this.#baseline.forget();
  }
  override equals(other: BaseChannel): boolean {
    return other === this || (other instanceof BinaryOperatorAggregate && other.operator === this.operator);
  }
}
