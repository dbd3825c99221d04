import { type AIMessage, type BaseMessage, isBaseMessage, type ToolMessage } from "@langchain/core/messages";
import { isSame } from "../ids/same.ts";

/**
 * Whether messages without ids say what others say, which have got some since.
 *
 * @param madeUp - ids that count as none. Default: there are none
 */
export function saysAgain(write: unknown, before: unknown, madeUp?: ReadonlySet<string>): boolean {
  const [now, then] = [listOf(write), listOf(before)];
  return (
    now.length > 0 &&
    now.length === then.length &&
    now.every((one, at) => {
      const other = then[at];
      if (!isBaseMessage(one) || !isBaseMessage(other)) return isSame(one, other);
      const isOther = one.id !== undefined && one.id !== other.id && madeUp?.has(one.id) !== true;
      return !isOther && isSame(saying(one), saying(other));
    })
  );
}

/** What a message says, whatever its id. */
export function saying(message: BaseMessage): Readonly<Record<string, unknown>> {
  const { type, content, name, additional_kwargs, response_metadata } = message;
  const { tool_calls, tool_call_id, status, artifact } = message as Partial<AIMessage & ToolMessage>;
  const called = { tool_calls: tool_calls ?? [], tool_call_id, status, artifact };
  return { type, content, name, additional_kwargs, response_metadata, ...called };
}

export function listOf(write: unknown): readonly unknown[] {
  return Array.isArray(write) ? write : [write];
}
