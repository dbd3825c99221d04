import { GraphError } from "@skein/errors";

/** @throws GraphError INVALID_STATE_SCHEMA if it is none */
export function assertReducer(reducer: unknown): void {
  if (typeof reducer === "function") return;
  const given = reducer === null ? "null" : typeof reducer;
  throw new GraphError(
    "INVALID_STATE_SCHEMA",
    `A reducer is a function of what is there and what is written, not ${given}. Without one the last value stays.`,
  );
}
