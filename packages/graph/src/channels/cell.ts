import { EmptyChannelError } from "../errors/errors.ts";
import { BaseChannel } from "./base.ts";

/** What a cell holds when it holds nothing; undefined is a value like any other. */
export const EMPTY: unique symbol = Symbol("empty");

/** A channel that holds one value or none. Kinds differ in what a write does to it. */
export abstract class CellChannel<Value, Stored = Value> extends BaseChannel<Value, Value, Stored> {
  protected held: Value | typeof EMPTY = EMPTY;

  get(): Value {
    if (this.held === EMPTY) throw new EmptyChannelError();
    return this.held;
  }
  override isAvailable(): boolean {
    return this.held !== EMPTY;
  }
  /** Of one kind: each graph makes a cell of its own of a key. */
  override equals(other: BaseChannel): boolean {
    return other.lc_graph_name === this.lc_graph_name;
  }
}

/** A cell whose value is what is stored of it. */
export abstract class StoredCell<Value> extends CellChannel<Value> {
  checkpoint(): Value {
    return this.get();
  }
  override stored(): Value | undefined {
    return this.held === EMPTY ? undefined : this.held;
  }
}
