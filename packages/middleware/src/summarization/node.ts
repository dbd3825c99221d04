import { GraphError, requireKnownOptions } from "@skein/errors";
import { compact } from "./compact.ts";
import { Jobs } from "./jobs.ts";
import { SUMMARIZATION_OPTIONS, type SummarizationOptions } from "./options.ts";
import type { CompactionRuntime } from "./pass.ts";
import { settingsOf } from "../shared/user-settings.ts";
import { setupsOf } from "./setups.ts";
import type { SummarizedState } from "./state.ts";
import type { CompactionUpdate } from "./write.ts";

/** A node of a graph whose `messages` were declared with `dualTrackMessages()`. */
export type SummarizationNode = (
  state: SummarizedState,
  config?: CompactionRuntime & { readonly context?: unknown },
) => Promise<Omit<CompactionUpdate, "full_messages">>;

/**
 * Summarization for a graph of your own: put the node before the one that calls the model. It writes
 * only when a trigger fires; the history keeps everything.
 *
 * What it knows of the summary travels with the summary's message. Spread {@link summaryFields} into
 * the state schema to keep the last 10 versions, and a failing summarizer's rest, in the state;
 * `background` needs them.
 *
 * @throws GraphError INVALID_CONFIGURATION at once, for options that can never work
 *
 * @example
 * graph.addNode("compact", summarizationNode({ summarizer: "extractive", trigger: { messages: 12 }, keep: { messages: 6 } }));
 */
export function summarizationNode(options: SummarizationOptions): SummarizationNode {
  requireKnownOptions("summarizationNode", options, SUMMARIZATION_OPTIONS);
  if (options.placement === "prompt") {
    throw new GraphError(
      "INVALID_CONFIGURATION",
      'A node does not see the system prompt, so it cannot put the summary there: use summarizationMiddleware, or placement "system" or "user".',
    );
  }
  const setupFor = setupsOf(options);
  const jobs = new Jobs();
  return async function summarize(state, config = {}) {
    const settings = settingsOf(config.context);
    if (settings?.enabled === false) return {};
    return (await compact(state, config, await setupFor(settings), jobs)) ?? {};
  };
}
