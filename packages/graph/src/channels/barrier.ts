import { EmptyChannelError, InvalidUpdateError } from "../errors/errors.ts";
import { BaseChannel } from "./base.ts";

/** Available when every one of its names was written: the trigger of a join. */
export class NamedBarrierValue extends BaseChannel<undefined, string, string[]> {
  readonly lc_graph_name = "NamedBarrierValue";
  readonly names: ReadonlySet<string>;
  #seen = new Set<string>();

  constructor(names: Iterable<string>) {
    super();
    this.names = new Set(names);
  }
  fromCheckpoint(stored?: string[]): this {
    const channel = new NamedBarrierValue(this.names);
    if (stored !== undefined) channel.#seen = new Set(stored);
    return channel as this;
  }
  update(writes: readonly string[]): boolean {
    return collect(this.names, this.#seen, writes);
  }
  get(): undefined {
    if (!this.isAvailable()) throw new EmptyChannelError();
    return undefined;
  }
  isAvailable(): boolean {
    return this.#seen.size === this.names.size;
  }
  checkpoint(): string[] {
    return [...this.#seen];
  }
  override consume(): boolean {
    if (!this.isAvailable()) return false;
    this.#seen = new Set();
    return true;
  }
}

/** A barrier that opens when everything else is done: the trigger of a deferred join. */
export class NamedBarrierValueAfterFinish extends BaseChannel<undefined, string, [string[], boolean]> {
  readonly lc_graph_name = "NamedBarrierValueAfterFinish";
  readonly names: ReadonlySet<string>;
  #seen = new Set<string>();
  #finished = false;

  constructor(names: Iterable<string>) {
    super();
    this.names = new Set(names);
  }
  override get deferred(): boolean {
    return true;
  }
  fromCheckpoint(stored?: [string[], boolean]): this {
    const channel = new NamedBarrierValueAfterFinish(this.names);
    if (stored !== undefined) {
      channel.#seen = new Set(stored[0]);
      channel.#finished = stored[1];
    }
    return channel as this;
  }
  update(writes: readonly string[]): boolean {
    return collect(this.names, this.#seen, writes);
  }
  get(): undefined {
    if (!this.isAvailable()) throw new EmptyChannelError();
    return undefined;
  }
  isAvailable(): boolean {
    return this.#finished && this.#seen.size === this.names.size;
  }
  checkpoint(): [string[], boolean] {
    return [[...this.#seen], this.#finished];
  }
  override consume(): boolean {
    if (!this.isAvailable()) return false;
    this.#seen = new Set();
    this.#finished = false;
    return true;
  }
  override finish(): boolean {
    if (this.#finished || this.#seen.size !== this.names.size) return false;
    this.#finished = true;
    return true;
  }
}

function collect(names: ReadonlySet<string>, seen: Set<string>, writes: readonly string[]): boolean {
  const before = seen.size;
  for (const name of writes) {
    if (!names.has(name)) {
      throw new InvalidUpdateError(
        `"${name}" is not one of the names that this join waits for: ${[...names].join(", ")}.`,
      );
    }
    seen.add(name);
  }
  return seen.size > before;
}
