import type { AIMessage, BaseMessage, ToolMessage } from "@langchain/core/messages";
import type { ToolCall } from "@langchain/core/messages/tool";
import { structureOf } from "../chains/units.ts";
import { isUser, toolCallsOf } from "../messages/kinds.ts";
import { contentParts } from "../messages/text.ts";

/** A tool's result in a list of messages, with the call that it answers. */
export interface ToolResultAt {
  readonly message: ToolMessage;
  readonly index: number;
  readonly call: ToolCall;
  readonly reply: AIMessage;
  readonly replyIndex: number;
  /** Name of the tool. */
  readonly tool: string;
  /** How many user messages stand behind it. */
  readonly turnsAgo: number;
}

/** The results of a list that answer a call, in order. Calls are matched by position, because ids are used again (B7). */
export function toolResults(messages: readonly BaseMessage[]): ToolResultAt[] {
  const found: ToolResultAt[] = [];
  for (const { index: replyIndex, results } of structureOf(messages).chains) {
    const reply = messages[replyIndex] as AIMessage;
    for (const [position, index] of results.entries()) {
      if (index === undefined) continue;
      const message = messages[index] as ToolMessage;
      const call = toolCallsOf(reply)[position] as ToolCall;
      const tool = message.name ?? call.name;
      found.push({ message, index, call, reply, replyIndex, tool, turnsAgo: 0 });
    }
  }
  found.sort((a, b) => a.index - b.index);
  return withTurns(found, messages);
}

function withTurns(found: readonly ToolResultAt[], messages: readonly BaseMessage[]): ToolResultAt[] {
  let turns = 0;
  let from = messages.length;
  const counted = found.toReversed().map((result) => {
    for (let i = from - 1; i > result.index; i--) if (isUser(messages[i] as BaseMessage)) turns++;
    from = result.index + 1;
    return { ...result, turnsAgo: turns };
  });
  return counted.toReversed();
}

/** Whether a result is text only: what holds an image or a file is not shortened as text. */
export function isPlainText(message: ToolMessage): boolean {
  return contentParts(message.content).every(({ kind }) => kind === "text");
}
