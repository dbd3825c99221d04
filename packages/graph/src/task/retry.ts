import type { RetryPolicy } from "../program/program.ts";

const CLIENT_ERRORS = new Set([400, 401, 402, 403, 404, 405, 406, 407, 409]);

/** How long to wait before the next attempt, in milliseconds; undefined when there is none. */
export function retryDelay(policy: RetryPolicy, attempts: number, error: unknown): number | undefined {
  if (attempts >= (policy.maxAttempts ?? 3)) return undefined;
  if (!(policy.retryOn ?? isTransient)(error)) return undefined;
  const grown = (policy.initialInterval ?? 500) * (policy.backoffFactor ?? 2) ** (attempts - 1);
  const interval = Math.min(policy.maxInterval ?? 128_000, grown);
  return (policy.jitter ?? true) ? interval + Math.random() * 1000 : interval;
}

/** Everything may pass, except what was cancelled, what the client did wrong, and an empty purse. */
function isTransient(error: unknown): boolean {
  if (typeof error !== "object" || error === null) return true;
  const {
    message,
    name,
    code,
    status,
    response,
    error: inner,
  } = error as {
    message?: unknown;
    name?: unknown;
    code?: unknown;
    status?: unknown;
    response?: { status?: unknown };
    error?: { code?: unknown };
  };
  const text = typeof message === "string" ? message : "";
  if (text.startsWith("Cancel") || text.startsWith("AbortError") || name === "AbortError") return false;
  if (name === "GraphValueError" || code === "ECONNABORTED") return false;
  if (CLIENT_ERRORS.has(Number(response?.status ?? status))) return false;
  return inner?.code !== "insufficient_quota";
}
