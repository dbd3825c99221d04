import type { BaseMessage } from "@langchain/core/messages";
import { GraphError } from "@skein/errors";
import { END } from "../ids/names.ts";

/**
 * A condition for `addConditionalEdges`: to the node "tools" when the last message asks for tools,
 * else to the end.
 *
 * @throws GraphError INVALID_INPUT for a state without messages
 *
 * @example
 * graph.addNode("tools", new ToolNode(tools)).addConditionalEdges("model", toolsCondition, ["tools", END]);
 */
export function toolsCondition(state: BaseMessage[] | { messages: BaseMessage[] }): "tools" | typeof END {
  const messages: unknown = Array.isArray(state) ? state : (state as Partial<typeof state> | null)?.messages;
  if (!Array.isArray(messages)) {
    throw new GraphError(
      "INVALID_INPUT",
      "toolsCondition() looks at the last message, and this state has none. Give it a list of messages, or a state whose key `messages` is one.",
    );
  }
  const last = messages.at(-1) as { tool_calls?: readonly unknown[] | null } | null | undefined;
  return last?.tool_calls?.length ? "tools" : END;
}
