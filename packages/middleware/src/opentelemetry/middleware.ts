import { createMiddleware } from "@skein/agent";
import { requireKnownOptions } from "@skein/errors";
import { OpenTelemetryHandler, OPTIONS, type OpenTelemetryOptions } from "./handler.ts";
import { withCallActive } from "./live-context.ts";

/**
 * Makes OpenTelemetry spans of an agent's runs: run, step, task, model, tool and compaction, with
 * counts of tokens. It has no hooks and adds no steps; it listens through LangChain's callbacks, which
 * cost nothing in an agent without it. What it throws is reported on the console, and the run goes on.
 * Within a call of a model or tool its span is the active one, where a context manager is registered.
 *
 * For any other graph, and under LangChain's own agent, pass an {@link OpenTelemetryHandler} among
 * the `callbacks`.
 *
 * @example
 * createAgent({ model, tools, name: "helper", middleware: [openTelemetryMiddleware()] });
 */
export function openTelemetryMiddleware(options: OpenTelemetryOptions = {}) {
  requireKnownOptions("openTelemetryMiddleware", options, OPTIONS);
  return createMiddleware({
    name: "OpenTelemetryMiddleware",
    callbacks: [new OpenTelemetryHandler(options)],
    around: withCallActive,
  });
}
