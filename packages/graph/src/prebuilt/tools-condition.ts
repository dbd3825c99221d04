import type { BaseMessage } from "@langchain/core/messages";
import { END } from "../ids/names.ts";

/**
 * A condition for `addConditionalEdges`: to the node "tools" when the last message asks for tools,
 * else to the end.
 */
export function toolsCondition(state: BaseMessage[] | { messages: BaseMessage[] }): "tools" | typeof END {
  const messages = Array.isArray(state) ? state : state.messages;
  const { tool_calls: calls } = (messages.at(-1) ?? {}) as { tool_calls?: readonly unknown[] };
  return calls !== undefined && calls.length > 0 ? "tools" : END;
}
