import { CallLimitError, type Counts, type Limits } from "../shared/limits.ts";

/** A limit of tool calls was reached and `exitBehavior` is `"error"`. Its code is CALL_LIMIT. */
export class ToolCallLimitExceededError extends CallLimitError {
  /** The tool that is limited; undefined when all are. */
  readonly toolName: string | undefined;

  constructor(message: string, limits: Limits & { readonly toolName?: string }, counts: Counts) {
    super(message, limits, counts, { toolName: limits.toolName });
    this.name = "ToolCallLimitExceededError";
    this.toolName = limits.toolName;
  }
}
