import { AIMessage } from "@langchain/core/messages";
import { createMiddleware } from "@skein/agent";
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

export interface ModelRetryOptions extends RetryOptions {
  /**
   * When no attempt worked. `"continue"` (default): a message of the assistant says so and the run
   * ends with it. `"error"`: the last error is thrown. A function makes the message's text.
   */
  onFailure?: OnFailure;
}

const OPTIONS: Readonly<Record<keyof ModelRetryOptions, OptionKind>> = {
  onFailure: "any",
  ...RETRY_OPTIONS,
};

/**
 * Calls the model again when a call fails. The model is told not to retry by itself, so that attempts
 * do not multiply; `@langchain/openai` does not heed that, and a model within a sequence is not told: make
 * those with `maxRetries: 0`.
 *
 * Put `modelFallbackMiddleware` after it to retry the whole row of models, before it (and
 * `onFailure: "error"` here) to retry each of them.
 *
 * @throws GraphError INVALID_CONFIGURATION
 *
 * @example
 * createAgent({ model, tools, middleware: [modelRetryMiddleware({ maxRetries: 3, onFailure: "error" })] });
 */
export function modelRetryMiddleware(options: ModelRetryOptions = {}) {
  requireKnownOptions("modelRetryMiddleware", options, OPTIONS);
  requireRetryOptions(options);
  const { onFailure = "continue" } = options;
  return createMiddleware({
    name: "modelRetryMiddleware",
    wrapModelCall: async (request, handler) => {
      const settings = { maxRetries: 0, ...request.modelSettings };
      const single = takesSettings(request.model) ? { ...request, modelSettings: settings } : request;
      const outcome = await withRetries(async () => handler(single), options, request.runtime.signal);
      if ("value" in outcome) return outcome.value;
      if (onFailure === "error") throw outcome.error;
      return new AIMessage(
        onFailure === "continue" ? explain(outcome) : failureText(onFailure, outcome.error),
      );
    },
  });
}

/** Settings reach a model through `bindTools`. */
function takesSettings(model: object): boolean {
  return typeof (model as { bindTools?: unknown }).bindTools === "function";
}

function explain({ error, attempts }: Failure): string {
  const times = attempts === 1 ? "once" : `${attempts} times`;
  return `The model was called ${times} and failed: ${error.message}`;
}
