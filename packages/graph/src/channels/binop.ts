import type { ChannelChange } from "@skein/checkpointer";
import { EmptyChannelError } from "../errors/errors.ts";
import { BaseChannel } from "./base.ts";
import { Baseline } from "./list-change.ts";
import { fold, type Overwrite } from "./overwrite.ts";

export type BinaryOperator<Value, Update = Value> = (left: Value, right: Update) => Value;

/** Merges what is written into its value with a reducer. */
export class BinaryOperatorAggregate<Value = unknown, Update = Value> extends BaseChannel<
  Value,
  Update | Overwrite<Value>,
  Value
> {
  readonly lc_graph_name = "BinaryOperatorAggregate";
  readonly operator: BinaryOperator<Value, Update>;
  readonly initialValueFactory: (() => Value) | undefined;
  #value: Value | undefined;
  #baseline = new Baseline(undefined);

  constructor(operator: BinaryOperator<Value, Update>, initialValueFactory?: () => Value) {
    super();
    this.operator = operator;
    this.initialValueFactory = initialValueFactory;
  }
  override get accumulates(): boolean {
    return true;
  }
  fromCheckpoint(stored?: Value): this {
    const channel = new BinaryOperatorAggregate<Value, Update>(this.operator, this.initialValueFactory);
    if (stored !== undefined) {
      channel.#value = stored;
      channel.#baseline = new Baseline(stored);
    } else channel.#value = this.initialValueFactory?.();
    return channel as this;
  }
  update(writes: readonly (Update | Overwrite<Value>)[]): boolean {
    if (writes.length === 0) return false;
    this.#value = fold(this.#value, writes, this.operator as BinaryOperator<Value, unknown>);
    return true;
  }
  get(): Value {
    if (this.#value === undefined) throw new EmptyChannelError();
    return this.#value;
  }
  isAvailable(): boolean {
    return this.#value !== undefined;
  }
  checkpoint(): Value | undefined {
    return this.#value;
  }
  override change(): ChannelChange {
    return this.#baseline.change(this.#value, true);
  }
  override rebase(): void {
    this.#baseline.forget();
  }
  override equals(other: BaseChannel): boolean {
    return other === this || (other instanceof BinaryOperatorAggregate && other.operator === this.operator);
  }
}
