import type { BaseMessage } from "@langchain/core/messages";
import type { RunnableConfig } from "@langchain/core/runnables";
import { GraphError, requireKnownOptions, shown } from "@skein/errors";
import type { AgentGraph } from "./agent-graph.ts";

/** One page of the complete history, oldest first. */
export interface HistoryPage {
  readonly messages: BaseMessage[];
  /** Pass as `before` for the page before this one; undefined when this is the first. */
  readonly before: number | undefined;
}

export interface HistoryOptions {
  /** Where the page ends, from the page after it. Default: at the newest message. */
  readonly before?: number | undefined;
  /** Most messages, 1 or more. Default: 100. */
  readonly limit?: number;
}

/** @throws GraphError INVALID_CONFIGURATION for what is no object, or an option that there is not */
export async function pageOf(
  graph: AgentGraph,
  config: RunnableConfig,
  options: HistoryOptions | null | undefined,
): Promise<HistoryPage> {
  // the numbers are looked at by the graph
  if (options !== undefined && options !== null)
    requireKnownOptions("history", options, { before: "any", limit: "any" });
  const page = await graph.history(config, { ...options, key: "full_messages" });
  return { messages: page.elements as BaseMessage[], before: page.before };
}

/** @throws GraphError INVALID_MESSAGE for what is no id */
export async function revisionsOf(
  graph: AgentGraph,
  config: RunnableConfig,
  messageId: string,
): Promise<BaseMessage[]> {
  if (typeof messageId !== "string" || messageId === "") {
    throw new GraphError(
      "INVALID_MESSAGE",
      `revisions() takes the id of a message, not ${shown(messageId)}.`,
    );
  }
  const found = await graph.revisions(config, [messageId], { key: "full_messages" });
  return [...(found.get(messageId) ?? [])] as BaseMessage[];
}
