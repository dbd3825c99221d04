import { GraphError } from "@skein/errors";
import { invalidOption, requireWhole } from "./checks.ts";

/** How many calls are allowed; undefined is no limit. */
export interface Limits {
  readonly threadLimit?: number | undefined;
  readonly runLimit?: number | undefined;
}

/** How many calls there were. */
export interface Counts {
  readonly thread: number;
  readonly run: number;
}

export function requireLimits({ threadLimit, runLimit }: Limits): void {
  requireWhole("threadLimit", threadLimit, 0);
  requireWhole("runLimit", runLimit, 0);
}

/** @throws GraphError INVALID_CONFIGURATION for a run's limit that no run can reach */
export function requireOrder({ threadLimit, runLimit }: Limits): void {
  if (threadLimit !== undefined && runLimit !== undefined && runLimit > threadLimit) {
    throw invalidOption(`runLimit (${runLimit}) can't be above threadLimit (${threadLimit}).`);
  }
}

/** Whether so many calls are too many. */
export function isOver({ threadLimit, runLimit }: Limits, { thread, run }: Counts): boolean {
  return (threadLimit !== undefined && thread > threadLimit) || (runLimit !== undefined && run > runLimit);
}

/** Which limit is reached when a call is one too many, for people and models. */
export function explainLimits({ threadLimit, runLimit }: Limits, { thread, run }: Counts): string {
  const reached: string[] = [];
  if (threadLimit !== undefined && thread > threadLimit) reached.push(`${threadLimit} in this thread`);
  if (runLimit !== undefined && run > runLimit) reached.push(`${runLimit} in this run`);
  return reached.join(" and ");
}

/** A limit of calls was reached and `exitBehavior` is `"error"`. */
export class CallLimitError extends GraphError {
  readonly threadCount: number;
  readonly runCount: number;
  readonly threadLimit: number | undefined;
  readonly runLimit: number | undefined;

  constructor(message: string, { threadLimit, runLimit }: Limits, counts: Counts, more: object = {}) {
    const details = { threadLimit, runLimit, threadCount: counts.thread, runCount: counts.run, ...more };
    super("CALL_LIMIT", message, { details });
    this.threadCount = counts.thread;
    this.runCount = counts.run;
    this.threadLimit = threadLimit;
    this.runLimit = runLimit;
  }
}
