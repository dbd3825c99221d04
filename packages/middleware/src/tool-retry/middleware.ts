import { createMiddleware, type AgentTool } from "@skein/agent";
import { requireKnownOptions, type OptionKind } from "@skein/errors";
import {
  failureText,
  RETRY_OPTIONS,
  requireRetryOptions,
  withRetries,
  type Failure,
  type OnFailure,
  type RetryOptions,
} from "../shared/backoff.ts";
import { namesOf } from "../shared/tools.ts";
import { refusal } from "../shared/turn.ts";

export interface ToolRetryOptions extends RetryOptions {
  /** Tools, or names of tools, that are called again. Default, and `[]`: all. */
  tools?: readonly (AgentTool | string)[];
  /**
   * When no attempt worked. `"continue"` (default): the model gets an error as the call's result.
   * `"error"`: the last error is thrown, which the agent turns into its own error result. A function
   * makes the result's text.
   */
  onFailure?: OnFailure;
}

const OPTIONS: Readonly<Record<keyof ToolRetryOptions, OptionKind>> = {
  tools: "any",
  onFailure: "any",
  ...RETRY_OPTIONS,
};

/**
 * Runs a tool again when it throws. An error that a tool returns as its result is not retried: it is
 * an answer for the model.
 *
 * @throws GraphError INVALID_CONFIGURATION
 *
 * @example
 * createAgent({ model, tools, middleware: [toolRetryMiddleware({ tools: ["search"], maxRetries: 3 })] });
 */
export function toolRetryMiddleware(options: ToolRetryOptions = {}) {
  requireKnownOptions("toolRetryMiddleware", options, OPTIONS);
  requireRetryOptions(options);
  const { tools = [], onFailure = "continue" } = options;
  const names = namesOf(tools);
  return createMiddleware({
    name: "toolRetryMiddleware",
    wrapToolCall: async (request, handler) => {
      const { toolCall, runtime } = request;
      if (names.size > 0 && !names.has(toolCall.name)) return handler(request);
      const outcome = await withRetries(() => handler(request), options, runtime.signal);
      if ("value" in outcome) return outcome.value;
      if (onFailure === "error") throw outcome.error;
      return refusal(
        toolCall,
        onFailure === "continue" ? explain(toolCall.name, outcome) : failureText(onFailure, outcome.error),
      );
    },
  });
}

function explain(name: string, { error, attempts }: Failure): string {
  const times = attempts === 1 ? "once" : `${attempts} times`;
  return `The tool "${name}" was called ${times} and failed: ${error.message}`;
}
