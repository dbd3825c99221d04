import {
  AIMessage,
  ToolMessage,
  type AIMessageFields,
  type BaseMessage,
  type ToolMessageFields,
} from "@langchain/core/messages";

/** Where a shortened message says how it was shortened. */
const SHORTENED = "skein_shortened";

/** How a message was shortened: by an outline or its ends, kept elsewhere, emptied, or as part of a past loop. */
export type Shortening = "compressed" | "offloaded" | "cleared" | "condensed";

/** What a shortened message says of itself. */
export interface ShortenedMark {
  readonly by: Shortening;
  /** Tokens that the message had before. */
  readonly tokens: number;
  /** Id of the newest message at that time: what a provider counted before that counted the message whole. */
  readonly after?: string | undefined;
}

/**
 * How a message of the context was shortened; undefined for one that stands as it was written.
 *
 * @example
 * const shortened = values.messages.filter((message) => shortenedMark(message) !== undefined);
 */
export function shortenedMark(message: BaseMessage): ShortenedMark | undefined {
  const mark = (message as BaseMessage | null | undefined)?.additional_kwargs?.[SHORTENED] as
    | Partial<ShortenedMark>
    | null
    | undefined;
  // anybody can write one: a count that is none would make all sums none
  return typeof mark?.by === "string" && Number.isFinite(mark.tokens) ? (mark as ShortenedMark) : undefined;
}

/**
 * `additional_kwargs` of a message that is shown shortened. Not `{...kwargs, [SHORTENED]: mark}`: each object
 * with a member that is added behind a spread gets a hidden class of its own (2 us), and is slow to read.
 */
export function withMark(
  kwargs: Readonly<Record<string, unknown>>,
  mark: ShortenedMark,
): Record<string, unknown> {
  const marked: Record<string, unknown> = Object.assign({}, kwargs);
  marked[SHORTENED] = mark;
  return marked;
}

/**
 * What the context shows instead of a tool result. The artifact goes: no model reads it, and the
 * history has it.
 */
export function shortenedResult(message: ToolMessage, content: string, mark: ShortenedMark): ToolMessage {
  const { id, name, tool_call_id, status, response_metadata } = message;
  const additional_kwargs = withMark(message.additional_kwargs, mark);
  const fields: ToolMessageFields = { content, tool_call_id, additional_kwargs, response_metadata };
  if (id !== undefined) fields.id = id;
  if (name !== undefined) fields.name = name;
  if (status !== undefined) fields.status = status;
  return new ToolMessage(fields);
}

/**
 * The same for an assistant message whose text or arguments are cut. What a provider counted no longer holds.
 *
 * @param change - `response_metadata`: what stays of it. Default: nothing
 */
export function shortenedReply(
  message: AIMessage,
  change: Pick<AIMessage, "content" | "tool_calls"> & Partial<Pick<AIMessage, "response_metadata">>,
  mark: ShortenedMark,
): AIMessage {
  const { id, name } = message;
  // `tool_calls` of additional_kwargs is a provider's copy of the arguments
  const { tool_calls: _copy, ...kwargs } = message.additional_kwargs ?? {};
  const { content, tool_calls = [], response_metadata } = change;
  const fields: AIMessageFields = { content, tool_calls, additional_kwargs: withMark(kwargs, mark) };
  if (id !== undefined) fields.id = id;
  if (name !== undefined) fields.name = name;
  if (response_metadata !== undefined)
    fields.response_metadata = response_metadata as Record<string, unknown>;
  return new AIMessage(fields);
}

/** The same with the time of the shortening: what was made long before it is of use is made known now. */
export function shortenedNow(message: BaseMessage, newest: string | undefined): BaseMessage {
  const known = shortenedMark(message);
  if (known === undefined || newest === undefined) return message;
  const mark = { ...known, after: newest };
  if (ToolMessage.isInstance(message)) return shortenedResult(message, message.content as string, mark);
  return shortenedReply(message as AIMessage, message as AIMessage, mark);
}
