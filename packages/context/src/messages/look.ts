import type { BaseMessage } from "@langchain/core/messages";

/** What a message held when it was looked at. */
export interface Look {
  readonly content: unknown;
  readonly length: number;
  readonly calls: unknown;
  readonly callCount: number;
}

/** Length of what can't grow. */
const FIXED = -1;

export const isFresh = ({ content, length, calls, callCount }: Look, message: BaseMessage): boolean =>
  holds(message, content, length, calls, callCount);

/**
 * Hazard: messages are mutable. A content or a list of calls that was exchanged or grew is counted again.
 *
 * `Object.is` compares where two things stand before it looks at what they are: of a text that is the same
 * one nothing is read, which of messages that were not read for long takes most of the time.
 */
export function holds(
  message: BaseMessage,
  before: unknown,
  length: number,
  callsBefore: unknown,
  callCount: number,
): boolean {
  const { content } = message;
  if (!Object.is(before, content)) return false;
  const calls = callsField(message);
  if (!Object.is(callsBefore, calls)) return false;
  if (callCount !== FIXED && callCount !== calls?.length) return false;
  return length === FIXED || length === content.length;
}

export const lengthOf = (field: unknown): number => (Array.isArray(field) ? field.length : FIXED);

/** What ties a message to others: its calls, or the id of the call that it answers. */
export function callsField(message: BaseMessage): readonly unknown[] | string | undefined {
  const { tool_calls, tool_call_id } = message as Partial<Ties>;
  return tool_calls ?? tool_call_id ?? undefined;
}

interface Ties {
  readonly tool_calls: readonly unknown[] | null;
  readonly tool_call_id: string | null;
}
