import { requireNumbers, requireObject } from "../messages/given.ts";

/**
 * How the summarizer fared of late: tries of the present turn, and until when it rests. Kept with the
 * thread and changed only by {@link afterFailure}; a success wipes it away.
 */
export interface SummarizerStatus {
  /** Id of the turn that the tries belong to. */
  readonly turn: string | null;
  /** Failed ones of that turn. */
  readonly tries: number;
  /** Milliseconds since 1970; no try before that. */
  readonly restUntil: number;
  /** The last failure in words; no message contents. */
  readonly error: string;
}

/** How often a summarizer is asked. */
export interface Attempts {
  /** Tries per turn. */
  readonly tries: number;
  /** Milliseconds that it rests after the last one. */
  readonly cooldown: number;
}

/** Whether a summarizer may be asked, and why not. */
export type Readiness = "ready" | "resting" | "tries-used-up";

/**
 * Whether the summarizer may be asked now.
 *
 * @param turn - as `turnOf` gives it
 * @param now - milliseconds since 1970
 * @throws GraphError INVALID_INPUT for figures that are none
 *
 * @example
 * readiness(undefined, "q1", { tries: 3, cooldown: 60_000 }, Date.now()); // "ready"
 */
export function readiness(
  status: SummarizerStatus | undefined,
  turn: string | null,
  limits: Attempts,
  now: number,
): Readiness {
  requireStatus("readiness", status, limits, now);
  if (status === undefined) return "ready";
  if (now < status.restUntil) return "resting";
  // After a rest it gets new tries even in the same turn, which may be an agent's run of hours.
  return limits.cooldown === 0 && status.turn === turn && status.tries >= limits.tries
    ? "tries-used-up"
    : "ready";
}

/**
 * The status after a failed try; the last one of a turn starts the rest.
 *
 * @param error - what is remembered of the failure; no message contents
 * @throws GraphError INVALID_INPUT for figures that are none
 *
 * @example
 * status = afterFailure(status, turnOf(messages), "503", { tries: 3, cooldown: 60_000 }, Date.now());
 */
export function afterFailure(
  status: SummarizerStatus | undefined,
  turn: string | null,
  error: string,
  limits: Attempts,
  now: number,
): SummarizerStatus {
  requireStatus("afterFailure", status, limits, now);
  const rested = limits.cooldown > 0 && status !== undefined && status.restUntil !== 0;
  const before = status !== undefined && status.turn === turn && !rested ? status.tries : 0;
  const tries = before + 1;
  return { turn, tries, restUntil: tries >= limits.tries ? now + limits.cooldown : 0, error };
}

function requireStatus(of: string, status: unknown, limits: Attempts, now: number): void {
  if (status !== undefined) requireObject(of, status, "a status, or undefined");
  requireObject(of, limits, "limits");
  requireNumbers(of, { tries: limits.tries, cooldown: limits.cooldown, now });
}
