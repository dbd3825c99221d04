import { GraphError, shown } from "@skein/errors";

/** @throws GraphError INVALID_STATE_SCHEMA if it is none */
export function assertReducer(reducer: unknown): void {
  if (typeof reducer !== "function")
    throw unfit("A reducer is a function of what is there and what is written", reducer);
}

/** Whether a channel has a value at first; null means none, as in LangGraph. @throws GraphError INVALID_STATE_SCHEMA */
export function isFactory<Value>(factory: (() => Value) | null | undefined): factory is () => Value {
  if (factory === undefined || factory === null) return false;
  if (typeof factory !== "function") throw unfit("A first value is given as a function", factory);
  return true;
}

export function unfit(rule: string, given: unknown): GraphError {
  return new GraphError("INVALID_STATE_SCHEMA", `${rule}, not ${shown(given)}.`);
}
