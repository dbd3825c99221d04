/**
 * The whole value of a channel that is stored as its writes, in a checkpoint's `channel_values`.
 * LangGraph recognises one by `lg_name`, of whatever copy its class is.
 */
export class DeltaSnapshot {
  readonly lg_name = "DeltaSnapshot";
  readonly value: unknown;

  constructor(value: unknown) {
    this.value = value;
  }

  /** What the serializer of LangGraph's savers makes of its own class, which it knows by `instanceof`. */
  toJSON(): object {
    return { lc: 2, type: "delta_snapshot", value: this.value };
  }
}

/** By its name, so that those of another copy of a package are known, too. */
export function isDeltaSnapshot(value: unknown): value is DeltaSnapshot {
  return (
    typeof value === "object" &&
    value !== null &&
    (value as { lg_name?: unknown }).lg_name === "DeltaSnapshot"
  );
}
