import { GraphError } from "@skein/errors";

/** Limits of one attempt of a node, in milliseconds. */
export interface TimeoutPolicy {
  /** For the whole attempt. */
  runTimeout?: number | undefined;
  /** Between two signs of progress. */
  idleTimeout?: number | undefined;
  /**
   * What counts as progress: `"auto"`: whatever the node writes, streams, calls or reports, and
   * `heartbeat()`; `"heartbeat"`: that only. Default: "auto".
   */
  refreshOn?: "auto" | "heartbeat" | undefined;
}

/**
 * A limit as it was given, as a policy; undefined when it limits nothing.
 *
 * @param given - a number of milliseconds limits the attempt as a whole
 * @throws GraphError INVALID_CONFIGURATION when a time is not above 0
 */
export function timeoutPolicy(given: number | TimeoutPolicy | null | undefined): TimeoutPolicy | undefined {
  if (given === undefined || given === null) return undefined;
  if (typeof given !== "number" && typeof given !== "object") throw notPositive("timeout", given);
  const policy = typeof given === "number" ? { runTimeout: given } : given;
  const runTimeout = positive("runTimeout", policy.runTimeout);
  const idleTimeout = positive("idleTimeout", policy.idleTimeout);
  const { refreshOn = "auto" } = policy;
  if (refreshOn !== "auto" && refreshOn !== "heartbeat") {
    throw new GraphError("INVALID_CONFIGURATION", 'refreshOn must be "auto" or "heartbeat".');
  }
  if (runTimeout === undefined && idleTimeout === undefined) return undefined;
  return { runTimeout, idleTimeout, refreshOn };
}

function positive(name: string, time: number | null | undefined): number | undefined {
  if (time === undefined || time === null) return undefined;
  if (typeof time === "number" && time > 0) return time;
  throw notPositive(name, time);
}

function notPositive(name: string, time: unknown): GraphError {
  return new GraphError("INVALID_CONFIGURATION", `${name} must be a number of milliseconds above 0.`, {
    details: { [name]: time },
  });
}
