import { GraphError, type OptionKind, requireKnownOptions, shown } from "@skein/errors";
import { isStore } from "../stores.ts";
import type {
  CreateSessionOptions,
  ListSessionsOptions,
  SessionManagerOptions,
  SessionMetadata,
} from "./types.ts";

/** What is "any" has a check of its own. */
const MANAGER: Readonly<Record<keyof SessionManagerOptions, OptionKind>> = {
  store: "any",
  saver: "any",
  tenant: "any",
  idleMs: "any",
  maxAgeMs: "any",
  waitMs: "any",
  offload: "function",
  bootstrap: "function",
  heal: "function",
  onFailure: "function",
  now: "function",
};
const BEGINNING: Readonly<Record<keyof CreateSessionOptions, OptionKind>> = {
  userId: "any",
  id: "any",
  metadata: "any",
};
const LISTING: Readonly<Record<keyof ListSessionsOptions, OptionKind>> = {
  userId: "any",
  metadata: "any",
  state: "any",
  limit: "any",
  cursor: "any",
};
const STATES: ReadonlySet<unknown> = new Set(["open", "ending", "ended"]);

/** @throws GraphError INVALID_CONFIGURATION for what is no object, or an option that there is not */
export function requireBeginning(options: unknown): asserts options is CreateSessionOptions {
  requireKnownOptions("SessionManager.create", options as CreateSessionOptions, BEGINNING);
}

/** @throws GraphError INVALID_CONFIGURATION for what is no object, or an option that there is not */
export function requireListing(options: unknown): asserts options is ListSessionsOptions {
  requireKnownOptions("SessionManager.list", options as ListSessionsOptions, LISTING);
  const { state } = options as ListSessionsOptions;
  if (state === undefined || STATES.has(state)) return;
  throw new GraphError(
    "INVALID_INPUT",
    `state of SessionManager.list must be "open", "ending" or "ended", not ${shown(state)}.`,
  );
}

/** @throws GraphError INVALID_CONFIGURATION */
export function requireSweeping(options: object): void {
  requireKnownOptions("SessionManager.startSweeper", options, { everyMs: "any", onError: "function" });
}

/** @throws GraphError INVALID_CONFIGURATION without a store or a saver, or for an option that there is not */
export function requireStorage(options: unknown): asserts options is SessionManagerOptions {
  const { store, saver } = (options ?? {}) as { store?: unknown; saver?: { getTuple?: unknown } | null };
  if (isStore(store) && typeof saver?.getTuple === "function") {
    requireKnownOptions("SessionManager", options as SessionManagerOptions, MANAGER);
    return;
  }
  throw new GraphError(
    "INVALID_CONFIGURATION",
    "A SessionManager needs a `store` for its sessions and a `saver` for their conversations: new SessionManager({ store, saver }).",
  );
}

/** Flat, so that every store can filter by it. */
export function requireMetadata(metadata: unknown): asserts metadata is SessionMetadata {
  if (isRecord(metadata) && Object.values(metadata).every(isStorable)) return;
  throw new GraphError(
    "INVALID_INPUT",
    "The metadata of a session are an object of texts, finite numbers and booleans. Nothing was done.",
  );
}

/** No list, map or date: their members would be taken for metadata, or there would be none. */
function isRecord(value: unknown): value is object {
  return Object.prototype.toString.call(value) === "[object Object]";
}

/** Of a number that JSON has not, no store finds what it was told to keep. */
function isStorable(value: unknown): boolean {
  return typeof value === "string" || typeof value === "boolean" || Number.isFinite(value);
}

/** @throws GraphError INVALID_CONFIGURATION for a bootstrap hook that returned something else than a text */
export function requireKnowledge(knowledge: unknown): asserts knowledge is string | null | undefined {
  if (knowledge === undefined || knowledge === null || typeof knowledge === "string") return;
  throw new GraphError(
    "INVALID_CONFIGURATION",
    `The bootstrap hook of a SessionManager returns a text, or nothing; it returned ${shown(knowledge)}. Nothing was done.`,
  );
}

export function requireLimit(limit: unknown): void {
  if (Number.isInteger(limit) && (limit as number) > 0) return;
  throw new GraphError("INVALID_INPUT", `limit must be a whole number above 0, not ${shown(limit)}.`);
}
