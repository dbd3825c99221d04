import { type ErrorCategory, type ErrorCode, OTHER_CODES } from "./catalogue.ts";

const BRAND = Symbol.for("skein.GraphError");

/** Facts for programs: names, ids, limits. Never secrets, never message contents. */
export type ErrorDetails = Readonly<Record<string, unknown>>;

/** What an error says to programs, beside its code. */
export interface GraphErrorOptions {
  /** Default: none. */
  readonly details?: ErrorDetails;
  /** What made it happen. Default: nothing. */
  readonly cause?: unknown;
}

/**
 * The error of every Skein package. The message says what happened and what to do; `code` is for
 * programs and has a page in `docs/errors/`.
 *
 * @example
 * try {
 *   await graph.invoke(input, config);
 * } catch (error) {
 *   if (GraphError.is(error, "THREAD_CONFLICT")) return retryLater();
 *   throw error;
 * }
 */
export class GraphError extends Error {
  readonly code: ErrorCode;
  readonly category: ErrorCategory;
  readonly details: ErrorDetails;
  readonly [BRAND] = true;

  constructor(code: ErrorCode, message: string, options?: GraphErrorOptions | null) {
    super(message, options?.cause === undefined ? undefined : { cause: options.cause });
    this.name = "GraphError";
    this.code = code;
    this.category = (OTHER_CODES as Partial<Record<ErrorCode, ErrorCategory>>)[code] ?? "usage";
    this.details = options?.details ?? {};
  }

  /** Recognises a GraphError of any copy of this package; with `code`, of that code only. */
  static is(value: unknown, code?: ErrorCode): value is GraphError {
    if (typeof value !== "object" || value === null) return false;
    try {
      return BRAND in value && (code === undefined || (value as GraphError).code === code);
    } catch {
      // a proxy: whatever was thrown, asking what it is must not throw another
      return false;
    }
  }
}
