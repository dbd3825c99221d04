import { type AIMessage, type BaseMessage, isBaseMessage, type ToolMessage } from "@langchain/core/messages";
import { isSame } from "../ids/same.ts";

/** Which ids count as none, and what of a message is compared. */
export interface Comparison {
  readonly isMadeUp?: (id: string) => boolean;
  readonly saying?: (message: BaseMessage) => object;
}

/** Whether a write says what another says, whose messages may have got ids since. */
export function saysAgain(write: unknown, before: unknown, by: Comparison = {}): boolean {
  const [now, then] = [listOf(write), listOf(before)];
  const { isMadeUp, saying: said = saying } = by;
  const isAgain = (one: unknown, at: number): boolean => {
    const other = then[at];
    if (!isBaseMessage(one) || !isBaseMessage(other)) return isSame(one, other);
    const isOther = one.id !== undefined && one.id !== other.id && !isMadeUp?.(one.id);
    return !isOther && isSame(said(one), said(other));
  };
  return now.length === then.length && now.every(isAgain);
}

/** What a message says, whatever its id. */
export function saying(message: BaseMessage): Readonly<Record<string, unknown>> {
  const { type, content, name, additional_kwargs, response_metadata } = message;
  const { tool_calls, tool_call_id, status, artifact } = message as Partial<AIMessage & ToolMessage>;
  const called = { tool_calls: tool_calls ?? [], tool_call_id, status, artifact };
  return { type, content, name, additional_kwargs, response_metadata, ...called };
}

function listOf(write: unknown): readonly unknown[] {
  return Array.isArray(write) ? write : [write];
}
