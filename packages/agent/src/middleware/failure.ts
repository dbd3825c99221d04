import type { RunnableConfig } from "@langchain/core/runnables";
import { MiddlewareError } from "../errors.ts";
import type { Runtime } from "../runtime.ts";
import { mustPropagate } from "../tools/run-tool.ts";
import type { AnyAgentMiddleware } from "./types.ts";

/** What a middleware may say of its own errors. */
export interface FailurePolicy {
  /**
   * `"closed"`: an error of one of its hooks ends the run, as approval and limits need it. `"open"`:
   * the run goes on as if the hook were not there. Default: "closed".
   */
  readonly failure?: "open" | "closed" | undefined;
  /** Gets every error that was passed over; what it throws is not caught. */
  readonly onFailure?: ((error: MiddlewareError, hook: string) => void) | undefined;
}

/** Sent to `streamMode: "custom"` when an error of a hook was passed over. */
export interface MiddlewareFailure {
  readonly type: "middleware_failed";
  readonly middleware: string;
  readonly hook: string;
  readonly message: string;
}

/** Whether a run goes on although a hook of this middleware threw. Control flow is no error. */
export function passesOver(middleware: AnyAgentMiddleware, error: unknown, config: RunnableConfig): boolean {
  return middleware.failure === "open" && !mustPropagate(error, config);
}

/** Tells of an error that was passed over. */
export function reportFailure(
  middleware: AnyAgentMiddleware,
  hook: string,
  error: unknown,
  config: RunnableConfig,
): void {
  const wrapped = new MiddlewareError(error, middleware.name);
  const event: MiddlewareFailure = {
    type: "middleware_failed",
    middleware: middleware.name,
    hook,
    message: wrapped.message,
  };
  (config as Partial<Runtime>).writer?.(event);
  middleware.onFailure?.(wrapped, hook);
}
