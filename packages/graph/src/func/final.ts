const FINAL = Symbol.for("skein.final");

/** What `entrypoint.final` returns: one value for the caller, another for the next run. */
export interface EntrypointFinal<Value, Save> {
  readonly value?: Value;
  readonly save?: Save;
  readonly __lg_type: "__pregel_final";
}

export interface FinalParts<Value, Save> {
  /** For the caller. */
  value?: Value;
  /** For the next run on the thread, which gets it from `getPreviousState()`. */
  save?: Save;
}

/** Recognised by its brand (I10): JSON that looks like it is an ordinary value. */
export function makeFinal<Value, Save>(parts: FinalParts<Value, Save>): EntrypointFinal<Value, Save> {
  const final: EntrypointFinal<Value, Save> = { ...parts, __lg_type: "__pregel_final" };
  Object.defineProperty(final, FINAL, { value: true });
  return final;
}

export function isFinal(value: unknown): value is EntrypointFinal<unknown, unknown> {
  return typeof value === "object" && value !== null && FINAL in value;
}
