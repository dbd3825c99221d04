import { AIMessage, ToolMessage, type BaseMessage } from "@langchain/core/messages";
import type { ToolCall } from "@langchain/core/messages/tool";

/** The model's last reply with calls, and what became of them. */
export interface LastTurn {
  readonly reply: AIMessage;
  /** Results that stand behind the reply, in their order. */
  readonly results: readonly ToolMessage[];
  /** Calls without a result, in their order. */
  readonly waiting: readonly ToolCall[];
}

/**
 * The calls of the last reply. A reply that was cut off counts too: our agent does not run its calls,
 * but LangChain's does, and a call that runs must have passed approval and limits (E3).
 */
export function lastTurn(messages: readonly BaseMessage[]): LastTurn | undefined {
  const at = messages.findLastIndex((message) => AIMessage.isInstance(message));
  const reply = messages[at];
  if (!AIMessage.isInstance(reply)) return undefined;
  const calls = reply.tool_calls ?? [];
  if (calls.length === 0) return undefined;
  // only behind the reply: ids of calls are used again later in a thread (B7)
  const results = messages.slice(at + 1).filter((message) => ToolMessage.isInstance(message));
  const answered = new Set(results.map((result) => result.tool_call_id));
  return { reply, results, waiting: calls.filter((call) => !answered.has(call.id ?? "")) };
}

/** An error that the model sees in a call's stead. */
export function refusal(call: ToolCall, content: string): ToolMessage {
  return new ToolMessage({ content, tool_call_id: call.id ?? "", name: call.name, status: "error" });
}
