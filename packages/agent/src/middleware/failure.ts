import type { RunnableConfig } from "@langchain/core/runnables";
import { MiddlewareError } from "../errors.ts";
import type { Runtime } from "../runtime.ts";
import { reporting } from "../reporting.ts";
import { mustPropagate } from "../tools/run-tool.ts";
import type { MiddlewareFailure } from "./failure-policy.ts";
import type { AnyAgentMiddleware } from "./types.ts";

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
  reporting(`onFailure of middleware "${middleware.name}"`, () => middleware.onFailure?.(wrapped, hook));
}
