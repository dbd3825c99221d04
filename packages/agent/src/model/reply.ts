import { AIMessage, AIMessageChunk, type BaseMessage, ChatMessage } from "@langchain/core/messages";
import { finishReason } from "@skein/context";
import { GraphError } from "@skein/errors";
import { untimed } from "../messages/untimed.ts";
import { withCallIds, type NamedCalls } from "./call-ids.ts";
import { withoutInlineName } from "./inline-name.ts";

export interface ReplyReading {
  readonly agentName: string | undefined;
  readonly includeAgentName?: "inline" | undefined;
  /** Why its provider ended it, where the message need not say so. */
  readonly reason?: string | undefined;
  /** The id that it goes by. Default: its own. */
  readonly id?: string | undefined;
}

/**
 * What a model returned, as it goes into the thread: an assistant message that is no longer a
 * chunk, whose tool calls have ids that differ within it (E1). The model's own object is left as it
 * is, because a fake or a cache may return it again.
 */
export function normaliseReply(
  given: unknown,
  { agentName, includeAgentName, reason, id: chosen }: ReplyReading,
): AIMessage {
  const reply = asAssistant(given);
  if (!AIMessage.isInstance(reply)) {
    throw new GraphError(
      "INVALID_MESSAGE",
      `The model returned ${describe(reply)} instead of an assistant message. Give createAgent a chat model, or a runnable that ends in one.`,
    );
  }
  const { calls, invalid, content: named, changed } = withIds(reply);
  const name = agentName ?? reply.name;
  const content = includeAgentName === "inline" ? withoutInlineName(named) : named;
  const isUntold = reason !== undefined && finishReason(reply) === undefined;
  const id = chosen ?? reply.id;
  const isSame = name === reply.name && content === named && id === reply.id && !isUntold;
  if (isSame && !changed && !AIMessageChunk.isInstance(reply)) return reply;
  return new AIMessage({
    // LangChain puts calls that its standard content lacks into the very list that it is given
    content: Array.isArray(content) ? [...content] : content,
    additional_kwargs: id === reply.id ? reply.additional_kwargs : untimed(reply.additional_kwargs),
    response_metadata: isUntold
      ? { ...reply.response_metadata, finish_reason: reason }
      : reply.response_metadata,
    tool_calls: calls,
    invalid_tool_calls: invalid,
    ...(id === undefined ? {} : { id }),
    ...(name === undefined ? {} : { name }),
    ...(reply.usage_metadata === undefined ? {} : { usage_metadata: reply.usage_metadata }),
  });
}

/** A reply whose role its server left out is a message of no kind to LangChain; whoever answers is the assistant. */
function asAssistant(reply: unknown): unknown {
  if (!ChatMessage.isInstance(reply) || !["", "assistant", undefined].includes(reply.role)) return reply;
  const { content, additional_kwargs, response_metadata, id, name } = reply;
  return new AIMessage({
    content,
    additional_kwargs,
    response_metadata,
    ...(id === undefined ? {} : { id }),
    ...(name === undefined ? {} : { name }),
  });
}

/**
 * A reply that somebody made in the model's place: no chunk, and with ids for calls that lack one, or have one twice.
 *
 * @param id - that it goes by. Default: its own
 */
export const asModelReply = (reply: AIMessage, id?: string): AIMessage =>
  normaliseReply(reply, { agentName: undefined, id });

function withIds(reply: AIMessage): NamedCalls {
  const { tool_calls: calls = [], invalid_tool_calls: invalid = [], content } = reply;
  const isStandard = reply.response_metadata?.["output_version"] === "v1";
  // a message has its list of calls from its blocks, so that somebody took out of the list what it lacks
  const unlisted = AIMessageChunk.isInstance(reply) ? "calls" : "dropped";
  return withCallIds({ calls, invalid, content, unlisted: isStandard ? unlisted : "kept" });
}

function isMessage(value: unknown): value is BaseMessage {
  return typeof value === "object" && value !== null && typeof (value as BaseMessage).getType === "function";
}

function describe(value: unknown): string {
  if (isMessage(value)) return `a ${value.getType()} message`;
  return value === null ? "null" : `a value of type ${typeof value}`;
}
