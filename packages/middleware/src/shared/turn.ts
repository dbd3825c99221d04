import { AIMessage, ToolMessage, type BaseMessage } from "@langchain/core/messages";
import type { ToolCall } from "@langchain/core/messages/tool";
import type { Runtime } from "@skein/agent";
import { isCutOff } from "@skein/context";

/** The model's last reply with calls, and what became of them. */
export interface LastTurn {
  readonly reply: AIMessage;
  /** Results that stand behind the reply, in their order. */
  readonly results: readonly ToolMessage[];
  /** Calls without a result, in their order. */
  readonly waiting: readonly ToolCall[];
}

/** The calls of the last reply, also of one that was cut off. */
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

/**
 * The last reply, if calls of it wait that the agent will run. Our agent runs none of a reply that was
 * cut off: nobody is asked about those and they count for nothing. LangChain's does, and a call that
 * runs must have passed approval and limits (E3).
 */
export function turnToRun(
  messages: readonly BaseMessage[],
  { prompt }: Pick<Runtime, "prompt">,
): LastTurn | undefined {
  const turn = lastTurn(messages);
  if (turn === undefined || turn.waiting.length === 0) return undefined;
  // LangChain's agent tells no prompt
  return prompt !== undefined && isCutOff(turn.reply) ? undefined : turn;
}

/** An error that the model sees in a call's stead. */
export function refusal(call: ToolCall, content: string): ToolMessage {
  return new ToolMessage({ content, tool_call_id: call.id ?? "", name: call.name, status: "error" });
}
