import { createMiddleware } from "@skein/agent";
import { repair } from "@skein/context";
import { requireKnownOptions, type OptionKind } from "@skein/errors";
import { z } from "zod";
import { historyFields } from "../shared/context-write.ts";
import { whenReady } from "../shared/ready.ts";
import { shapingOf } from "../shared/restoring.ts";
import { compact } from "./compact.ts";
import { summaryDerivations } from "./derivations.ts";
import { emitter } from "./emit.ts";
import { Jobs } from "./jobs.ts";
import { configurationOf, SUMMARIZATION_OPTIONS, type SummarizationMiddlewareOptions } from "./options.ts";
import { reportOverBudget } from "./over-budget.ts";
import { placed } from "./placement.ts";
import { contextSettings, settingsOf } from "../shared/user-settings.ts";
import { setupsOf } from "./setups.ts";
import { summaryFields, type SummarizedState } from "./state.ts";
import type { CompactionUpdate } from "./write.ts";

const NAME = "SummarizationMiddleware";
const OPTIONS: Readonly<Record<keyof SummarizationMiddlewareOptions, OptionKind>> = {
  ...SUMMARIZATION_OPTIONS,
  restore: "text",
};
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
 * A context that was made by another configuration is built anew from the history (`restore`): the
 * last summary stays, what it does not cover and what is to be seen again is read.
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
export function summarizationMiddleware(options: SummarizationMiddlewareOptions) {
  requireKnownOptions("summarizationMiddleware", options, OPTIONS);
  const { restore: _, ...own } = options;
  const setupFor = setupsOf(own);
  const jobs = new Jobs();
  const shaping = shapingOf(NAME, configurationOf(options), options);
  return createMiddleware({
    name: NAME,
    contextConfiguration: shaping.contextConfiguration,
    derivations: summaryDerivations(),
    stateSchema,
    contextSchema: contextSettings,
    beforeModel: async (state, runtime) => {
      const settings = settingsOf(runtime.context);
      if (settings?.enabled === false) return undefined;
      return whenReady(setupFor(settings), (setup) =>
        shaping.run<SummarizedState, CompactionUpdate>(state, runtime, (from) =>
          compact(from, runtime, setup, jobs),
        ),
      );
    },
    wrapModelCall: async (request, handler) => {
      const { messages, changed } = repair(request.messages, jobs);
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
