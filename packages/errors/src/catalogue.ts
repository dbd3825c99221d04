/** Codes of the category "usage", which are most: an error finds its own without them. */
const USAGE_CODES = {
  // building a graph
  UNKNOWN_NODE: "usage",
  DUPLICATE_NODE: "usage",
  UNREACHABLE_NODE: "usage",
  NO_ENTRY_POINT: "usage",
  RESERVED_NAME: "usage",
  INVALID_EDGE: "usage",
  UNKNOWN_CHANNEL: "usage",
  INVALID_STATE_SCHEMA: "usage",
  // calling it
  INVALID_UPDATE: "usage",
  INVALID_CONCURRENT_UPDATE: "usage",
  INVALID_NODE_RETURN: "usage",
  INVALID_INPUT: "usage",
  EMPTY_INPUT: "usage",
  NOTHING_TO_RESUME: "usage",
  AMBIGUOUS_RESUME: "usage",
  MISSING_THREAD_ID: "usage",
  MISSING_CHECKPOINTER: "usage",
  UNKNOWN_CHECKPOINT: "usage",
  UNKNOWN_THREAD: "usage",
  UNKNOWN_SESSION: "usage",
  OUTSIDE_RUN: "usage",
  INVALID_CONFIGURATION: "usage",
  INVALID_MESSAGE: "usage",
  INVALID_MIDDLEWARE: "usage",
  INVALID_RESPONSE: "usage",
  INVALID_TRANSFORMER: "usage",
} as const satisfies Record<string, "usage">;

/** Codes of the other categories. */
export const OTHER_CODES = {
  // limits
  GRAPH_RECURSION_LIMIT: "limit",
  VALUE_TOO_DEEP: "limit",
  VALUE_TOO_LARGE: "limit",
  TIMEOUT: "limit",
  CALL_LIMIT: "limit",
  PII_DETECTED: "limit",
  DRAINED: "limit",
  SESSION_ENDED: "limit",
  // storage
  THREAD_CONFLICT: "storage",
  STORAGE_NEWER: "storage",
  STORAGE_CORRUPT: "storage",
  STORAGE_UNAVAILABLE: "storage",
  UNSTORABLE_VALUE: "storage",
  // remote
  REMOTE_FAILED: "remote",
  REMOTE_UNREACHABLE: "remote",
} as const satisfies Record<string, "limit" | "storage" | "remote">;

/**
 * Every code that a {@link GraphError} can carry, with its category. Each has a page in
 * `docs/errors/`; a test compares the two.
 *
 * - `usage`: the program is wrong (at build time or at a call); fix the code.
 * - `limit`: a limit or rule that somebody set was reached; change it or do less.
 * - `storage`: what is stored, or where, is not as it must be; nothing was changed.
 * - `remote`: a program elsewhere, or the way to it, failed; what it did until then is done.
 */
export const ERROR_CODES: typeof USAGE_CODES & typeof OTHER_CODES = /* @__PURE__ */ Object.assign(
  {},
  USAGE_CODES,
  OTHER_CODES,
);

export type ErrorCode = keyof typeof ERROR_CODES;
export type ErrorCategory = (typeof ERROR_CODES)[ErrorCode];
