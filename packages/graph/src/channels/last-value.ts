import type { ChannelChange } from "@skein/checkpointer";
import { EmptyChannelError, InvalidUpdateError } from "../errors/errors.ts";
import { BaseChannel } from "./base.ts";
import { StoredCell, EMPTY } from "./cell.ts";
import { listChange } from "./list-change.ts";
import { Overwrite } from "./overwrite.ts";
import { isFactory } from "./reducer.ts";

/** Keeps the last value written; two tasks of one step that write it are a mistake. */
export class LastValue<Value = unknown> extends StoredCell<Value> {
  readonly lc_graph_name: string = "LastValue";
  initialValueFactory: (() => Value) | undefined;

  constructor(initialValueFactory?: () => Value) {
    super();
    this.initialValueFactory = initialValueFactory;
    if (isFactory(initialValueFactory)) this.held = initialValueFactory();
  }
  override get takesOneWrite(): boolean {
    return true;
  }
  fromCheckpoint(stored?: Value): this {
    if (stored === undefined) return new LastValue<Value>(this.initialValueFactory) as this;
    const channel = new LastValue<Value>();
    channel.initialValueFactory = this.initialValueFactory;
    channel.held = stored;
    return channel as this;
  }
  update(writes: readonly Value[]): boolean {
    if (writes.length === 0) return false;
    if (writes.length > 1) {
      throw new InvalidUpdateError(
        "LastValue can only receive one value per step. Give the key a reducer, or let one node write it.",
        { lc_error_code: "INVALID_CONCURRENT_GRAPH_UPDATE", code: "INVALID_CONCURRENT_UPDATE" },
      );
    }
    const write = writes[0] as Value;
    this.held = Overwrite.isInstance<Value>(write) ? write.value : write;
    return true;
  }
  override change(): ChannelChange {
    const value = this.stored();
    // all of it was written: the saver recognises the elements that it has
    if (Array.isArray(value) && holdsObjects(value)) return listChange(undefined, value);
    return value === undefined ? { op: "clear" } : { op: "set", value };
  }
}

/** An embedding is one value, not a thousand elements. */
function holdsObjects(list: readonly unknown[]): boolean {
  return typeof list[0] === "object" && typeof list.at(-1) === "object";
}

/** Keeps the last value and shows it when everything else is done: the trigger of a deferred node. */
export class LastValueAfterFinish<Value = unknown> extends BaseChannel<Value, Value, [Value, boolean]> {
  readonly lc_graph_name = "LastValueAfterFinish";
  #value: Value | typeof EMPTY = EMPTY;
  #finished = false;

  override get deferred(): boolean {
    return true;
  }
  fromCheckpoint(stored?: [Value, boolean]): this {
    const channel = new LastValueAfterFinish<Value>();
    if (stored !== undefined) [channel.#value, channel.#finished] = stored;
    return channel as this;
  }
  update(writes: readonly Value[]): boolean {
    if (writes.length === 0) return false;
    this.#finished = false;
    this.#value = writes.at(-1) as Value;
    return true;
  }
  get(): Value {
    if (this.#value === EMPTY || !this.#finished) throw new EmptyChannelError();
    return this.#value;
  }
  override isAvailable(): boolean {
    return this.#value !== EMPTY && this.#finished;
  }
  checkpoint(): [Value, boolean] | undefined {
    return this.#value === EMPTY ? undefined : [this.#value, this.#finished];
  }
  override consume(): boolean {
    if (!this.#finished) return false;
    this.#finished = false;
    this.#value = EMPTY;
    return true;
  }
  override finish(): boolean {
    if (this.#finished || this.#value === EMPTY) return false;
    this.#finished = true;
    return true;
  }
}
