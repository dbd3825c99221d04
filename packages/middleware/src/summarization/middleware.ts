import { createMiddleware } from "@skein/agent";
import { repair } from "@skein/context";
import { z } from "zod";
import { historyFields } from "../shared/context-write.ts";
import { compact } from "./compact.ts";
import { emitter } from "./emit.ts";
import { Jobs } from "./jobs.ts";
import type { SummarizationOptions } from "./options.ts";
import { reportOverBudget } from "./over-budget.ts";
import { placed } from "./placement.ts";
import { contextSettings, settingsOf } from "./settings.ts";
import { setupsOf } from "./setups.ts";
import { summaryFields } from "./state.ts";

const stateSchema = z.object({ ...summaryFields, ...historyFields });

/**
 * Keeps the model's context small: when a trigger fires, the oldest messages go under a rolling
 * summary. The complete history is untouched, no tool call loses its result, and a summary that
 * fails, is empty or is too long changes nothing.
 *
 * Every prompt is repaired on its way to the model: calls that were cancelled get a result, results
 * without a call are left out. Where a provider takes one system message only, leading system
 * messages and the summary are added to the system prompt.
 *
 * System prompt and tool schemas count, because `createAgent` says what it sends. A user's settings,
 * and the switch that turns it off for them, come with the call: {@link contextSettings}.
 *
 * @throws GraphError INVALID_CONFIGURATION for options that can never work
 *
 * @example
 * createAgent({
 *   model,
 *   tools,
 *   middleware: [summarizationMiddleware({ model: small, trigger: { tokens: 50_000 }, target: { tokens: 30_000 } })],
 * });
 */
export function summarizationMiddleware(options: SummarizationOptions) {
  const setupFor = setupsOf(options);
  const jobs = new Jobs();
  return createMiddleware({
    name: "SummarizationMiddleware",
    stateSchema,
    contextSchema: contextSettings,
    beforeModel: async (state, runtime) => {
      const settings = settingsOf(runtime.context);
      if (settings?.enabled === false) return undefined;
      return compact(state, runtime, await setupFor(settings), jobs);
    },
    wrapModelCall: async (request, handler) => {
      const { messages, changed } = repair(request.messages);
      const repaired = changed ? { ...request, messages: [...messages] } : request;
      const prompt = placed(repaired, options.placement ?? "system");
      const { context, writer } = request.runtime;
      const settings = settingsOf(context);
      if (settings?.enabled !== false) {
        const setup = await setupFor(settings);
        reportOverBudget(prompt, setup, emitter(writer, setup));
      }
      return handler(prompt);
    },
  });
}
