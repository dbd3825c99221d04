import type { AIMessage, BaseMessage, MessageContent, ToolMessage } from "@langchain/core/messages";
import { deepCompareStrict } from "@langchain/core/utils/json_schema";

/**
 * Whether two messages say the same under one id. Graphs in other processes return copies: without
 * this, every step would be a revision of every message.
 */
export function sameMessage(a: BaseMessage, b: BaseMessage): boolean {
  return a === b || deepCompareStrict([said(a), beside(a)], [said(b), beside(b)]);
}

/**
 * Whether a message that came from outside brings nothing new: it says the same, and what it brings
 * beside that stands there already. Clients show what was said, and post it back without metadata;
 * that would otherwise be an edit that takes the metadata away.
 */
export function bringsNothing(posted: BaseMessage, there: BaseMessage): boolean {
  if (posted === there) return true;
  if (!deepCompareStrict(said(posted), said(there))) return false;
  const known = beside(there);
  return Object.entries(beside(posted)).every(([key, value]) => isPartOf(value, known[key]));
}

/** What a message says. */
export function said(message: BaseMessage): unknown[] {
  const { tool_calls, invalid_tool_calls } = message as AIMessage;
  const { tool_call_id } = message as ToolMessage;
  return [
    message.getType(),
    message.id,
    plain(message.content),
    (tool_calls ?? []).map(({ id, name, args }) => ({ id, name, args })),
    invalid_tool_calls ?? [],
    tool_call_id,
  ];
}

/** What stands beside that. */
export function beside(message: BaseMessage): Record<string, unknown> {
  const { usage_metadata } = message as AIMessage;
  const { status, artifact } = message as ToolMessage;
  const { name, additional_kwargs = {}, response_metadata = {} } = message;
  return { name, additional_kwargs, response_metadata, usage_metadata, status, artifact };
}

/** Texts as a string, however they are written down. */
function plain(content: MessageContent): unknown {
  if (!Array.isArray(content)) return content;
  const isText = content.every((block) => block.type === "text" && Object.keys(block).length === 2);
  return isText ? content.map((block) => (block as { text?: unknown }).text).join("") : content;
}

/** Whether a value brings nothing but what another one has: records key by key. */
function isPartOf(value: unknown, whole: unknown): boolean {
  if (value === undefined) return true;
  if (!isRecord(value) || !isRecord(whole)) return deepCompareStrict(value, whole);
  return Object.entries(value).every(([key, part]) => deepCompareStrict(part, whole[key]));
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
