import { GraphError, shown } from "@skein/errors";

/** Calls of tools at a time of an agent that was told nothing. */
export const CONCURRENCY = 16;

/** @throws GraphError INVALID_CONFIGURATION for a `maxConcurrency`, of an agent or a call, that is none */
export function requireConcurrency(limit: number | null | undefined): void {
  if (limit === undefined || limit === null || limit === Number.POSITIVE_INFINITY) return;
  if (Number.isInteger(limit) && limit >= 1) return;
  throw new GraphError(
    "INVALID_CONFIGURATION",
    `maxConcurrency must be a whole number of at least 1, or Infinity, not ${shown(limit)}.`,
  );
}
