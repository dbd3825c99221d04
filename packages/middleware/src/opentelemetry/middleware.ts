import { createMiddleware } from "@skein/agent";
import { OpenTelemetryHandler, type OpenTelemetryOptions } from "./handler.ts";

/**
 * Makes OpenTelemetry spans of an agent's runs: run, step, task, model, tool and compaction, with
 * counts of tokens. It has no hooks and adds no steps; it listens through LangChain's callbacks, which
 * cost nothing in an agent without it. What it throws is reported on the console, and the run goes on.
 *
 * For any other graph, and under LangChain's own agent, pass an {@link OpenTelemetryHandler} among
 * the `callbacks`.
 *
 * @example
 * createAgent({ model, tools, name: "helper", middleware: [openTelemetryMiddleware()] });
 */
export function openTelemetryMiddleware(options: OpenTelemetryOptions = {}) {
  return createMiddleware({
    name: "OpenTelemetryMiddleware",
    callbacks: [new OpenTelemetryHandler(options)],
  });
}
