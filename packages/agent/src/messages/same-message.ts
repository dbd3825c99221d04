import type { AIMessage, BaseMessage, ToolMessage } from "@langchain/core/messages";
import { deepCompareStrict } from "@langchain/core/utils/json_schema";

/**
 * Whether two messages say the same under one id. Clients post whole conversations back, and graphs
 * in other processes return copies: without this, every turn would be a revision of every message.
 */
export function sameMessage(a: BaseMessage, b: BaseMessage): boolean {
  return a === b || deepCompareStrict(facts(a), facts(b));
}

function facts(message: BaseMessage): unknown[] {
  const { tool_calls, invalid_tool_calls, usage_metadata } = message as AIMessage;
  const { tool_call_id, status, artifact } = message as ToolMessage;
  return [
    message.getType(),
    message.id,
    message.name,
    message.content,
    message.additional_kwargs ?? {},
    message.response_metadata ?? {},
    tool_calls ?? [],
    invalid_tool_calls ?? [],
    usage_metadata,
    tool_call_id,
    status,
    artifact,
  ];
}
