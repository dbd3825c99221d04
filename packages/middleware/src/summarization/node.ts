import { compact, type CompactionRuntime, type CompactionUpdate } from "./compact.ts";
import { setupOf, type SummarizationOptions } from "./options.ts";
import type { SummarizedState } from "./state.ts";

/** A node of a graph whose `messages` were declared with `dualTrackMessages()`. */
export type SummarizationNode = (
  state: SummarizedState,
  config?: CompactionRuntime,
) => Promise<CompactionUpdate>;

/**
 * Summarization for a graph of your own: put the node before the one that calls the model. It writes
 * only when a trigger fires; the history keeps everything.
 *
 * What it knows of the summary travels with the summary's message. Spread {@link summaryFields} into
 * the state schema to keep the last 10 versions, and a failing summarizer's rest, in the state.
 *
 * @throws GraphError INVALID_CONFIGURATION at once, for options that can never work
 *
 * @example
 * graph.addNode("compact", summarizationNode({ summarizer: "extractive", trigger: { messages: 12 }, keep: { messages: 6 } }));
 */
export function summarizationNode(options: SummarizationOptions): SummarizationNode {
  const setup = setupOf(options);
  return async function summarize(state, config = {}) {
    return (await compact(state, config, await setup())) ?? {};
  };
}
