import type { BaseMessageLike } from "@langchain/core/messages";
import type { RunnableConfig } from "@langchain/core/runnables";
import { separateSystem, type SeparatedSystem, type SystemPolicy } from "@skein/context";
import { GraphError, requireKnownOptions } from "@skein/errors";
import { toMessage } from "../messages/coerce.ts";
import type { AnyAgentMiddleware } from "../middleware/types.ts";
import type { AgentGraph } from "./agent-graph.ts";
import { lastOfTurn } from "./update.ts";

export interface ImportMessagesOptions {
  /** What becomes of system messages. Default: "external". */
  readonly systemMessages?: SystemPolicy;
}

/** What was appended, and the system prompts that were not. */
export interface ImportedMessages extends Pick<SeparatedSystem, "prompts" | "systemPrompt"> {
  readonly config: RunnableConfig;
  /** How many messages were appended: one with the id of another takes its place. */
  readonly added: number;
}

/** Writes as the last node of a turn would: nothing is to run afterwards, unless the last reply calls tools. */
export async function importMessages(
  graph: AgentGraph,
  middleware: readonly AnyAgentMiddleware[],
  config: RunnableConfig,
  likes: readonly BaseMessageLike[],
  options: ImportMessagesOptions | null | undefined,
): Promise<ImportedMessages> {
  if (options !== undefined && options !== null)
    requireKnownOptions("importMessages", options, { systemMessages: "text" });
  if (!Array.isArray(likes)) {
    throw new GraphError("INVALID_MESSAGE", "importMessages is given a list of messages; this is none.");
  }
  const { messages, prompts, systemPrompt } = separateSystem(likes.map(toMessage), options?.systemMessages);
  const ids = new Set(messages.flatMap(({ id }) => id ?? []));
  const known = await graph.revisions(config, [...ids], { key: "full_messages" });
  const withoutId = messages.filter(({ id }) => id === undefined || id === null).length;
  const fresh = [...ids].filter((id) => !known.has(id)).length;
  const written = await graph.updateState(config, { messages }, lastOfTurn(middleware));
  return { config: written, added: withoutId + fresh, prompts, systemPrompt };
}
