import { GraphError, shown } from "@skein/errors";

/** @throws GraphError INVALID_CONFIGURATION for a time that is none */
export function requireMilliseconds(ms: unknown, of: string): void {
  if (ms === undefined || (typeof ms === "number" && ms > 0 && Number.isFinite(ms))) return;
  throw new GraphError(
    "INVALID_CONFIGURATION",
    `${of} must be a number of milliseconds above 0, not ${shown(ms)}.`,
  );
}
