import { GraphError } from "@skein/errors";
import type { SessionMetadata } from "./types.ts";

export function requireAmount(name: string, ms: unknown): void {
  if (ms === undefined || (typeof ms === "number" && ms > 0 && Number.isFinite(ms))) return;
  throw new GraphError(
    "INVALID_CONFIGURATION",
    `${name} must be a number of milliseconds above 0, not ${String(ms)}.`,
  );
}

/** @throws GraphError INVALID_CONFIGURATION without a store or a saver */
export function requireStorage(options: unknown): void {
  const { store, saver } = (options ?? {}) as { store?: unknown; saver?: unknown };
  if (typeof store === "object" && store !== null && typeof saver === "object" && saver !== null) return;
  throw new GraphError(
    "INVALID_CONFIGURATION",
    "A SessionManager needs a `store` for its sessions and a `saver` for their conversations: new SessionManager({ store, saver }).",
  );
}

/** Flat, so that every store can filter by it. */
export function requireMetadata(metadata: unknown): asserts metadata is SessionMetadata {
  const values = typeof metadata === "object" && metadata !== null ? Object.values(metadata) : [undefined];
  if (values.every((value) => ["string", "number", "boolean"].includes(typeof value))) return;
  throw new GraphError(
    "INVALID_INPUT",
    "The metadata of a session are an object of texts, numbers and booleans. Nothing was done.",
  );
}

export function requireLimit(limit: unknown): void {
  if (Number.isInteger(limit) && (limit as number) > 0) return;
  throw new GraphError("INVALID_INPUT", `limit must be a whole number above 0, not ${String(limit)}.`);
}

/** Where a page begins. @throws GraphError INVALID_INPUT for what no page gave as its cursor */
export function requireOffset(cursor: string | undefined): number {
  if (cursor === undefined) return 0;
  if (/^\d{1,15}$/.test(cursor)) return Number(cursor);
  throw new GraphError("INVALID_INPUT", "This cursor is of no page of sessions; pass that of the last page.");
}
