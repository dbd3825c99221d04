import { CallLimitError, explainLimits, type Counts, type Limits } from "../shared/limits.ts";

/** A limit of tool calls was reached and `exitBehavior` is `"error"`. Its code is CALL_LIMIT. */
export class ToolCallLimitExceededError extends CallLimitError {
  /** The tool that is limited; undefined when all are. */
  readonly toolName: string | undefined;

  constructor(
    threadCount: number,
    runCount: number,
    threadLimit: number | undefined,
    runLimit: number | undefined,
    toolName?: string | undefined,
  ) {
    const limits = { threadLimit, runLimit };
    const counts = { thread: threadCount, run: runCount };
    super(explainToolLimits(limits, counts, toolName), limits, counts, { toolName });
    this.name = "ToolCallLimitExceededError";
    this.toolName = toolName;
  }
}

/** Which limit of tool calls is reached, for people and models. */
export function explainToolLimits(limits: Limits, counts: Counts, toolName: string | undefined): string {
  const of = toolName === undefined ? "tool calls" : `calls of the tool "${toolName}"`;
  return `The limit of ${of} is reached: ${explainLimits(limits, counts)}.`;
}
