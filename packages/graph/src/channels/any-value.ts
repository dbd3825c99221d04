import { StoredCell, EMPTY } from "./cell.ts";

/** Keeps the last value; several writes of one step are taken to be equal. */
export class AnyValue<Value = unknown> extends StoredCell<Value> {
  readonly lc_graph_name = "AnyValue";

  override get transient(): boolean {
    return true;
  }
  fromCheckpoint(stored?: Value): this {
    const channel = new AnyValue<Value>();
    if (stored !== undefined) channel.held = stored;
    return channel as this;
  }
  update(writes: readonly Value[]): boolean {
    const had = this.held !== EMPTY;
    this.held = writes.length === 0 ? EMPTY : (writes.at(-1) as Value);
    return writes.length > 0 || had;
  }
}
