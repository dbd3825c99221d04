import type { ChannelChange } from "@skein/checkpointer";
import { EmptyChannelError } from "../errors/errors.ts";
import { BaseChannel } from "./base.ts";
import { Baseline } from "./list-change.ts";

export interface TopicOptions {
  /** Drop a value that was already received. Default: false. */
  readonly unique?: boolean;
  /** Keep values from step to step. Default: false: they last for one step. */
  readonly accumulate?: boolean;
}

/** Collects all values written in a step (arrays are taken apart). Pending `Send`s stand in one. */
export class Topic<Value = unknown> extends BaseChannel<
  Value[],
  Value | Value[],
  Value[] | [Value[], Value[]]
> {
  readonly lc_graph_name = "Topic";
  readonly unique: boolean;
  readonly accumulate: boolean;
  #seen = new Set<Value>();
  #values: Value[] = [];
  #baseline = new Baseline(undefined);

  constructor(options?: TopicOptions | null) {
    super();
    this.unique = options?.unique ?? false;
    this.accumulate = options?.accumulate ?? false;
  }
  override get transient(): boolean {
    return !this.accumulate;
  }
  override get accumulates(): boolean {
    return this.accumulate && !this.unique;
  }
  fromCheckpoint(stored?: Value[] | [Value[], Value[]]): this {
    const channel = new Topic<Value>(this);
    if (stored === undefined) return channel as this;
    if (this.unique && isUniqueImage<Value>(stored)) {
      channel.#seen = new Set(stored[0]);
      channel.#values = [...stored[1]];
    } else {
      channel.#values = [...(stored as Value[])];
      channel.#seen = new Set(this.unique ? channel.#values : []);
      channel.#baseline = new Baseline(stored);
    }
    return channel as this;
  }
  update(writes: readonly (Value | Value[])[]): boolean {
    let changed = false;
    let values = this.#values;
    if (!this.accumulate) {
      changed = values.length > 0;
      values = [];
    }
    const incoming = writes.some(Array.isArray) ? (writes.flat() as Value[]) : [...(writes as Value[])];
    const added = this.unique
      ? incoming.filter((value) => !this.#seen.has(value) && this.#seen.add(value))
      : incoming;
    // a new array: the old one may be in a node's hands (A2)
    if (added.length > 0) this.#values = values.length > 0 ? [...values, ...added] : added;
    else this.#values = values;
    return changed || added.length > 0;
  }
  get(): Value[] {
    if (this.#values.length === 0) throw new EmptyChannelError();
    return this.#values;
  }
  override isAvailable(): boolean {
    return this.#values.length > 0;
  }
  checkpoint(): Value[] | [Value[], Value[]] {
    return this.unique ? [[...this.#seen], [...this.#values]] : this.#values;
  }
  override change(): ChannelChange {
    if (this.unique) return { op: "set", value: this.checkpoint() };
    if (this.#values.length === 0 && !this.accumulate) {
      this.#baseline.forget();
      return { op: "clear" };
    }
    return this.#baseline.change(this.#values, true);
  }
  override rebase(): void {
    this.#baseline.forget();
  }
}

function isUniqueImage<Value>(stored: unknown[]): stored is [Value[], Value[]] {
  return stored.length === 2 && Array.isArray(stored[0]) && Array.isArray(stored[1]);
}
