import { InvalidUpdateError } from "../errors/errors.ts";
import { StoredCell, EMPTY } from "./cell.ts";

/** Keeps a value for the step after the one that wrote it. */
export class EphemeralValue<Value = unknown> extends StoredCell<Value> {
  readonly lc_graph_name = "EphemeralValue";
  readonly guard: boolean;

  /** @param guard - refuse a second value in one step; else the last one stays */
  constructor(guard = true) {
    super();
    this.guard = guard;
  }
  override get takesOneWrite(): boolean {
    return this.guard;
  }
  override get transient(): boolean {
    return true;
  }
  fromCheckpoint(stored?: Value): this {
    const channel = new EphemeralValue<Value>(this.guard);
    if (stored !== undefined) channel.held = stored;
    return channel as this;
  }
  update(writes: readonly Value[]): boolean {
    if (writes.length === 0) {
      const had = this.held !== EMPTY;
      this.held = EMPTY;
      return had;
    }
    if (writes.length > 1 && this.guard) {
      throw new InvalidUpdateError("EphemeralValue can only receive one value per step.");
    }
    this.held = writes.at(-1) as Value;
    return true;
  }
}
