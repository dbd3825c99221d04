import { EmptyChannelError, InvalidUpdateError } from "../errors/errors.ts";
import { BaseChannel } from "./base.ts";
import { unfit } from "./reducer.ts";

/** Collects names, without a value of its own: being available is all that it says. */
export abstract class Barrier<Update, Stored> extends BaseChannel<undefined, Update, Stored> {
  protected seen = new Set<string>();

  /** The names that are waited for; undefined for none yet. */
  abstract readonly names: ReadonlySet<string> | undefined;

  /** Whether all names have come. */
  protected get complete(): boolean {
    return this.names !== undefined && this.seen.size === this.names.size;
  }
  get(): undefined {
    if (!this.isAvailable()) throw new EmptyChannelError();
    return undefined;
  }
  override isAvailable(): boolean {
    return this.complete;
  }
  override consume(): boolean {
    if (!this.isAvailable()) return false;
    this.seen = new Set();
    return true;
  }
  /** @returns whether a name is new */
  protected see(name: string): boolean {
    if (this.seen.has(name)) return false;
    this.seen.add(name);
    return true;
  }
}

abstract class NamedBarrier<Stored> extends Barrier<string, Stored> {
  readonly names: ReadonlySet<string>;

  /** @throws GraphError INVALID_STATE_SCHEMA for what holds no names */
  constructor(names: ReadonlySet<string> | readonly string[]) {
    super();
    if (!(names as typeof names | null | undefined)?.forEach) throw unfit("A join waits for names", names);
    this.names = new Set(names);
  }
  update(writes: readonly string[]): boolean {
    let changed = false;
    for (const name of writes) {
      if (!this.names.has(name)) {
        throw new InvalidUpdateError(
          `"${name}" is not one of the names that this join waits for: ${[...this.names].join(", ")}.`,
        );
      }
      changed = this.see(name) || changed;
    }
    return changed;
  }
}

/** Available when every one of its names was written: the trigger of a join. */
export class NamedBarrierValue extends NamedBarrier<string[]> {
  readonly lc_graph_name = "NamedBarrierValue";

  fromCheckpoint(stored?: string[]): this {
    const channel = new NamedBarrierValue(this.names);
    if (stored !== undefined) channel.seen = new Set(stored);
    return channel as this;
  }
  checkpoint(): string[] {
    return [...this.seen];
  }
}

/** A barrier that opens when everything else is done: the trigger of a deferred join. */
export class NamedBarrierValueAfterFinish extends NamedBarrier<[string[], boolean]> {
  readonly lc_graph_name = "NamedBarrierValueAfterFinish";
  #finished = false;

  override get deferred(): boolean {
    return true;
  }
  fromCheckpoint(stored?: [string[], boolean]): this {
    const channel = new NamedBarrierValueAfterFinish(this.names);
    if (stored !== undefined) {
      channel.seen = new Set(stored[0]);
      channel.#finished = stored[1];
    }
    return channel as this;
  }
  override isAvailable(): boolean {
    return this.#finished && this.complete;
  }
  checkpoint(): [string[], boolean] {
    return [[...this.seen], this.#finished];
  }
  override consume(): boolean {
    if (!super.consume()) return false;
    this.#finished = false;
    return true;
  }
  override finish(): boolean {
    if (this.#finished || !this.complete) return false;
    this.#finished = true;
    return true;
  }
}
