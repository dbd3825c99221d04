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
  isAvailable(): boolean {
    return this.held !== EMPTY;
  }
}
