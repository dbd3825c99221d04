import { InvalidUpdateError } from "../errors/errors.ts";
import { Barrier } from "./barrier.ts";

/** Written to a {@link DynamicBarrierValue}, says which names it is to wait for. */
export interface WaitForNames<Name extends string = string> {
  readonly __names: readonly Name[];
}

/**
 * A barrier that is told what to wait for: by a {@link WaitForNames}, once a step. Names that come
 * while it waits for nothing, or that it does not wait for, are left out.
 */
export class DynamicBarrierValue<Name extends string = string> extends Barrier<
  Name | WaitForNames<Name>,
  [Name[] | undefined, Name[]]
> {
  readonly lc_graph_name = "DynamicBarrierValue";
  names: ReadonlySet<Name> | undefined;

  fromCheckpoint(stored?: [Name[] | null | undefined, Name[]]): this {
    const channel = new DynamicBarrierValue<Name>();
    if (stored !== undefined) {
      // JSON knows no undefined
      channel.names = stored[0] ? new Set(stored[0]) : undefined;
      channel.seen = new Set(stored[1]);
    }
    return channel as this;
  }
  update(writes: readonly (Name | WaitForNames<Name>)[]): boolean {
    const waits = writes.filter(saysNames);
    if (waits.length > 1) {
      throw new InvalidUpdateError("A barrier can be told only once a step which names to wait for.");
    }
    const [wait] = waits;
    if (wait !== undefined) {
      this.names = new Set(wait.__names);
      return true;
    }
    let changed = false;
    for (const name of writes) {
      if (this.names?.has(name as Name)) changed = this.see(name as Name) || changed;
    }
    return changed;
  }
  checkpoint(): [Name[] | undefined, Name[]] {
    return [this.names && [...this.names], [...this.seen] as Name[]];
  }
  override consume(): boolean {
    if (!super.consume()) return false;
    this.names = undefined;
    return true;
  }
}

function saysNames<Name extends string>(write: Name | WaitForNames<Name>): write is WaitForNames<Name> {
  return (write as Partial<WaitForNames<Name>> | null)?.__names !== undefined;
}
