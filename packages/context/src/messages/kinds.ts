import type { AIMessage, BaseMessage, ToolMessage } from "@langchain/core/messages";
import type { ToolCall } from "@langchain/core/messages/tool";
import { requireMessage } from "./given.ts";

/** Marks a message that stands for others; LangChain's own middleware uses the same mark. */
export const SUMMARY_SOURCE = "summarization";

export const isUser = (message: BaseMessage): boolean => message.type === "human";
export const isSystem = (message: BaseMessage): boolean =>
  message.type === "system" || (message.type as string) === "developer";
export const isAssistant = (message: BaseMessage): message is AIMessage => message.type === "ai";
export const isToolResult = (message: BaseMessage): message is ToolMessage => message.type === "tool";

/** The tool calls of a message, none if it is no assistant's or carries none. */
export function toolCallsOf(message: BaseMessage): readonly ToolCall[] {
  const calls: unknown = isAssistant(message) ? message.tool_calls : undefined;
  return Array.isArray(calls) ? (calls as ToolCall[]) : NO_CALLS;
}
const NO_CALLS: readonly ToolCall[] = [];

/**
 * Whether the message carries the mark of a summary. The mark alone proves nothing: anybody can set it.
 *
 * @example
 * const summary = values.messages.find(isMarkedSummary);
 */
export function isMarkedSummary(message: BaseMessage): boolean {
  return (message as BaseMessage | null | undefined)?.additional_kwargs?.["lc_source"] === SUMMARY_SOURCE;
}

/**
 * When the message was made, in milliseconds since 1970: `additional_kwargs.timestamp`, a number or
 * an ISO date. `undefined` if there is none or it is no date.
 *
 * @throws GraphError INVALID_MESSAGE for what is no message
 *
 * @example
 * timestampOf(new HumanMessage({ content: "hi", additional_kwargs: { timestamp: "2026-01-01T00:00:00Z" } }));
 */
export function timestampOf(message: BaseMessage): number | undefined {
  requireMessage("timestampOf", message);
  const value = message.additional_kwargs?.["timestamp"];
  if (typeof value === "number" && Number.isFinite(value)) return value;
  if (typeof value !== "string") return undefined;
  const time = Date.parse(value);
  return Number.isNaN(time) ? undefined : time;
}

/** Marks the output of a recall: a copy of what stands elsewhere in the thread. */
export const RECALL_SOURCE = "recall";

/** Whether the message is the output of a recall. Summaries leave its text out: they had it before (D6). */
export function isRecallOutput(message: BaseMessage): boolean {
  return (
    (message as BaseMessage | null | undefined)?.type === "tool" &&
    message.additional_kwargs?.["lc_source"] === RECALL_SOURCE
  );
}
