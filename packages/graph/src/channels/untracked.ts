import { InvalidUpdateError } from "../errors/errors.ts";
import { CellChannel } from "./cell.ts";
import { isFactory } from "./reducer.ts";

export interface UntrackedOptions<Value> {
  /** Refuse a second value in one step; else the last one stays. Default: true. */
  readonly guard?: boolean | undefined;
  readonly initialValueFactory?: (() => Value) | undefined;
}

/** Keeps the last value for as long as the run lasts; it never reaches a checkpoint. */
export class UntrackedValueChannel<Value = unknown> extends CellChannel<Value, undefined> {
  readonly lc_graph_name = "UntrackedValue";
  readonly guard: boolean;
  readonly initialValueFactory: (() => Value) | undefined;

  constructor(options?: UntrackedOptions<Value> | null) {
    super();
    this.guard = options?.guard ?? true;
    this.initialValueFactory = options?.initialValueFactory;
    if (isFactory(this.initialValueFactory)) this.held = this.initialValueFactory();
  }
  override get tracked(): boolean {
    return false;
  }
  override get takesOneWrite(): boolean {
    return this.guard;
  }
  fromCheckpoint(_stored?: undefined): this {
    return new UntrackedValueChannel<Value>(this) as this;
  }
  update(writes: readonly Value[]): boolean {
    if (writes.length === 0) return false;
    if (writes.length > 1 && this.guard) {
      throw new InvalidUpdateError(
        "An untracked value can only receive one value per step. Pass {guard: false} to keep the last one.",
        { lc_error_code: "INVALID_CONCURRENT_GRAPH_UPDATE", code: "INVALID_CONCURRENT_UPDATE" },
      );
    }
    this.held = writes.at(-1) as Value;
    return true;
  }
  checkpoint(): undefined {
    return undefined;
  }
}
